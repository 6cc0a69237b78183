use std::fmt;

/// Why a worker process gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerFailure {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    NotStarted(String),
    Killed(i32),
    Ended(Option<i32>, String),
    TimedOut { limit_ms: u64 },
    Cancelled,
    Garbled(String),
    Refused(String),
}

impl WorkerFailure {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind }
    }

    /// The worker ran and said why the task cannot be done here.
    pub fn refused(reason: String) -> Self {
        Self::new(Kind::Refused(reason))
    }

    /// Whether the user stopped the run.
    pub fn is_cancelled(&self) -> bool {
        self.kind == Kind::Cancelled
    }

    /// Whether no worker came to work at all, so that none ever will.
    pub fn is_for_want_of_a_process(&self) -> bool {
        matches!(self.kind, Kind::NotStarted(_) | Kind::Ended(..))
    }

    /// The signal that ended the worker, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self.kind {
            Kind::Killed(signal) => Some(signal),
            _ => None,
        }
    }
}

impl fmt::Display for WorkerFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::NotStarted(reason) => write!(f, "no worker process could be started: {reason}"),
            Kind::Killed(signal) => match nix::sys::signal::Signal::try_from(*signal) {
                Ok(name) => write!(f, "the worker process was ended by {name}"),
                Err(_) => write!(f, "the worker process was ended by signal {signal}"),
            },
            Kind::Ended(code, said) => {
                match code {
                    Some(code) => write!(f, "the worker process ended with code {code} and gave no answer")?,
                    None => f.write_str("the worker process ended and gave no answer")?,
                }
                if said.is_empty() { Ok(()) } else { write!(f, ": {said}") }
            }
            Kind::TimedOut { limit_ms } => write!(f, "the worker process was stopped after {limit_ms} ms"),
            Kind::Cancelled => f.write_str("the run was stopped"),
            Kind::Garbled(reason) => write!(f, "the worker process gave an answer that cannot be read: {reason}"),
            Kind::Refused(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for WorkerFailure {}
