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

/// The first failure of what was done at several destinations, after telling the others. Each is tried even if another fails, so that
/// a full disk, a closed pipe or a number that is not finite loses no other results.
///
/// # Errors
/// If any failed.
///
/// # Examples
/// ```
/// use chronoscope_bench::{Failure, each_tried};
///
/// assert!(each_tried("mytool", [Ok(()), Ok(())]).is_ok());
/// let [first, second] = ["disk full", "pipe closed"].map(|why| Err(Failure::run(why)));
/// assert_eq!(each_tried("mytool", [first, second]).unwrap_err().to_string(), "disk full"); // "mytool: pipe closed" was told
/// ```
pub fn each_tried<const N: usize>(program: &str, tried: [Result<(), Failure>; N]) -> Result<(), Failure> {
    let mut failures = tried.into_iter().filter_map(Result::err);
    let first = failures.next();
    failures.for_each(|other| tell(program, &other.message));
    first.map_or(Ok(()), Err)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
