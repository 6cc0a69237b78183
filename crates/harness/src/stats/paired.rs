use super::median::median_interval;
use crate::record::study::Estimate;

/// How b compares with a, where each process measured both in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// b − a, in the unit of the values: the median over processes.
    pub difference: Estimate,
    /// b / a: below 1 if b takes less.
    pub ratio: Estimate,
}

impl Paired {
    /// The same with intervals no narrower than what the clock leaves open of the difference, where a takes about `base`.
    #[must_use]
    pub fn at_least(self, floor: f64, base: f64) -> Self {
        let ratio = self.ratio.at_least(floor / base);
        let ratio = Estimate { low: ratio.low.max(0.0), ..ratio };
        Self { difference: self.difference.at_least(floor), ratio }
    }
}

/// Compares two sides from one pair of values (a, b) per process. None if no pair counts.
///
/// Values are durations or rates: a pair counts if both are finite and above 0. Difference and ratio are medians over processes
/// with the exact intervals of their order statistics. What a process does to both sides, such as its code layout, cancels; what
/// it does to one of them counts as spread and does not shrink with the number of rounds.
///
/// # Sources
/// T. Kalibera, R. Jones, arXiv 2007.10899, for the ratio as the effect and the process as the unit. The interval: W. R. Thompson, "On Confidence Ranges for the Median", 1936.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::paired;
///
/// let processes: Vec<(f64, f64)> =
///     [7.6, 7.7, 7.7, 7.8, 7.7, 7.6, 7.7, 7.8].iter().map(|extra| (1.0, 1.0 + extra)).collect();
/// let cost = paired(&processes, 0.95).unwrap();
/// assert!((cost.difference.low - 7.6).abs() < 1e-9 && (cost.difference.high - 7.8).abs() < 1e-9);
/// assert!(cost.ratio.low > 8.5);
/// ```
pub fn paired(processes: &[(f64, f64)], confidence: f64) -> Option<Paired> {
    let counts = |side: f64| side.is_finite() && side > 0.0;
    let pairs: Vec<(f64, f64)> = processes.iter().copied().filter(|(a, b)| counts(*a) && counts(*b)).collect();
    let median = |value: fn(&(f64, f64)) -> f64| median_interval(pairs.iter().map(value), confidence);
    Some(Paired { difference: median(|(a, b)| b - a)?, ratio: median(|(a, b)| b.ln() - a.ln())?.map(f64::exp) })
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    /// Processes whose level differs by tens of percent and whose ratio by a little; one in ten is disturbed on one side.
    fn processes(random: &mut Random, n: usize, log_ratio: f64) -> Vec<(f64, f64)> {
        (0..n)
            .map(|_| {
                let level = 20.0 * (0.3 * random.normal()).exp();
                let disturbed = |random: &mut Random| if random.unit() < 0.1 { 1.1 } else { 1.0 };
                let own = log_ratio + 0.02 * random.normal();
                (level * disturbed(random), level * own.exp() * disturbed(random))
            })
            .collect()
    }

    #[test]
    fn intervals_cover() {
        let mut random = Random::new(11);
        let held =
            (0..2000).filter(|_| paired(&processes(&mut random, 12, 0.0), 0.95).unwrap().ratio.holds(1.0)).count();
        assert!(held >= 1900, "{held} of 2000");
    }

    #[test]
    fn a_ratio_is_found_beneath_larger_noise() {
        let mut random = Random::new(12);
        let held = (0..500)
            .filter(|_| {
                let found = paired(&processes(&mut random, 24, 0.1), 0.99).unwrap().ratio;
                found.low <= 0.1_f64.exp() && 0.1_f64.exp() <= found.high && found.low > 1.0
            })
            .count();
        assert!(held > 470, "{held} of 500");
    }

    #[test]
    fn few_processes_and_no_difference() {
        assert_eq!(paired(&[(2.0, 2.0); 3], 0.95).unwrap().ratio.estimate, 1.0);
        let one = paired(&[(2.0, 4.0)], 0.95).unwrap();
        assert_eq!((one.difference.estimate, one.ratio.confidence), (2.0, 0.0));
        assert_eq!(paired(&[(0.0, 1.0), (f64::NAN, 1.0), (1.0, -1.0)], 0.95), None);
    }

    proptest! {
        #[test]
        fn sides_can_be_swapped(processes in prop::collection::vec((0.1_f64..100.0, 0.1_f64..100.0), 2..30)) {
            let swapped: Vec<(f64, f64)> = processes.iter().map(|(a, b)| (*b, *a)).collect();
            let (one, other) = (paired(&processes, 0.9).unwrap(), paired(&swapped, 0.9).unwrap());
            prop_assert!((one.difference.estimate + other.difference.estimate).abs() < 1e-9);
            prop_assert!((one.ratio.low * other.ratio.high - 1.0).abs() < 1e-6);
        }

        #[test]
        fn nothing_panics(processes in prop::collection::vec((any::<f64>(), any::<f64>()), 0..6)) {
            let _ = paired(&processes, 0.95);
        }
    }
}
