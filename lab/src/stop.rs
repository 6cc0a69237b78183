use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Interrupted,
    /// The time for all scenarios together is over.
    OutOfTime,
}

/// What everything that takes long asks whether it must end.
#[derive(Debug, Default)]
pub struct Stop {
    interrupted: AtomicBool,
    deadline: OnceLock<Instant>,
}

impl Stop {
    /// Tells everything to end. Gives whether it had been told before.
    pub fn interrupt(&self) -> bool {
        self.interrupted.swap(true, Ordering::Relaxed)
    }

    /// The time for all scenarios begins; a second call changes nothing.
    pub fn begin(&self, limit: Duration) {
        self.deadline.get_or_init(|| Instant::now() + limit);
    }

    pub fn cause(&self) -> Option<Cause> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Cause::Interrupted);
        }
        self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline).then_some(Cause::OutOfTime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_out_and_an_interruption_counts_first() {
        let stop = Stop::default();
        assert_eq!(stop.cause(), None);
        stop.begin(Duration::from_secs(3600));
        assert_eq!(stop.cause(), None);
        let over = Stop::default();
        over.begin(Duration::ZERO);
        over.begin(Duration::from_secs(3600));
        assert_eq!(over.cause(), Some(Cause::OutOfTime));
        assert!(!over.interrupt());
        assert!(over.interrupt(), "the second time");
        assert_eq!(over.cause(), Some(Cause::Interrupted));
    }
}
