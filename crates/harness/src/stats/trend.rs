use super::autocorrelation::effective_sample_size;
use super::summary::median;
use super::tails::normal;

/// Longer series are folded into this many blocks: the number of pairs is quadratic.
const MOST_POINTS: usize = 500;
/// Significance level of a trend: the probability of seeing it in a series without one.
const ALPHA: f64 = 0.001;
/// Each half of a series must have this share of the whole slope; a step does not.
const LEAST_SHARE_OF_HALF: f64 = 1.0 / 3.0;
/// Fewer values than this have no trend worth the name.
const FEWEST_VALUES: usize = 10;

/// The slope per index of a series (index, value) that drifts: over its length by more than `margin` of its median, in
/// both halves, and significantly. None for fewer than ten values.
///
/// # Sources
/// P. K. Sen, JASA 63, 1968; H. B. Mann, Econometrica 13, 1945.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::trend;
///
/// let drifting: Vec<(f64, f64)> = (0..24).map(|i| (f64::from(i), 100.0 + 0.2 * f64::from(i) + f64::from(i % 3) * 0.1)).collect();
/// assert!((trend(&drifting, 0.02).unwrap() - 0.2).abs() < 0.01);
/// assert_eq!(trend(&drifting, 0.1), None, "within the margin");
/// ```
pub fn trend(series: &[(f64, f64)], margin: f64) -> Option<f64> {
    if series.len() < FEWEST_VALUES {
        return None;
    }
    let length = series.last()?.0 - series.first()?.0;
    let level = median(series.iter().map(|(_, value)| value.abs()).collect())?;
    let points = folded(series);
    let slope = theil_sen(&points)?;
    // Written so that NaN is not a trend.
    let matters = (slope * length).abs() > margin.max(0.0) * level;
    if !matters || !significant(&points, slope) {
        return None;
    }
    let (first, second) = points.split_at(points.len() / 2);
    let lasts = |half: &[(f64, f64)]| theil_sen(half).is_some_and(|own| own / slope >= LEAST_SHARE_OF_HALF);
    (lasts(first) && lasts(second)).then_some(slope)
}

/// Medians of equal blocks, few enough for all pairs.
fn folded(series: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let block = series.len().div_ceil(MOST_POINTS).max(1);
    series
        .chunks(block)
        .filter_map(|points| {
            let (at, values): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
            median(at).zip(median(values))
        })
        .collect()
}

/// The median of the slopes between all pairs.
fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let slopes = points.iter().enumerate().flat_map(|(i, one)| {
        points[i + 1..].iter().map(move |other| (other.1 - one.1) / (other.0 - one.0)).filter(|slope| slope.is_finite())
    });
    median(slopes.collect())
}

/// The Mann-Kendall test, two-sided, with the variance corrected for the correlation of the residuals.
fn significant(points: &[(f64, f64)], slope: f64) -> bool {
    let n = points.len() as f64;
    let mut score = 0.0;
    for (i, one) in points.iter().enumerate() {
        for other in &points[i + 1..] {
            score += f64::from(i8::from(other.1 > one.1) - i8::from(other.1 < one.1));
        }
    }
    let mut values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    values.sort_by(f64::total_cmp);
    let terms = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let ties: f64 = values.chunk_by(|one, other| one == other).map(|equal| terms(equal.len() as f64)).sum();
    let residuals: Vec<f64> = points.iter().map(|(at, value)| value - slope * at).collect();
    let correlation = n / effective_sample_size(&residuals).max(1.0);
    let deviation = ((terms(n) - ties) / 18.0 * correlation).sqrt();
    let z = (score.abs() - 1.0).max(0.0) / deviation;
    // A constant series has no deviation, and 0 / 0 fails every comparison.
    2.0 * normal(z) < ALPHA
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    fn indexed(values: Vec<f64>) -> Vec<(f64, f64)> {
        values.into_iter().enumerate().map(|(i, value)| (i as f64, value)).collect()
    }

    #[test]
    fn noise_has_no_trend() {
        let mut random = Random::new(71);
        let found = (0..400).filter(|i| trend(&indexed(random.normals(20 + i % 60, 5.0, 1.0)), 0.0).is_some()).count();
        assert!(found <= 2, "{found} of 400");
    }

    #[test]
    fn wandering_noise_is_not_taken_for_one() {
        let mut random = Random::new(72);
        let found = (0..200)
            .filter(|_| {
                let mut last = 0.0;
                let values = (0..150).map(|_| {
                    last = 0.6 * last + random.normal();
                    100.0 + last
                });
                trend(&indexed(values.collect()), 0.0).is_some()
            })
            .count();
        assert!(found <= 4, "{found} of 200");
    }

    #[test]
    fn a_drift_is_measured_in_short_and_long_series() {
        let mut random = Random::new(73);
        for n in [30, 400, 5000] {
            let drift = 10.0 / n as f64;
            let values = (0..n).map(|i| 100.0 + drift * i as f64 + random.normal()).collect();
            let series = indexed(values);
            let slope = trend(&series, 0.02).unwrap();
            assert!((slope / drift - 1.0).abs() < 0.2, "{slope} for {drift}");
            assert_eq!(trend(&series, 0.2), None);
        }
    }

    #[test]
    fn a_step_is_no_trend() {
        let mut random = Random::new(74);
        for at in [30, 50, 75] {
            let values = (0..100).map(|i| if i < at { 120.0 } else { 100.0 } + random.normal()).collect();
            assert_eq!(trend(&indexed(values), 0.01), None, "step at {at}");
        }
        assert_eq!(trend(&indexed(vec![1.0; 50]), 0.0), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(values in prop::collection::vec(any::<f64>(), 0..60)) {
            let _ = trend(&indexed(values), 0.01);
        }
    }
}
