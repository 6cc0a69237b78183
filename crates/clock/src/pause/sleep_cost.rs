use core::time::Duration;

/// The assumed cost where it cannot be measured.
const UNMEASURED_NS: u64 = 5_000;
/// One sleep in this many is measured, as CPU time takes a system call.
const APART: u32 = 64;
/// A measurement counts a quarter, and as at most four times the known cost.
const WEIGHT: u64 = 4;
const MOST: u64 = 4;
/// The believable range.
const RANGE_NS: (u64, u64) = (1_000, 200_000);

/// The CPU time of one sleep, whatever its length: the system call, two switches, and in a virtual machine what the
/// hypervisor makes of an idle CPU. From 3 µs on a quiet host to 30 µs and more on an oversubscribed one.
#[derive(Clone, Copy, Debug)]
pub(super) struct SleepCost {
    ns: u64,
    /// Sleeps since one was measured.
    sleeps: u32,
}

impl SleepCost {
    pub(super) const UNKNOWN: Self = Self { ns: UNMEASURED_NS, sleeps: 0 };

    /// From the cheapest of some sleeps.
    pub(super) fn of(cheapest: Duration) -> Self {
        Self { ns: nanos(cheapest), ..Self::UNKNOWN }
    }

    pub(super) fn ns(self) -> u64 {
        self.ns
    }

    /// Whether the next sleep is to be measured.
    pub(super) fn is_due(&mut self) -> bool {
        // If CPU time is unavailable it stays due.
        self.sleeps = self.sleeps.saturating_add(1);
        self.sleeps >= APART
    }

    pub(super) fn record(&mut self, cost: Duration) {
        let new_ns = nanos(cost).min(self.ns * MOST);
        self.ns = (self.ns * (WEIGHT - 1) + new_ns) / WEIGHT;
        self.sleeps = 0;
    }
}

fn nanos(cost: Duration) -> u64 {
    let (least, most) = RANGE_NS;
    crate::nanos::saturating(cost).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_sleep_does_not_decide_and_many_do() {
        let mut cost = SleepCost::of(Duration::from_micros(4));
        cost.record(Duration::from_millis(10));
        assert_eq!(cost.ns(), 7_000);
        (0..30).for_each(|_| cost.record(Duration::from_micros(4)));
        assert!((3_900..=4_100).contains(&cost.ns()), "{}", cost.ns());
        (0..60).for_each(|_| cost.record(Duration::from_micros(50)));
        assert!((49_000..=50_000).contains(&cost.ns()), "{}", cost.ns());
    }

    #[test]
    fn without_cpu_time_it_stays_due_however_long() {
        let mut cost = SleepCost { sleeps: u32::MAX, ..SleepCost::UNKNOWN };
        assert!(cost.is_due() && cost.is_due());
    }

    #[test]
    fn one_of_many_sleeps_is_measured() {
        let mut cost = SleepCost::UNKNOWN;
        let mut measured = 0;
        for _ in 0..APART * 10 {
            if cost.is_due() {
                cost.record(Duration::from_micros(5));
                measured += 1;
            }
        }
        assert_eq!(measured, 10);
    }
}
