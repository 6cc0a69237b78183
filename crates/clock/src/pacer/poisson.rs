use core::time::Duration;

use super::Pace;

/// A schedule of independent events at random times, as from many users.
///
/// # Guarantees
/// The same seed gives the same schedule. The mean distance is the pace's; times are rounded down to nanoseconds, and the
/// remainder is carried.
///
/// # Sources
/// Distances are −ln(u) · mean, with u uniform in (0, 1] from SplitMix64 (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014).
///
/// # Examples
/// ```
/// use chronoscope_clock::pacer::{Pace, Poisson};
///
/// let schedule = Poisson::new(Pace::per_second(1_000)?, 42);
/// let after_ten_thousand = schedule.skip(10_000).next().unwrap();
/// assert!((9.0..11.0).contains(&after_ten_thousand.as_secs_f64()));
/// # Ok::<(), chronoscope_clock::pacer::ImpossiblePace>(())
/// ```
#[derive(Clone, Debug)]
pub struct Poisson {
    mean_ns: f64,
    state: u64,
    /// None beyond the timescale.
    next_ns: Option<u64>,
    rest_ns: f64,
}

impl Poisson {
    /// Events at `pace` on average; the first comes after a random time, too.
    #[must_use]
    pub fn new(pace: Pace, seed: u64) -> Self {
        let mut schedule = Self { mean_ns: pace.mean_ns(), state: seed, next_ns: Some(0), rest_ns: 0.0 };
        schedule.advance();
        schedule
    }

    fn advance(&mut self) {
        let distance_ns = -self.uniform().ln() * self.mean_ns + self.rest_ns;
        let whole_ns = distance_ns.floor();
        self.rest_ns = distance_ns - whole_ns;
        // A float beyond the range becomes the largest number, which leaves the timescale.
        self.next_ns = self.next_ns.and_then(|ns| ns.checked_add(whole_ns as u64));
    }

    /// In (0, 1].
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((mixed >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

impl Iterator for Poisson {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let now_ns = self.next_ns?;
        self.advance();
        Some(Duration::from_nanos(now_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of thousands of events, and nothing in them is unsafe")]
    fn mean_and_spread_are_those_of_an_exponential() {
        let schedule: Vec<f64> =
            Poisson::new(Pace::per_second(50_000).unwrap(), 7).take(200_001).map(|at| at.as_secs_f64() * 1e6).collect();
        let gaps: Vec<f64> = schedule.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 20.0).abs() < 0.2 && (variance.sqrt() - 20.0).abs() < 0.3, "{mean} {variance}");
    }

    proptest! {
        #[test]
        fn a_seed_is_a_schedule_and_time_never_runs_back(seed: u64, events in 1_u64..1_000_000_000) {
            let pace = Pace::per_second(events).unwrap();
            let schedule: Vec<Duration> = Poisson::new(pace, seed).take(50).collect();
            prop_assert!(schedule.is_sorted());
            prop_assert_eq!(schedule, Poisson::new(pace, seed).take(50).collect::<Vec<_>>());
        }
    }
}
