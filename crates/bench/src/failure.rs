use std::fmt;
use std::process::ExitCode;

use super::tell;

/// Why a program ends without completing its task: what was tried, why it failed, what to do.
///
/// # Examples
/// ```
/// use chronoscope_bench::Failure;
///
/// let failure = Failure::usage("0 threads cannot be run; choose 1 to 4096");
/// assert_eq!(failure.code(), 2);
/// assert_eq!(failure.to_string(), "0 threads cannot be run; choose 1 to 4096");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The request cannot be carried out as given: exit code 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// Something failed during the run: exit code 1.
    pub fn run(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// Reports it on standard error, after the program's name.
    pub fn report(self, program: &str) -> ExitCode {
        tell(program, &self.message);
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
