use super::summary::variance;
use super::t_quantile::t_quantile;

/// How far apart two draws of the distribution of `values` are at most, either way, with this confidence. None for fewer than three
/// values, or with one that is not finite.
///
/// Exact for a new pair of independent draws of a normal distribution. If one of the pair is among the values, it is wider than
/// necessary: such a draw widens the scatter along with the difference.
///
/// # Sources
/// G. J. Hahn and W. Q. Meeker, "Statistical Intervals", 1991, chapter 4: prediction of the difference of two future values, by
/// Student's t with n − 1 degrees.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::two_draws;
///
/// let apart = two_draws(&[10.0, 10.2, 9.8], 0.95).unwrap();
/// assert!((apart - 4.303 * 2.0_f64.sqrt() * 0.2).abs() < 1e-3);
/// assert_eq!(two_draws(&[10.0, 10.2], 0.95), None);
/// ```
pub fn two_draws(values: &[f64], confidence: f64) -> Option<f64> {
    const FEWEST: usize = 3;
    let variance = variance(values).filter(|_| values.len() >= FEWEST)?;
    let apart = t_quantile(confidence, (values.len() - 1) as f64)? * (2.0 * variance).sqrt();
    apart.is_finite().then_some(apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    /// How often two draws are further apart than said, of `values` draws or of one more and the first of them.
    fn misses(values: usize, is_among: bool) -> f64 {
        const TRIALS: u32 = 20_000;
        let mut random = Random::new(7);
        let missed = (0..TRIALS).filter(|_| {
            let drawn: Vec<f64> = (0..values).map(|_| random.normal()).collect();
            let apart = two_draws(&drawn, 0.95).unwrap();
            let other = if is_among { drawn[0] } else { random.normal() };
            (random.normal() - other).abs() > apart
        });
        missed.count() as f64 / f64::from(TRIALS)
    }

    #[test]
    fn it_covers_what_it_claims() {
        for values in [3, 5, 20] {
            let new = misses(values, false);
            assert!((0.045..0.055).contains(&new), "{values}: {new}");
            let among = misses(values, true);
            assert!(among < 0.055, "{values}: {among}");
        }
    }

    #[test]
    fn what_cannot_be_computed_is_none() {
        assert_eq!(two_draws(&[], 0.95), None);
        assert_eq!(two_draws(&[1.0, f64::NAN, 2.0], 0.95), None);
        assert_eq!(two_draws(&[f64::MAX, f64::MIN, 0.0], 0.95), None);
        assert_eq!(two_draws(&[4.0; 3], 0.95), Some(0.0));
    }
}
