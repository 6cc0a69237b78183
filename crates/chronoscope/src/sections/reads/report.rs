use crate::clock_id::ClockId;
use chronoscope_harness::estimators::gaps_over_time::GapsOverTime;
use chronoscope_harness::estimators::reads;

/// The distribution of the differences between consecutive reads of one clock.
pub type Reads = reads::Reads<ClockId>;

/// The clock of the largest share of equal readings, and how many clocks had any; None if none had.
pub fn most_equal(all: &[Reads]) -> Option<(&Reads, usize)> {
    let had = || all.iter().filter(|reads| reads.zero_share > 0.0);
    let most = had().max_by(|a, b| a.zero_share.total_cmp(&b.zero_share))?;
    Some((most, had().count()))
}

/// The clocks that went backwards, that which did so most often first.
pub fn went_backwards(all: &[Reads]) -> Vec<&Reads> {
    let mut found: Vec<&Reads> = all.iter().filter(|reads| reads.backward_steps > 0).collect();
    found.sort_by_key(|reads| std::cmp::Reverse(reads.backward_steps));
    found
}

/// The clocks whose gaps have a time, that with the longest gap first.
pub fn over_time(all: &[Reads]) -> Vec<(&Reads, &GapsOverTime)> {
    let mut found: Vec<_> = all.iter().filter_map(|reads| Some((reads, reads.gaps_over_time.as_ref()?))).collect();
    let longest = |gaps: &GapsOverTime| gaps.worst().map_or(0.0, |gap| gap.length_ns);
    found.sort_by(|(_, a), (_, b)| longest(b).total_cmp(&longest(a)));
    found
}

/// Whether most readings equal the one before, so that the median difference tells nothing.
pub fn mostly_repeats(reads: &Reads) -> bool {
    reads.zero_share >= 0.5
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use chronoscope_harness::estimators::reads::{Samples, reads};
    use chronoscope_harness::record::Disturbance;
    use chronoscope_sources::Rate;

    /// Reads of `clock` with these differences in nanoseconds, each with its count.
    pub fn of(clock: &str, differences: &[(i64, u64)]) -> Reads {
        let span_ticks = differences.iter().map(|(ticks, count)| ticks.unsigned_abs() * count).sum();
        let samples = Samples { differences: differences.to_vec(), span_ticks, ..Samples::default() };
        reads(clock.into(), &samples, Rate::NANOSECONDS, Disturbance::default()).unwrap()
    }

    #[test]
    fn what_repeats_and_what_goes_backwards_is_found() {
        let steady = of("steady", &[(20, 1_000)]);
        let repeats = of("repeats", &[(0, 90), (1_000, 10)]);
        let back = of("back", &[(-5, 3), (0, 1), (20, 1_000)]);
        let more = of("more", &[(-5, 4), (20, 1_000)]);
        let all = [steady.clone(), repeats, back, more];
        let (most, had) = most_equal(&all).unwrap();
        assert_eq!((most.clock.name(), had), ("repeats", 2));
        assert_eq!(went_backwards(&all).iter().map(|reads| reads.clock.name()).collect::<Vec<_>>(), ["more", "back"]);
        assert_eq!(all.each_ref().map(mostly_repeats), [false, true, false, false]);
        assert!(
            most_equal(std::slice::from_ref(&steady)).is_none()
                && went_backwards(std::slice::from_ref(&steady)).is_empty()
        );
    }
}
