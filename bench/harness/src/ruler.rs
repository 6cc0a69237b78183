//! What a link of a chain takes, by a ruler of its own: a loop of this file, and the clock of the standard library. The harness that
//! is judged by it has no part in it.

use std::time::Instant;

use bench_harness::operation::{RULER_LINKS, ruler};
use chronoscope_harness::black_box;

/// Batches of a lap, and chains in each: a tenth of a millisecond, of which the clock's error is a few ten-thousandths; many, since
/// interruptions are rare and long.
const BATCHES: usize = 2_500;
const CHAINS: u32 = 12;
/// The value is the median batch; what lies between these quantiles is left open, and what the mean batch adds: interruptions. A
/// harness leaves some of them out, and others are part of its mean.
const LEFT_OPEN: (f64, f64) = (0.05, 0.75);

/// What a link took, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    pub(crate) link_ns: f64,
    /// What the ruler leaves open, on either side.
    pub(crate) low_ns: f64,
    pub(crate) high_ns: f64,
    /// What interruptions took of the ruler's own time, as a share of it.
    pub(crate) interrupted: f64,
}

/// One use of the ruler, in nanoseconds per link.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lap {
    low: f64,
    middle: f64,
    high: f64,
    mean: f64,
}

impl Ruler {
    /// Uses the ruler before and after `measure`: whatever a link took meanwhile, it took about that at both ends.
    pub(crate) fn around<T, E>(measure: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        let before = lap();
        let measured = measure()?;
        Ok((measured, Self::between(before, lap())))
    }

    fn between(a: Lap, b: Lap) -> Self {
        let mean = f64::midpoint(a.mean, b.mean);
        let link_ns = f64::midpoint(a.middle, b.middle);
        Self {
            link_ns,
            low_ns: a.low.min(b.low),
            high_ns: a.high.max(b.high).max(mean),
            interrupted: (mean / link_ns - 1.0).max(0.0),
        }
    }
}

fn lap() -> Lap {
    let mut value = 1;
    let mut batch = || {
        let began = Instant::now();
        for _ in 0..CHAINS {
            value = ruler(value);
        }
        let took = began.elapsed();
        black_box(value);
        took.as_nanos() as f64 / f64::from(CHAINS * RULER_LINKS)
    };
    // The first wakes the core.
    batch();
    summed_up((0..BATCHES).map(|_| batch()).collect())
}

fn summed_up(mut batches_ns: Vec<f64>) -> Lap {
    batches_ns.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| batches_ns[((batches_ns.len() - 1) as f64 * share) as usize];
    let mean = batches_ns.iter().sum::<f64>() / batches_ns.len() as f64;
    Lap { low: quantile(LEFT_OPEN.0), middle: quantile(0.5), high: quantile(LEFT_OPEN.1), mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_between_two_laps_is_left_open() {
        let lap = |at: f64| Lap { low: at - 0.001, middle: at, high: at + 0.002, mean: at };
        let steady = Ruler::between(lap(1.0), lap(1.0));
        assert_eq!((steady.link_ns, steady.low_ns, steady.high_ns), (1.0, 0.999, 1.002));
        assert_eq!(steady.interrupted, 0.0);
        let moved = Ruler::between(lap(1.0), lap(1.1));
        assert!((moved.link_ns - 1.05).abs() < 1e-12, "{moved:?}");
        assert!(moved.low_ns < 1.0 && moved.high_ns > 1.1, "{moved:?}");
    }

    #[test]
    fn what_interruptions_add_is_left_open() {
        let lap = Lap { low: 0.999, middle: 1.0, high: 1.001, mean: 1.02 };
        let found = Ruler::between(lap, lap);
        assert!((found.high_ns - 1.02).abs() < 1e-12 && (found.interrupted - 0.02).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_few_disturbed_batches_do_not_move_the_middle() {
        let disturbed = |every: i32| {
            summed_up((0..100).map(|at| if at % every == 0 { 9.0 } else { 1.0 + f64::from(at) * 1e-5 }).collect())
        };
        assert!(disturbed(5).high < 1.001 && disturbed(5).mean > 2.0, "{:?}", disturbed(5));
        assert!(disturbed(3).middle < 1.001 && disturbed(3).high > 8.0, "{:?}", disturbed(3));
    }

    #[test]
    fn a_lap_takes_time() {
        let found = lap();
        assert!(found.low > 0.0 && found.low <= found.middle && found.middle <= found.high);
    }
}
