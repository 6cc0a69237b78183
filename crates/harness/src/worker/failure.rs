use std::fmt;

use crate::process::signal_name;

/// Why a worker process gave no answer.
///
/// # Examples
/// ```
/// use chronoscope_harness::worker::WorkerFailure;
///
/// let failure = WorkerFailure::Ended { code: Some(3), complaint: "out of luck".to_owned() };
/// assert_eq!(failure.to_string(), "the worker process exited with code 3 and no answer: out of luck");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerFailure {
    /// No process could be started, for this reason.
    NotStarted(String),
    /// This signal ended it.
    Killed(i32),
    /// It ended by itself.
    Ended {
        /// Its exit code, if any.
        code: Option<i32>,
        /// The telling end of what it wrote to its standard error.
        complaint: String,
    },
    /// It exceeded its time limit.
    TimedOut {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// The user stopped the run.
    Cancelled,
    /// Its answer could not be parsed, for this reason.
    ProtocolError(String),
    /// It ran and reported why the task is impossible here.
    Refused(String),
}

impl WorkerFailure {
    /// Whether no worker could be started at all, so that none ever will.
    pub fn is_for_want_of_a_process(&self) -> bool {
        matches!(self, Self::NotStarted(_) | Self::Ended { .. })
    }

    /// The signal that ended the worker, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self {
            Self::Killed(signal) => Some(*signal),
            _ => None,
        }
    }
}

impl fmt::Display for WorkerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(reason) => write!(f, "no worker process could be started: {reason}"),
            Self::Killed(signal) => write!(f, "the worker process was killed by {}", signal_name(*signal)),
            Self::Ended { code, complaint } => {
                match code {
                    Some(code) => write!(f, "the worker process exited with code {code} and no answer")?,
                    None => f.write_str("the worker process exited without an answer")?,
                }
                if complaint.is_empty() { Ok(()) } else { write!(f, ": {complaint}") }
            }
            Self::TimedOut { limit_ms } => write!(f, "the worker process timed out after {limit_ms} ms"),
            Self::Cancelled => f.write_str("the run was interrupted"),
            Self::ProtocolError(reason) => write!(f, "cannot parse the worker process's answer: {reason}"),
            Self::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for WorkerFailure {}
