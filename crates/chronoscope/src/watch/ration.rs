//! How seldom a costly look may be repeated.

use std::time::Duration;

/// When something costly may be done again: so seldom that its own cost stays a small share of a CPU.
#[derive(Clone, Copy, Debug)]
pub struct Ration {
    share: f64,
    least: Duration,
    next_ns: u64,
}

impl Ration {
    /// At most this share of a CPU, and at most once per `least`. Due at once.
    pub fn new(share: f64, least: Duration) -> Self {
        Self { share, least, next_ns: 0 }
    }

    /// Whether it may be done now.
    pub fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.next_ns
    }

    /// That it was done, and used so much of a CPU.
    pub fn used(&mut self, now_ns: u64, cpu_ns: u64) {
        let pause_ns = (cpu_ns as f64 / self.share) as u64;
        let least_ns = u64::try_from(self.least.as_nanos()).unwrap_or(u64::MAX);
        self.next_ns = now_ns.saturating_add(pause_ns.max(least_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_time_is_as_far_as_the_cost_requires() {
        let mut ration = Ration::new(0.001, Duration::from_secs(10));
        assert!(ration.is_due(0));
        ration.used(5, 1_000_000);
        assert!(!ration.is_due(10_000_000_004) && ration.is_due(10_000_000_005), "1 ms in 10 s is less than its share");
        ration.used(0, 30_000_000);
        assert!(!ration.is_due(29_999_999_999) && ration.is_due(30_000_000_000));
        ration.used(0, u64::MAX);
        assert!(!ration.is_due(u64::MAX - 1));
    }

    #[test]
    fn whatever_it_costs_its_share_is_kept() {
        let (mut ration, mut used, mut now) = (Ration::new(0.000_2, Duration::from_secs(1)), 0_u64, 0_u64);
        for cost in (0..2_000).map(|step| (step * 7_919) % 3_000_000) {
            assert!(used as f64 <= now as f64 * 0.000_2, "{used} of {now}");
            ration.used(now, cost);
            used += cost;
            now = ration.next_ns;
        }
    }
}
