use std::process::ExitCode;

/// Why the program ends without having done what it was asked: what was tried, why it failed, what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The user asked for something that cannot be done as asked: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// Something went wrong on the way: exit code 1.
    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    /// Says so on standard error.
    pub(crate) fn report(self) -> ExitCode {
        // With standard error closed, the code must do.
        let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("chronoscope: {}\n", self.message));
        ExitCode::from(self.code)
    }
}
