//! The ratio of two estimates of separate runs.

use chronoscope_harness::record::Estimate;

/// `this` over `base`, with an interval; None if either may be zero or less, or the quotient cannot be written.
///
/// Both intervals are combined on a logarithmic scale, as for independent, log-normal estimates: each side is the root of the sum of
/// the squares of the sides that move the ratio that way. It holds with the lower of their confidences. If one has no interval, nor has
/// the ratio.
///
/// # Sources
/// A. Donner and G. Y. Zou, "Closed-form confidence intervals for functions of the normal mean and standard deviation", Statistical
/// Methods in Medical Research 21, 2012: the method of variance estimates recovery (MOVER), for asymmetric intervals.
pub fn ratio(base: &Estimate, this: &Estimate) -> Option<Estimate> {
    let estimate = this.estimate / base.estimate;
    let is_usable = |value: f64| value.is_finite() && value > 0.0;
    if !is_usable(base.estimate) || !is_usable(this.estimate) || !is_usable(estimate) {
        return None;
    }
    if !base.has_interval() || !this.has_interval() {
        return Some(Estimate::without_interval(estimate));
    }
    let side = |to: f64, from: f64| (to / from).ln();
    let below = side(this.estimate, this.low).hypot(side(base.high, base.estimate));
    let above = side(this.high, this.estimate).hypot(side(base.estimate, base.low));
    let (low, high) = (estimate * (-below).exp(), estimate * above.exp());
    let is_interval = is_usable(base.low) && is_usable(this.low) && is_usable(low) && high.is_finite();
    is_interval.then(|| Estimate { estimate, low, high, confidence: base.confidence.min(this.confidence) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::compare::made_up::Draws;

    fn around(estimate: f64, off: f64) -> Estimate {
        Estimate { estimate, low: estimate / off, high: estimate * off, confidence: 0.95 }
    }

    #[test]
    fn sides_are_combined_on_a_log_scale() {
        let found = ratio(&around(10.0, 1.03), &around(20.0, 1.04)).unwrap();
        let off = (1.03_f64.ln().powi(2) + 1.04_f64.ln().powi(2)).sqrt().exp();
        assert!((found.estimate - 2.0).abs() < 1e-12 && (found.low - 2.0 / off).abs() < 1e-9);
        assert!((found.high - 2.0 * off).abs() < 1e-9 && found.confidence == 0.95);
        let lopsided = Estimate { low: 19.9, ..around(20.0, 1.5) };
        let found = ratio(&Estimate::certain(10.0), &lopsided).unwrap();
        assert!((found.low - 1.99).abs() < 1e-9 && (found.high - 3.0).abs() < 1e-9, "each side for itself: {found:?}");
    }

    #[test]
    fn what_has_no_ratio() {
        let ten = around(10.0, 1.1);
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(ratio(&ten, &Estimate::certain(none)), None, "{none}");
            assert_eq!(ratio(&Estimate::certain(none), &ten), None, "{none}");
        }
        assert_eq!(ratio(&Estimate { low: -1.0, ..ten }, &ten), None, "it may be zero");
        assert_eq!(ratio(&Estimate::certain(f64::MIN_POSITIVE), &Estimate::certain(f64::MAX)), None);
        let bare = ratio(&Estimate::without_interval(10.0), &ten).unwrap();
        assert!(!bare.has_interval() && bare.estimate == 1.0);
    }

    /// Estimates of one truth with known errors: the interval holds the true ratio as often as it says.
    #[test]
    fn it_covers_what_it_claims() {
        const TRIALS: u32 = 20_000;
        let mut draws = Draws::new(11);
        for (base_sd, this_sd) in [(0.01, 0.01), (0.05, 0.002), (0.1, 0.2)] {
            let missed = (0..TRIALS).filter(|_| {
                let mut measured = |truth: f64, sd: f64| around(truth * (sd * draws.normal()).exp(), (1.96 * sd).exp());
                let found = ratio(&measured(18.7, base_sd), &measured(20.0, this_sd)).unwrap();
                !found.holds(20.0 / 18.7)
            });
            let missed = missed.count() as f64 / f64::from(TRIALS);
            assert!((0.045..0.055).contains(&missed), "{base_sd}, {this_sd}: {missed}");
        }
    }
}
