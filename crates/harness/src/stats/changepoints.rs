use super::summary::{median, quantile_of_sorted};

/// The penalty of a changepoint is this times ln n, in units of twice the log-likelihood.
const PENALTY_PER_LOG_N: f64 = 15.0;
/// Minimum segment length: one value has no variance.
const SHORTEST_SEGMENT: usize = 2;
/// Half the outlier filter's sliding window, in values: a share of the series within these bounds.
const HALF_WINDOW: (usize, usize) = (10, 100);
const HALF_WINDOW_SHARE: usize = 6;
/// Half-width of the outlier fence around the median, as a multiple of P90 − P10.
const FENCE_WIDTHS: f64 = 3.0;
/// Relative noise below this is rounding.
const LEAST_RELATIVE_NOISE: f64 = 1e-6;

/// Where a series changes its mean or variance: the first index of each new segment, ascending. Never 0.
///
/// Non-finite values, and outliers in a sliding window, are ignored; indices refer to the given series. The penalty is
/// 15·ln n per changepoint; a segment has at least two values. To be detected, a normal series of 30 values must shift
/// by about four standard deviations in its middle, one of 1000 values by 0.7. Variance has a floor given by the
/// values' own quantization (step²/12, as with a coarse clock), so that runs of equal ticks are not segments.
///
/// Worst-case time is quadratic in the length: 5000 values without a change take a few tenths of a second.
///
/// # Sources
/// R. Killick, P. Fearnhead, I. A. Eckley, "Optimal Detection of Changepoints With a Linear Computational Cost", JASA
/// 107(500), 2012: PELT. E. Barrett, C. F. Bolz-Tereick, R. Killick, S. Mount, L. Tratt, "Virtual Machine Warmup Blows
/// Hot and Cold", OOPSLA 2017: the likelihood, the penalty, and outliers beyond the median ± 3·(P90 − P10) of 200
/// neighbours, none in the first half window. Here the window is a third of a series shorter than 600.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::changepoints;
///
/// let series: Vec<f64> = (0..60).map(|i| if i < 20 { 90.0 } else { 40.0 } + f64::from(i % 4)).collect();
/// assert_eq!(changepoints(&series), [20]);
/// ```
pub fn changepoints(series: &[f64]) -> Vec<usize> {
    let kept = inside_window(series);
    let values: Vec<f64> = kept.iter().map(|i| series[*i]).collect();
    segment_starts(&values).into_iter().filter_map(|start| kept.get(start).copied()).collect()
}

/// Indices of the values that are finite and not outliers among their neighbours.
pub(super) fn inside_window(series: &[f64]) -> Vec<usize> {
    let finite: Vec<usize> = (0..series.len()).filter(|i| series[*i].is_finite()).collect();
    let n = finite.len();
    let half = (n / HALF_WINDOW_SHARE).clamp(HALF_WINDOW.0, HALF_WINDOW.1);
    let value = |place: usize| series[finite[place]];
    // The window, in ascending order.
    let mut window: Vec<f64> = Vec::with_capacity(2 * half);
    let (mut from, mut to) = (0, 0);
    let mut kept = Vec::with_capacity(n);
    for (place, index) in finite.iter().enumerate() {
        while to < (place + half).min(n) {
            let at = window.partition_point(|other| other.total_cmp(&value(to)).is_lt());
            window.insert(at, value(to));
            to += 1;
        }
        while from < place.saturating_sub(half) {
            let at = window.partition_point(|other| other.total_cmp(&value(from)).is_lt());
            window.remove(at);
            from += 1;
        }
        if place < half || Fence::of_sorted(&window).is_none_or(|fence| fence.holds(value(place))) {
            kept.push(*index);
        }
    }
    kept
}

/// The range outside which values are outliers.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    low: f64,
    high: f64,
}

impl Fence {
    /// The median ± 3·(P90 − P10) of values in ascending order.
    pub(super) fn of_sorted(sorted: &[f64]) -> Option<Self> {
        let [p10, p50, p90] = [0.1, 0.5, 0.9].map(|p| quantile_of_sorted(sorted, p));
        let half = FENCE_WIDTHS * (p90? - p10?);
        Some(Self { low: p50? - half, high: p50? + half })
    }

    pub(super) fn holds(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// First indices of all segments but the first, for finite values.
fn segment_starts(values: &[f64]) -> Vec<usize> {
    let penalty = PENALTY_PER_LOG_N * (values.len().max(2) as f64).ln();
    pelt(values, penalty, least_variance(values))
}

/// The variance floor implied by the quantization of the values.
fn least_variance(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let step = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).fold(f64::INFINITY, f64::min);
    let by_step = if step.is_finite() { step * step / 12.0 } else { 0.0 };
    let typical = median(values.iter().map(|value| value.abs()).collect()).unwrap_or(0.0);
    by_step.max((LEAST_RELATIVE_NOISE * typical).powi(2)).max(f64::MIN_POSITIVE)
}

/// A candidate for the last segment, extended value by value.
struct Candidate {
    from: usize,
    /// The minimum cost of everything before it, with penalties.
    before: f64,
    count: f64,
    mean: f64,
    squares: f64,
    /// Cost up to the newest value; infinite while it is too short to be a segment.
    cost: f64,
    /// At this series length and beyond it cannot be optimal: set once it loses by more than its penalty.
    beaten_at: usize,
}

impl Candidate {
    /// Welford's update: a sum of squares would lose the noise next to a large first value.
    fn push(&mut self, value: f64, least_variance: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
        if self.count >= SHORTEST_SEGMENT as f64 {
            // Twice the negative log-likelihood at the best mean and the smallest allowed variance, minus n·ln 2π.
            let variance = (self.squares / self.count).max(least_variance);
            self.cost = self.before + self.count * variance.ln() + self.squares / variance;
        }
    }
}

fn pelt(values: &[f64], penalty: f64, least_variance: f64) -> Vec<usize> {
    let n = values.len();
    // For each length of the series: the minimum cost, and where its last segment starts.
    let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, 0); n + 1];
    best[0] = (-penalty, 0);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let length = i + 1;
        // Prefixes too short to be segments have infinite cost and start no candidate.
        if best[i].0.is_finite() {
            candidates.push(Candidate {
                from: i,
                before: best[i].0 + penalty,
                count: 0.0,
                mean: 0.0,
                squares: 0.0,
                cost: f64::INFINITY,
                beaten_at: usize::MAX,
            });
        }
        let mut least = (f64::INFINITY, 0);
        for candidate in &mut candidates {
            candidate.push(*value, least_variance);
            if candidate.cost < least.0 {
                least = (candidate.cost, candidate.from);
            }
        }
        best[length] = least;
        // A candidate beaten here without the penalty loses to a segment that starts here, once that is long enough.
        candidates.retain_mut(|candidate| {
            if candidate.cost.is_finite() && candidate.cost - penalty >= least.0 {
                candidate.beaten_at = candidate.beaten_at.min(length + SHORTEST_SEGMENT);
            }
            length + 1 < candidate.beaten_at
        });
    }
    let mut starts = Vec::new();
    let mut length = n;
    while length > 0 {
        let start = best[length].1;
        if start > 0 {
            starts.push(start);
        }
        length = start;
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    fn cost(values: &[f64], least_variance: f64) -> f64 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        let variance = (squares / n).max(least_variance);
        n * variance.ln() + squares / variance
    }

    fn whole_cost(values: &[f64], starts: &[usize], penalty: f64, least_variance: f64) -> f64 {
        let borders: Vec<usize> = [0].into_iter().chain(starts.iter().copied()).chain([values.len()]).collect();
        let segments = borders.windows(2).map(|pair| cost(&values[pair[0]..pair[1]], least_variance)).sum::<f64>();
        segments + penalty * starts.len() as f64
    }

    /// The minimum cost over all partitions, without pruning.
    fn naive(values: &[f64], penalty: f64, least_variance: f64) -> f64 {
        let mut best = vec![-penalty];
        for length in 1..=values.len() {
            let least = (0..length)
                .filter(|from| length - from >= SHORTEST_SEGMENT)
                .map(|from| best[from] + penalty + cost(&values[from..length], least_variance))
                .fold(f64::INFINITY, f64::min);
            best.push(least);
        }
        best[values.len()]
    }

    #[test]
    fn planted_changes_are_found() {
        let mut random = Random::new(21);
        for _ in 0..20 {
            let mut series = random.normals(150, 100.0, 2.0);
            series.extend(random.normals(100, 90.0, 2.0));
            series.extend(random.normals(250, 90.0, 0.2));
            let found = changepoints(&series);
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found[0].abs_diff(150) <= 3 && found[1].abs_diff(250) <= 8, "{found:?}");
        }
    }

    #[test]
    fn noise_outliers_and_ticks_are_no_changes() {
        let mut random = Random::new(22);
        for n in [30, 200, 600] {
            for _ in 0..10 {
                let mut noise = random.normals(n, 50.0, 1.0);
                noise[n / 2] = 5e4;
                noise[n - 3] = f64::NAN;
                if n > 30 {
                    noise[n - 5] = 300.0;
                }
                assert_eq!(changepoints(&noise), [0; 0], "n = {n}");
                let ticks: Vec<f64> = noise.iter().map(|v| (v / 2.0).round() * 2.0).collect();
                assert_eq!(changepoints(&ticks), [0; 0], "{n} in ticks");
            }
        }
    }

    #[test]
    fn a_giant_first_value_does_not_blind() {
        let mut series: Vec<f64> = Random::new(23).normals(200, 50.0, 1.0);
        series[0] = 1e9;
        series[1] = 1.1e9;
        series[120..].iter_mut().for_each(|v| *v -= 10.0);
        let found = changepoints(&series);
        assert_eq!((found.len(), found[0]), (2, 2), "{found:?}");
        assert!(found[1].abs_diff(120) <= 1);
    }

    #[test]
    fn five_thousand_values_are_no_burden() {
        let mut series = Random::new(24).normals(5000, 50.0, 1.0);
        for (i, value) in series.iter_mut().enumerate() {
            *value -= (i / 1000) as f64;
        }
        assert_eq!(changepoints(&series).len(), 4);
    }

    #[test]
    fn constant_and_empty_series_have_none() {
        assert_eq!(changepoints(&[]), [0; 0]);
        assert_eq!(changepoints(&[3.0]), [0; 0]);
        assert_eq!(changepoints(&[0.0; 100]), [0; 0]);
        assert_eq!(changepoints(&[f64::NAN; 100]), [0; 0]);
    }

    proptest! {
        #[test]
        fn pruning_loses_nothing(
            values in prop::collection::vec((-3.0_f64..3.0, 0_u32..4), 2..60), penalty in 0.5_f64..20.0,
        ) {
            // Levels that come and go, so that there is something to detect.
            let values: Vec<f64> = values.iter().enumerate()
                .map(|(i, (noise, level))| noise + 8.0 * f64::from(level * u32::from(i % 16 < 8)))
                .collect();
            let found = pelt(&values, penalty, 1e-3);
            prop_assert!(found.windows(2).all(|pair| pair[0] + SHORTEST_SEGMENT <= pair[1]));
            let (ours, best) = (whole_cost(&values, &found, penalty, 1e-3), naive(&values, penalty, 1e-3));
            prop_assert!((ours - best).abs() < 1e-6, "{} for {}", ours, best);
        }

        #[test]
        fn the_window_matches_a_naive_one(
            values in prop::collection::vec(prop_oneof![9 => 10.0_f64..11.0, 1 => -100.0_f64..100.0], 0..150),
        ) {
            let (n, half) = (values.len(), (values.len() / 6).clamp(10, 100));
            let expected: Vec<usize> = (0..n)
                .filter(|i| {
                    let mut window = values[i.saturating_sub(half)..(i + half).min(n)].to_vec();
                    window.sort_by(f64::total_cmp);
                    let at = |p: f64| quantile_of_sorted(&window, p).unwrap();
                    *i < half || (values[*i] - at(0.5)).abs() <= 3.0 * (at(0.9) - at(0.1)) + 1e-9
                })
                .collect();
            prop_assert_eq!(inside_window(&values), expected);
        }

        #[test]
        fn nothing_panics(values in prop::collection::vec(any::<f64>(), 0..60)) {
            let found = changepoints(&values);
            prop_assert!(found.iter().all(|i| (1..values.len()).contains(i)));
        }
    }
}
