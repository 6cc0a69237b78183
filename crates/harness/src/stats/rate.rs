/// The 95 % upper confidence bound on a rate, after `hits` in `trials`. 1 for no trials.
///
/// # Sources
/// For no hits, the exact bound 1 − 0.05^(1/n), the "rule of three" (J. Hanley, A. Lippman-Hand, JAMA 1983); else the
/// upper end of E. B. Wilson's score interval, 1927.
///
/// # Examples
/// ```
/// let bound = chronoscope_harness::stats::rate_upper_95(0, 3_000_000);
/// assert!((bound * 1e6 - 1.0).abs() < 0.01);
/// ```
pub fn rate_upper_95(hits: u64, trials: u64) -> f64 {
    const Z_ONE_SIDED_95: f64 = 1.644_853_626_951_472_8;
    if trials == 0 {
        return 1.0;
    }
    let n = trials as f64;
    if hits == 0 {
        return -(0.05_f64.ln() / n).exp_m1();
    }
    let p = (hits.min(trials)) as f64 / n;
    let z2 = Z_ONE_SIDED_95 * Z_ONE_SIDED_95;
    let centre = p + z2 / (2.0 * n);
    let spread = Z_ONE_SIDED_95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    ((centre + spread) / (1.0 + z2 / n)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::rate_upper_95;
    use proptest::prelude::*;

    #[test]
    fn nothing_tried_excludes_nothing() {
        assert_eq!(rate_upper_95(0, 0), 1.0);
    }

    proptest! {
        #[test]
        fn the_bound_lies_above_the_rate(trials in 1_u64..1_000_000_000, share in 0.0_f64..=1.0) {
            let hits = (trials as f64 * share) as u64;
            let bound = rate_upper_95(hits, trials);
            prop_assert!(bound >= hits as f64 / trials as f64 && bound <= 1.0);
        }
    }
}
