use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

/// Why a history cannot be used: what was tried, why it failed, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError {
    text: String,
    is_of_moment: bool,
}

impl HistoryError {
    /// For the history in `file`.
    pub fn new(file: &Path, why: impl fmt::Display) -> Self {
        Self { text: format!("the history {}: {why}", file.display()), is_of_moment: false }
    }

    /// The same for what may succeed later, with the same history.
    fn at_the_moment(file: &Path, why: impl fmt::Display) -> Self {
        Self { is_of_moment: true, ..Self::new(file, why) }
    }

    /// Whether it may succeed later, with the same history.
    pub fn is_of_moment(&self) -> bool {
        self.is_of_moment
    }

    /// The same for something that is not a history, or no longer one.
    pub fn refused(file: &Path, why: impl fmt::Display) -> Self {
        let advice = "move it away, or name another file in CHRONOSCOPE_HISTORY; chronoscope leaves it as it is";
        Self::new(file, format!("{why}; {advice}"))
    }

    /// For a complaint of the database.
    pub fn of_database(file: &Path, error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::refused(file, format!("damaged ({error}); `sqlite3 FILE .recover` saves what it can"))
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::at_the_moment(file, "another process has been writing to it for 30 s; try again")
            }
            Some(ErrorCode::DiskFull) => {
                Self::at_the_moment(file, "the disk is full; nothing was changed. Make room, and try again")
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::new(file, format!("cannot be written ({error}); name another file in CHRONOSCOPE_HISTORY"))
            }
            _ => Self::new(file, error),
        }
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for HistoryError {}
