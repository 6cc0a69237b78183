use std::time::Duration;

/// The share of a CPU that looks may use, without the two costly sources, which have shares of their own: all together a
/// thousandth.
const SHARE: f64 = 0.000_6;

/// When the next look is due: after `every`, or later where looks cost so much that they would use more than their share.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    every_ns: u64,
    began_ns: u64,
    cpu_at_start_ns: u64,
}

impl Budget {
    /// From now on, when the process has used `cpu_ns`.
    pub fn new(every: Duration, now_ns: u64, cpu_ns: u64) -> Self {
        let every_ns = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
        Self { every_ns, began_ns: now_ns, cpu_at_start_ns: cpu_ns }
    }

    /// When to look again after a look that was begun at `began_ns`, when the process has used `cpu_ns`.
    pub fn next_ns(&self, began_ns: u64, cpu_ns: u64) -> u64 {
        let used_ns = cpu_ns.saturating_sub(self.cpu_at_start_ns);
        let affordable_ns = self.began_ns.saturating_add((used_ns as f64 / SHARE) as u64);
        began_ns.saturating_add(self.every_ns).max(affordable_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_looks_come_as_often_as_asked_for() {
        let budget = Budget::new(Duration::from_secs(1), 1_000, 5_000_000);
        assert_eq!(budget.next_ns(1_000, 5_100_000), 1_000_001_000);
    }

    #[test]
    fn costly_looks_come_more_seldom() {
        let every = Duration::from_millis(10);
        let (mut now, mut cpu) = (0, 0);
        let budget = Budget::new(every, now, cpu);
        for _ in 0..100 {
            cpu += 2_000_000;
            now = budget.next_ns(now, cpu);
            assert!(cpu as f64 <= now as f64 * 0.001);
        }
        assert!(now > 200_000_000_000);
        assert_eq!(budget.next_ns(u64::MAX, u64::MAX), u64::MAX);
    }
}
