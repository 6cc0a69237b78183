//! When a thread that has stopped sleeping tries it again.

use core::time::Duration;

use crate::Instant;

/// The least distance between two.
const APART: Duration = Duration::from_millis(20);
/// The largest, whatever they spoil.
const MOST_APART: Duration = Duration::from_secs(5);
/// The share of the allowed late waits that they may cause.
const SHARE: f64 = 0.05;

/// When a thread that spins because its sleeps ended too late tries one again. Never would leave it spinning after one
/// bad episode; too often would make it late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probes {
    next: Instant,
    /// For one that is expected to be late.
    next_hopeless: Instant,
}

impl Probes {
    /// None for a while after `now`.
    pub(super) fn after(now: Instant) -> Self {
        Self { next: now.saturating_add(APART), next_hopeless: now.saturating_add(MOST_APART) }
    }

    /// Whether one is due, which `may_be_on_time` or is expected to be late: what is known may be long over.
    pub(super) fn is_due(self, now: Instant, may_be_on_time: bool) -> bool {
        now >= if may_be_on_time { self.next } else { self.next_hopeless }
    }

    /// Records a wait of `length` with a probe in it that ended `now`, late by `late`, where a share of `may_be_late` may
    /// be.
    pub(super) fn note(&mut self, length: Duration, late: Duration, may_be_late: f32, now: Instant) {
        // A late wait spoils itself and, where waits follow each other, those that were due meanwhile.
        let spoilt = if late.is_zero() { Duration::ZERO } else { length + late };
        let apart = spoilt.as_secs_f64() / (f64::from(may_be_late) * SHARE);
        let apart = Duration::try_from_secs_f64(apart).unwrap_or(MOST_APART).clamp(APART, MOST_APART);
        self.next = now.saturating_add(apart);
        self.next_hopeless = now.saturating_add(if late.is_zero() { apart } else { MOST_APART });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant::from_nanos(1_000_000_000);
    const WAIT: Duration = Duration::from_micros(100);

    #[test]
    fn what_spoils_nothing_is_tried_again_soon() {
        let mut probes = Probes::after(START - APART);
        assert!(probes.is_due(START, true) && !probes.is_due(START - Duration::from_nanos(1), true));
        probes.note(WAIT, Duration::ZERO, 0.01, START);
        assert!(!probes.is_due(START + Duration::from_millis(19), true) && probes.is_due(START + APART, true));
    }

    #[test]
    fn probes_spoil_a_small_share_of_what_may_be_late() {
        let mut probes = Probes::after(START);
        probes.note(WAIT, Duration::from_micros(300), 0.01, START);
        // 400 µs in 800 ms: one in two thousand, where one in a hundred may be late.
        assert!(
            !probes.is_due(START + Duration::from_millis(799), true)
                && probes.is_due(START + Duration::from_millis(801), true)
        );
        probes.note(WAIT, Duration::from_secs(60), 0.01, START);
        assert!(probes.is_due(START + MOST_APART, true), "but not never");
    }

    #[test]
    fn hopeless_ones_are_rare_until_one_is_on_time() {
        let mut probes = Probes::after(START);
        assert!(!probes.is_due(START + MOST_APART - APART, false) && probes.is_due(START + MOST_APART, false));
        probes.note(WAIT, Duration::from_nanos(1), 0.5, START);
        assert!(!probes.is_due(START + MOST_APART - APART, false) && probes.is_due(START + MOST_APART, false));
        probes.note(WAIT, Duration::ZERO, 0.5, START);
        assert!(probes.is_due(START + APART, false));
    }
}
