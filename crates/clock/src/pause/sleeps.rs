use core::time::Duration;

use super::Waited;
use crate::Instant;
use crate::Unavailable;

/// After this many failures in a row a wait stops sleeping.
const MOST_FAILURES: u32 = 4;
/// A sleep that ends early within this did not sleep: falling asleep and being woken by a signal takes longer.
const NO_SLEEP: Duration = Duration::from_micros(1);

/// The sleeps of one wait. Interruptions never end them, since each has let time pass; failures do.
#[derive(Debug)]
pub(super) struct Sleeps {
    failures_in_a_row: u32,
}

impl Sleeps {
    pub(super) const NONE: Self = Self { failures_in_a_row: 0 };

    /// Whether trying again is useless.
    pub(super) fn are_given_up(&self) -> bool {
        self.failures_in_a_row >= MOST_FAILURES
    }

    /// Records a sleep in `waited`; returns whether it slept.
    pub(super) fn note(&mut self, outcome: Result<(), Unavailable>, sleep: Sleep, waited: &mut Waited) -> bool {
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

/// A sleep, or an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleep {
    pub(super) began: Instant,
    pub(super) aim: Instant,
    pub(super) ended: Instant,
    pub(super) is_cancelled: bool,
}
