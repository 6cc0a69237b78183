use core::time::Duration;

use hdrhistogram::Histogram;

use chronoscope_clock::Instant;

use super::{histogram, nanos};

/// The looks of one wake-up: the first is the latest, each further one by a period less late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Looks {
    /// When the thread woke.
    pub(super) woke: Instant,
    /// How late the first was.
    pub(super) late_ns: u64,
    every_ns: u64,
    count: u64,
}

impl Looks {
    /// Those that were due at `woke`, of a schedule whose next one is at `due`. None if that is still to come.
    pub(super) fn due(due: Instant, woke: Instant, every: Duration) -> Option<Self> {
        let late_ns = nanos(woke.checked_duration_since(due)?);
        let every_ns = nanos(every).max(1);
        Some(Self { woke, late_ns, every_ns, count: (late_ns / every_ns).saturating_add(1) })
    }

    /// How long it is from the first of these to the next look.
    pub(super) fn span(&self) -> Duration {
        Duration::from_nanos(self.every_ns.saturating_mul(self.count))
    }

    /// Adds them to `seen`: one addition for all that share a bucket, or a stop of seconds would take milliseconds to
    /// record, and delay the looks that follow.
    pub(super) fn record(&self, seen: &mut Histogram<u64>) {
        let (mut late_ns, mut left) = (self.late_ns, self.count);
        while left > 0 {
            let lowest_ns = match late_ns {
                0 => 0,
                longer if longer > histogram::LONGEST_NS => histogram::LONGEST_NS,
                other => seen.lowest_equivalent(other).max(1),
            };
            let alike = ((late_ns - lowest_ns) / self.every_ns + 1).min(left);
            seen.saturating_record_n(late_ns.clamp(1, histogram::LONGEST_NS), alike);
            left -= alike;
            late_ns = late_ns.saturating_sub(alike.saturating_mul(self.every_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn looks(late_ns: u64, every_ns: u64) -> Looks {
        let due = Instant::from_nanos(7_000);
        let woke = due.saturating_add(Duration::from_nanos(late_ns));
        Looks::due(due, woke, Duration::from_nanos(every_ns)).expect("they are due")
    }

    /// Look by look.
    fn naive(late_ns: u64, every_ns: u64) -> Histogram<u64> {
        let mut seen = histogram::empty();
        let mut look = Some(late_ns);
        while let Some(late_ns) = look {
            seen.saturating_record(late_ns.clamp(1, histogram::LONGEST_NS));
            look = late_ns.checked_sub(every_ns);
        }
        seen
    }

    fn recorded(looks: &Looks) -> Histogram<u64> {
        let mut seen = histogram::empty();
        looks.record(&mut seen);
        seen
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 64 }, ..ProptestConfig::default() })]

        #[test]
        fn looks_that_share_a_bucket_are_recorded_as_one_by_one(
            late_ns in 0..2_000_000_000_u64,
            every_ns in 1_000..2_000_000_u64,
        ) {
            prop_assert!(recorded(&looks(late_ns, every_ns)) == naive(late_ns, every_ns));
        }
    }

    #[test]
    fn edges_are_recorded_as_one_by_one() {
        for (late_ns, every_ns) in
            [(0, 1_000), (1, 1), (5_000, 1), (1_000, 1_000), (999, 1_000), (2_047, 1), (2_048, 1)]
        {
            assert!(recorded(&looks(late_ns, every_ns)) == naive(late_ns, every_ns), "{late_ns} {every_ns}");
        }
        let (late_ns, every_ns) = (histogram::LONGEST_NS + 5 * SECOND_NS, SECOND_NS / 8);
        assert!(recorded(&looks(late_ns, every_ns)) == naive(late_ns, every_ns), "beyond the longest");
    }

    #[test]
    fn a_long_stop_takes_few_additions() {
        let stop = looks(10 * SECOND_NS, 10_000);
        let seen = recorded(&stop);
        assert_eq!((seen.len(), stop.span()), (1_000_001, Duration::from_nanos(10 * SECOND_NS + 10_000)));
        assert!(seen == naive(10 * SECOND_NS, 10_000));
        assert!(seen.iter_recorded().count() < 20_000);
    }

    #[test]
    fn a_look_that_is_still_to_come_is_none() {
        let due = Instant::from_nanos(5);
        assert_eq!(Looks::due(due, Instant::from_nanos(4), Duration::from_millis(1)), None);
        assert_eq!(Looks::due(due, due, Duration::from_millis(1)).unwrap().span(), Duration::from_millis(1));
    }
}
