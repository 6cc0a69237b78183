use std::fmt;
use std::time::Duration;

use crate::process::signal_name;
use crate::quantity::length;

/// Why a worker process gave no complete answer.
///
/// # Examples
/// ```
/// use chronoscope_harness::worker::WorkerFailure;
///
/// let failure = WorkerFailure::Ended { code: Some(3), complaint: "out of luck".to_owned() };
/// assert_eq!(failure.to_string(), "the process exited early with code 3: out of luck");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerFailure {
    /// No process could be started, for this reason.
    NotStarted(String),
    /// A signal ended it.
    Killed {
        /// The signal.
        signal: i32,
        /// The telling end of what it wrote to its standard error.
        complaint: String,
    },
    /// It ended by itself before its answer was complete.
    Ended {
        /// Its exit code, if any.
        code: Option<i32>,
        /// The telling end of what it wrote to its standard error.
        complaint: String,
    },
    /// It exceeded its time limit.
    TimedOut {
        /// The limit.
        limit: Duration,
        /// The telling end of what it wrote to its standard error.
        complaint: String,
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
            Self::Killed { signal, .. } => Some(*signal),
            _ => None,
        }
    }

    fn complaint(&self) -> &str {
        match self {
            Self::Killed { complaint, .. } | Self::Ended { complaint, .. } | Self::TimedOut { complaint, .. } => {
                complaint
            }
            _ => "",
        }
    }
}

impl fmt::Display for WorkerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(reason) => write!(f, "no process could be started: {reason}"),
            Self::Killed { signal, .. } => write!(f, "the process was killed by {}", signal_name(*signal)),
            Self::Ended { code: Some(0), .. } => f.write_str("the process exited before its answer was complete"),
            Self::Ended { code: Some(code), .. } => write!(f, "the process exited early with code {code}"),
            Self::Ended { code: None, .. } => f.write_str("the process exited early"),
            Self::TimedOut { limit, .. } => write!(f, "the process timed out after {}", length(*limit)),
            Self::Cancelled => f.write_str("the run was interrupted"),
            Self::ProtocolError(reason) => write!(f, "cannot parse the process's answer: {reason}"),
            Self::Refused(reason) => f.write_str(reason),
        }?;
        match self.complaint() {
            "" => Ok(()),
            complaint => write!(f, ": {complaint}"),
        }
    }
}

impl std::error::Error for WorkerFailure {}
