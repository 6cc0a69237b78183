/// How throughput grows with threads: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalability {
    /// Throughput of one thread, in the unit given.
    pub lambda: f64,
    /// Contention: the share that is done by one thread at a time. At least 0.
    pub sigma: f64,
    /// Coherency: what each pair of threads costs. At least 0.
    pub kappa: f64,
    /// The number of threads, not rounded, past which throughput falls; 1 if it falls from the first. None if it never
    /// does.
    pub peak_threads: Option<f64>,
}

/// Fits N. Gunther's law to points (threads, throughput), which should have no more threads than CPUs: past those the
/// scheduler's law holds. None for fewer than three distinct numbers of threads, or if the points are so far from the
/// law that one thread's throughput would be infinite.
///
/// N/X is linear in 1/λ, σ/λ and κ/λ; their least squares weigh each point by its throughput squared, so that relative
/// errors count. None of them may be negative: the nearest fit that leaves out none, one or two is the constrained one.
/// Points count if N is at least 1 and X is above 0.
///
/// # Sources
/// N. J. Gunther, "Guerrilla Capacity Planning", 2007, ch. 4 to 6, for the universal scalability law and its peak at
/// √((1 − σ)/κ). Here λ is fitted too and not fixed by the point of one thread.
///
/// # Examples
/// ```
/// use chronoscope_harness::stats::usl;
///
/// let x = |n: f64| 50.0 * n / (1.0 + 0.1 * (n - 1.0) + 0.01 * n * (n - 1.0));
/// let found = usl(&[1.0, 2.0, 4.0, 8.0].map(|n| (n, x(n)))).unwrap();
/// assert!((found.lambda - 50.0).abs() < 1e-6);
/// assert!((found.sigma - 0.1).abs() < 1e-6 && (found.kappa - 0.01).abs() < 1e-6);
/// assert!((found.peak_threads.unwrap() - 90.0_f64.sqrt()).abs() < 1e-3);
/// ```
pub fn usl(points: &[(f64, f64)]) -> Option<Scalability> {
    let points: Vec<(f64, f64)> =
        points.iter().copied().filter(|(n, x)| n.is_finite() && x.is_finite() && *n >= 1.0 && *x > 0.0).collect();
    let mut threads: Vec<f64> = points.iter().map(|(n, _)| *n).collect();
    threads.sort_by(f64::total_cmp);
    threads.dedup();
    if threads.len() < 3 {
        return None;
    }
    let most = *threads.last()?;
    // In units of the largest throughput, for the sake of the pivots.
    let unit = points.iter().map(|(_, x)| *x).fold(0.0, f64::max);
    let rows: Vec<Row> = points
        .iter()
        .map(|(n, x)| {
            // Divided by N/X, the value itself: each row's error is relative.
            let per = x / unit / n;
            Row { columns: [per, per * (n - 1.0), per * n * (n - 1.0)], value: 1.0 }
        })
        .collect();
    let [base, contention, coherency] = (1..8_u8)
        .filter_map(|used| solve(&rows, [0, 1, 2].map(|bit| used >> bit & 1 == 1)))
        .filter(|fit| fit.iter().all(|unknown| *unknown >= 0.0))
        .min_by(|one, other| misfit(&rows, one).total_cmp(&misfit(&rows, other)))?;
    if base <= 0.0 {
        return None;
    }

    // What is lost in rounding at the most threads seen is none.
    const ROUNDING: f64 = 1e-9;
    let sigma = contention / base;
    let sigma = if sigma * most < ROUNDING { 0.0 } else { sigma };
    let kappa = coherency / base;
    let kappa = if kappa * most * most < ROUNDING { 0.0 } else { kappa };
    let peak_threads = if sigma > 1.0 || (sigma == 1.0 && kappa > 0.0) {
        Some(1.0)
    } else if kappa > 0.0 {
        Some(((1.0 - sigma) / kappa).sqrt().max(1.0))
    } else {
        None
    };
    let lambda = unit / base;
    (lambda.is_finite() && sigma.is_finite() && kappa.is_finite()).then_some(Scalability {
        lambda,
        sigma,
        kappa,
        peak_threads,
    })
}

/// One equation: columns times the unknowns is the value.
struct Row {
    columns: [f64; 3],
    value: f64,
}

fn misfit(rows: &[Row], fit: &[f64; 3]) -> f64 {
    rows.iter()
        .map(|row| {
            let fitted: f64 = row.columns.iter().zip(fit).map(|(column, unknown)| column * unknown).sum();
            (row.value - fitted).powi(2)
        })
        .sum()
}

/// Least squares by Gram-Schmidt over the columns in use; the others get 0. None if they are not independent.
fn solve(rows: &[Row], used: [bool; 3]) -> Option<[f64; 3]> {
    const DEPENDENT: f64 = 1e-12;
    let column = |i: usize| rows.iter().map(|row| row.columns[i]).collect::<Vec<f64>>();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // Orthogonal columns with what each original took of the ones before it.
    let mut basis: Vec<(usize, Vec<f64>, [f64; 3])> = Vec::new();
    for i in (0..3).filter(|i| used[*i]) {
        let mut own = column(i);
        let size = dot(&own, &own);
        let mut taken = [0.0; 3];
        for (before, direction, _) in &basis {
            let share = dot(direction, &own) / dot(direction, direction);
            own.iter_mut().zip(direction).for_each(|(own, direction)| *own -= share * direction);
            taken[*before] = share;
        }
        let left = dot(&own, &own);
        if !left.is_finite() || left <= size * DEPENDENT {
            return None;
        }
        basis.push((i, own, taken));
    }
    let mut rest: Vec<f64> = rows.iter().map(|row| row.value).collect();
    let mut fit = [0.0; 3];
    for (i, direction, _) in &basis {
        let share = dot(direction, &rest) / dot(direction, direction);
        rest.iter_mut().zip(direction).for_each(|(rest, direction)| *rest -= share * direction);
        fit[*i] = share;
    }
    for (i, _, taken) in basis.iter().rev() {
        for before in 0..*i {
            fit[before] -= taken[before] * fit[*i];
        }
    }
    Some(fit)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use proptest::prelude::*;

    fn law(n: f64, lambda: f64, sigma: f64, kappa: f64) -> f64 {
        lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
    }

    #[test]
    fn noise_moves_the_fit_a_little() {
        let mut random = Random::new(91);
        for _ in 0..100 {
            let points: Vec<(f64, f64)> = (1..=16)
                .map(f64::from)
                .map(|n| (n, law(n, 1e6, 0.1, 0.005) * (1.0 + 0.01 * random.normal())))
                .collect();
            let found = usl(&points).unwrap();
            assert!((found.lambda / 1e6 - 1.0).abs() < 0.05 && (found.sigma - 0.1).abs() < 0.05);
            assert!((found.kappa - 0.005).abs() < 0.003, "{found:?}");
        }
    }

    #[test]
    fn edges_of_the_law() {
        let at = |sigma: f64, kappa: f64| usl(&[1.0, 2.0, 3.0, 4.0].map(|n| (n, law(n, 7.0, sigma, kappa)))).unwrap();
        assert_eq!(at(0.0, 0.0).peak_threads, None);
        assert_eq!(at(0.5, 0.0).peak_threads, None);
        assert_eq!(at(2.0, 0.0).peak_threads, Some(1.0));
        assert!((at(0.0, 0.04).peak_threads.unwrap() - 5.0).abs() < 1e-6);
        // Better than linear is fitted as linear.
        let found = usl(&[(1.0, 10.0), (2.0, 22.0), (4.0, 48.0)]).unwrap();
        assert_eq!((found.sigma, found.kappa, found.peak_threads), (0.0, 0.0, None));
        assert_eq!(usl(&[(1.0, 1.0), (2.0, 2.0), (2.0, 2.1), (f64::NAN, 1.0), (3.0, 0.0)]), None);
    }

    proptest! {
        #[test]
        fn exact_points_are_recovered(lambda in 1e-3_f64..1e9, sigma in 0.0_f64..1.5, kappa in 0.0_f64..0.5) {
            let points: Vec<(f64, f64)> = [1.0, 2.0, 3.0, 6.0, 8.0].map(|n| (n, law(n, lambda, sigma, kappa))).to_vec();
            let found = usl(&points).unwrap();
            prop_assert!((found.lambda / lambda - 1.0).abs() < 1e-6);
            prop_assert!((found.sigma - sigma).abs() < 1e-6 && (found.kappa - kappa).abs() < 1e-6);
        }

        #[test]
        fn constraints_hold_and_nothing_panics(
            points in prop::collection::vec(
                prop_oneof![(any::<f64>(), any::<f64>()), (1.0_f64..64.0, 0.1_f64..1e6)], 0..12,
            ),
        ) {
            if let Some(found) = usl(&points) {
                prop_assert!(found.lambda > 0.0 && found.sigma >= 0.0 && found.kappa >= 0.0);
                prop_assert!(found.peak_threads.is_none_or(|peak| peak >= 1.0));
            }
        }

        #[test]
        fn no_feasible_neighbour_is_nearer(
            throughputs in prop::collection::vec(1.0_f64..100.0, 5), moves in prop::array::uniform3(-0.2_f64..0.2),
        ) {
            let points: Vec<(f64, f64)> = (1..).map(f64::from).zip(throughputs).collect();
            let Some(found) = usl(&points) else { return Ok(()) };
            let relative = |lambda: f64, sigma: f64, kappa: f64| {
                points.iter().map(|(n, x)| (x / law(*n, lambda, sigma, kappa) - 1.0).powi(2)).sum::<f64>()
            };
            let best = relative(found.lambda, found.sigma, found.kappa);
            let lambda = found.lambda * (1.0 + moves[0]);
            let (sigma, kappa) = ((found.sigma + moves[1]).max(0.0), (found.kappa + moves[2]).max(0.0));
            prop_assert!(best <= relative(lambda, sigma, kappa) + 1e-9);
        }
    }
}
