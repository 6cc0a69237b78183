//! The share of waits that sleeps may make late.

/// Late waits over the allowance at which sleeps get stricter,
const OVERDRAWN: f32 = 3.0;
const STRICTER: f32 = 0.5;
/// and under it at which they get looser again.
const SAVED: f32 = 3.0;
const LOOSER: f32 = 1.25;
/// The strictest, as a share of the allowance.
const STRICTEST: f32 = 1.0 / 32.0;

/// Keeps the share of waits that sleeps made late within the allowance, whatever was expected of them. Counts waits a
/// sleep made late and those due before they began because an earlier one was late: a sleep that ends three periods late
/// spoils three events of a pacer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    share: f32,
    /// Sleeps are planned by this fraction of the share.
    scale: f32,
    /// Waits that might have been late and were not.
    credit: f32,
    /// Whether the last wait was late by a sleep, of its own or of one before.
    in_debt: bool,
}

impl Allowance {
    pub(super) const fn of(share: f32) -> Self {
        Self { share, scale: 1.0, credit: 0.0, in_debt: false }
    }

    /// The share of the next sleeps that may end late.
    pub(super) fn next(self) -> f32 {
        self.share * self.scale
    }

    /// Records a wait: whether its deadline had passed when it began, and whether a sleep ended after it.
    pub(super) fn note(&mut self, had_passed: bool, woken_late: bool) {
        self.in_debt = woken_late || self.in_debt && had_passed;
        self.credit += self.share - f32::from(u8::from(self.in_debt));
        if self.credit <= -OVERDRAWN {
            self.scale = (self.scale * STRICTER).max(STRICTEST);
            self.credit = 0.0;
        } else if self.credit >= SAVED {
            self.scale = (self.scale * LOOSER).min(1.0);
            self.credit = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_late_sleep_counts_for_every_wait_that_it_spoils() {
        let mut one = Allowance::of(0.01);
        one.note(false, true);
        (0..3).for_each(|_| one.note(true, false));
        assert_eq!(one.next(), 0.005);
        let mut callers = Allowance::of(0.01);
        (0..100).for_each(|_| callers.note(true, false));
        assert_eq!(callers.next(), 0.01);
    }

    #[test]
    #[cfg_attr(miri, ignore = "tens of thousands of waits, and nothing in them is unsafe")]
    fn strictness_passes() {
        let mut allowance = Allowance::of(0.002);
        (0..400).for_each(|_| allowance.note(false, true));
        assert!(allowance.next() < 0.000_1);
        (0..60_000).for_each(|_| allowance.note(false, false));
        assert_eq!(allowance.next(), 0.002);
    }

    proptest! {
        /// Sleeps that are late more often than planned, by a factor that is not known: the share that comes of it is the allowed
        /// one at most.
        #[test]
        #[cfg_attr(miri, ignore = "hundreds of thousands of waits, and nothing in them is unsafe")]
        fn more_late_sleeps_than_planned_end_in_the_allowed_share(factor in 1.0_f32..20.0, share in 0.002_f32..0.05, seed: u64) {
            const WAITS: u32 = 200_000;
            let mut allowance = Allowance::of(share);
            let (mut late, mut state) = (0_u32, seed | 1);
            for _ in 0..WAITS {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let is_late = (state >> 40) as f32 / (1_u32 << 24) as f32 <= allowance.next() * factor;
                late += u32::from(is_late);
                allowance.note(false, is_late);
            }
            let seen = late as f32 / WAITS as f32;
            prop_assert!(seen <= share * 1.1 + 0.000_2, "{} of {} allowed", seen, share);
        }
    }
}
