use core::time::Duration;

use super::{SleepFailed, Waited};
use crate::Instant;

/// After so many failures in a row a wait sleeps no more.
const MOST_FAILURES: u32 = 4;
/// What comes back early, and sooner than this, did not sleep, whatever it says: to be sent to sleep and woken by a signal takes
/// longer. If signals do come that fast, there is no CPU time left to give away.
const NO_SLEEP: Duration = Duration::from_micros(1);

/// The sleeps of one wait. Interruptions never end them: each has let time pass, and the next one sleeps on. Failures do.
#[derive(Debug)]
pub(super) struct Sleeps {
    failures_in_a_row: u32,
}

impl Sleeps {
    pub(super) const NONE: Self = Self { failures_in_a_row: 0 };

    /// Whether it is of no use to try again.
    pub(super) fn are_given_up(&self) -> bool {
        self.failures_in_a_row >= MOST_FAILURES
    }

    /// Notes in `waited` what became of a sleep that was to last until `aim`. Whether it slept.
    pub(super) fn note(&mut self, outcome: Result<(), SleepFailed>, sleep: Sleep, waited: &mut Waited) -> bool {
        let Sleep { began, aim, ended, is_cancelled } = sleep;
        let took = ended.saturating_duration_since(began);
        let came_back_at_once = ended < aim && took < NO_SLEEP && !is_cancelled;
        if outcome.is_err() || came_back_at_once {
            self.failures_in_a_row += 1;
            waited.failed_sleeps = waited.failed_sleeps.saturating_add(1);
            return false;
        }
        self.failures_in_a_row = 0;
        waited.slept += took;
        waited.sleeps = waited.sleeps.saturating_add(1);
        true
    }
}

/// From when to when a thread slept, or tried to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleep {
    pub(super) began: Instant,
    pub(super) aim: Instant,
    pub(super) ended: Instant,
    pub(super) is_cancelled: bool,
}
