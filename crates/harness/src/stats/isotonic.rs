/// The nearest series that never rises, by weighted least squares: one fitted value for each given.
///
/// A missing weight counts as 1. Where the value is not finite or the weight not above 0, nothing is fitted: the place
/// takes the fit of the one before it (of the one after it at the start).
///
/// # Sources
/// M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid, E. Silverman, "An Empirical Distribution Function for Sampling with
/// Incomplete Information", Annals of Mathematical Statistics 26(4), 1955: pool adjacent violators.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::isotonic_falling;
///
/// // A cost that hides behind more and more work; the rise from 18 to 20 is noise.
/// let fitted = isotonic_falling(&[22.0, 18.0, 20.0, 7.0], &[1.0; 4]);
/// assert_eq!(fitted, [22.0, 19.0, 19.0, 7.0]);
/// ```
pub fn isotonic_falling(values: &[f64], weights: &[f64]) -> Vec<f64> {
    struct Block {
        fit: f64,
        weight: f64,
        /// The first index after it.
        to: usize,
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let weight = weights.get(i).copied().unwrap_or(1.0);
        if !(value.is_finite() && weight.is_finite() && weight > 0.0) {
            if let Some(last) = blocks.last_mut() {
                last.to = i + 1;
            }
            continue;
        }
        let mut block = Block { fit: *value, weight, to: i + 1 };
        while let Some(before) = blocks.pop_if(|before| before.fit < block.fit) {
            let together = before.weight + block.weight;
            block.fit = before.fit + (block.fit - before.fit) * (block.weight / together);
            block.weight = together;
        }
        blocks.push(block);
    }
    if blocks.is_empty() {
        return values.to_vec();
    }
    let mut fitted = Vec::with_capacity(values.len());
    for block in blocks {
        fitted.resize(block.to, block.fit);
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_without_a_value_take_their_neighbours() {
        let fitted = isotonic_falling(&[f64::NAN, 5.0, f64::INFINITY, 3.0, 9.0], &[1.0, 1.0, 1.0, 1.0, 0.0]);
        assert_eq!(fitted, [5.0, 5.0, 5.0, 3.0, 3.0]);
        assert_eq!(isotonic_falling(&[3.0, 1.0, 2.0], &[]), [3.0, 1.5, 1.5]);
        assert_eq!(isotonic_falling(&[], &[1.0]), [0.0; 0]);
        assert!(isotonic_falling(&[f64::NAN], &[])[0].is_nan());
    }

    proptest! {
        #[test]
        fn it_matches_the_min_max_formula(points in prop::collection::vec((-100.0_f64..100.0, 0.1_f64..10.0), 1..25)) {
            // Robertson, Wright, Dykstra: the fit at i is the min over starts of the max over ends, of weighted means;
            // for a falling fit min and max change places.
            let (values, weights): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
            let mean = |from: usize, to: usize| {
                let weight = weights[from..=to].iter().sum::<f64>();
                (from..=to).map(|i| values[i] * weights[i]).sum::<f64>() / weight
            };
            let fitted = isotonic_falling(&values, &weights);
            for (i, fit) in fitted.iter().enumerate() {
                let expected = (0..=i)
                    .map(|from| (i..values.len()).map(|to| mean(from, to)).fold(f64::NEG_INFINITY, f64::max))
                    .fold(f64::INFINITY, f64::min);
                prop_assert!((fit - expected).abs() < 1e-9, "{} for {}", fit, expected);
            }
        }

        #[test]
        fn it_never_rises(points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..25)) {
            let (values, weights): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
            let fitted = isotonic_falling(&values, &weights);
            prop_assert_eq!(fitted.len(), values.len());
            let counts = |(v, w): &(f64, f64)| v.is_finite() && *w > 0.0 && w.is_finite();
            if fitted.iter().all(|fit| fit.is_finite()) && points.iter().any(counts) {
                prop_assert!(fitted.windows(2).all(|pair| pair[0] >= pair[1]));
            }
        }
    }
}
