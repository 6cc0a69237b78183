use std::fmt;

/// Why a study was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyError {
    message: String,
}

impl StudyError {
    pub(super) fn usage(message: String) -> Self {
        Self { message }
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StudyError {}
