//! Tails of the distributions that intervals and tests rest on.
//!
//! Sources: NIST Digital Library of Mathematical Functions, 8.17(i) and 8.17(v) (binomial and Student's distributions by the incomplete
//! beta function), 7.17 (the normal one by the error function).

use std::f64::consts::SQRT_2;

// Of the special functions alone; a crate of whole distributions takes four crates more.
use special::{Beta, Error};

/// The probability that a normal value is larger than `z`.
pub(super) fn normal(z: f64) -> f64 {
    (z / SQRT_2).compl_error() / 2.0
}

/// What a normal value is larger than with probability `tail`, up to a half.
pub(super) fn normal_quantile(tail: f64) -> f64 {
    SQRT_2 * (1.0 - 2.0 * tail).inv_error()
}

/// Student's distribution.
pub(super) struct Student {
    freedom: f64,
    ln_beta: f64,
}

impl Student {
    pub(super) fn new(freedom: f64) -> Self {
        Self { freedom, ln_beta: (freedom / 2.0).ln_beta(0.5) }
    }

    /// The probability of more than `t`, which is not negative.
    pub(super) fn tail(&self, t: f64) -> f64 {
        (self.freedom / (self.freedom + t * t)).inc_beta(self.freedom / 2.0, 0.5, self.ln_beta) / 2.0
    }

    pub(super) fn density(&self, t: f64) -> f64 {
        let power = (self.freedom + 1.0) / 2.0 * (t * t / self.freedom).ln_1p();
        (-power - self.ln_beta).exp() / self.freedom.sqrt()
    }
}

/// The probability that fewer than `k` of `n` coins show heads; `k` is 1 to `n`.
pub(super) fn coins(n: usize, k: usize) -> f64 {
    let (tails, heads) = ((n - k + 1) as f64, k as f64);
    0.5.inc_beta(tails, heads, tails.ln_beta(heads))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, Continuous, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

    fn close(ours: f64, theirs: f64) -> bool {
        (ours - theirs).abs() <= 1e-8 * theirs.abs() + 1e-15
    }

    proptest! {
        #[test]
        fn as_another_library_has_them(
            z in 0.0_f64..30.0, tail in 1e-9_f64..0.5, freedom in 1.0_f64..1e6, n in 1_usize..2000, share in 0.0_f64..1.0,
        ) {
            let standard = Normal::new(0.0, 1.0).unwrap();
            prop_assert!(close(normal(z), standard.sf(z)), "{} {}", normal(z), standard.sf(z));
            let quantile = -standard.inverse_cdf(tail);
            prop_assert!((normal_quantile(tail) - quantile).abs() < 1e-7, "{} {quantile}", normal_quantile(tail));
            let (ours, theirs) = (Student::new(freedom), StudentsT::new(0.0, 1.0, freedom).unwrap());
            prop_assert!(close(ours.tail(z), theirs.sf(z)), "{} {}", ours.tail(z), theirs.sf(z));
            prop_assert!(close(ours.density(z), theirs.pdf(z)), "{} {}", ours.density(z), theirs.pdf(z));
            let k = 1 + (share * (n - 1) as f64) as usize;
            let (ours, theirs) = (coins(n, k), Binomial::new(0.5, n as u64).unwrap().cdf(k as u64 - 1));
            prop_assert!(close(ours, theirs), "{ours} {theirs}");
        }
    }
}
