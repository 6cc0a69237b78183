//! What a link of a chain takes, by a ruler of its own: a loop of this file, and the clock of the standard library. The harness that
//! is judged by it has no part in it.

use std::time::Instant;

use bench_harness::operation::{RULER_LINKS, ruler};
use chronoscope_harness::black_box;

/// Batches of a lap, and chains in each: a tenth of a millisecond, of which the clock's error is a few ten-thousandths.
const BATCHES: usize = 400;
const CHAINS: u32 = 12;
/// The value is the median batch; what lies between these quantiles is left open. Beyond them are batches in which something else
/// ran, which a harness leaves out, too.
const LEFT_OPEN: (f64, f64) = (0.05, 0.75);

/// What a link took, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    pub(crate) link_ns: f64,
    /// Half of what the ruler leaves open, as a share of it.
    pub(crate) error: f64,
}

/// One use of the ruler, in nanoseconds per link.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lap {
    low: f64,
    middle: f64,
    high: f64,
}

impl Ruler {
    /// Uses the ruler before and after `measure`: whatever a link took meanwhile, it took about that at both ends.
    pub(crate) fn around<T, E>(measure: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        let before = lap();
        let measured = measure()?;
        Ok((measured, Self::between(before, lap())))
    }

    fn between(a: Lap, b: Lap) -> Self {
        let (low, high) = (a.low.min(b.low), a.high.max(b.high));
        let link_ns = f64::midpoint(a.middle, b.middle);
        Self { link_ns, error: (high - link_ns).max(link_ns - low) / link_ns }
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
    Lap { low: quantile(LEFT_OPEN.0), middle: quantile(0.5), high: quantile(LEFT_OPEN.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_between_two_laps_is_left_open() {
        let lap = |at: f64| Lap { low: at - 0.001, middle: at, high: at + 0.002 };
        let steady = Ruler::between(lap(1.0), lap(1.0));
        assert!((steady.link_ns - 1.0).abs() < 1e-12 && (steady.error - 0.002).abs() < 1e-12);
        let moved = Ruler::between(lap(1.0), lap(1.1));
        assert!((moved.link_ns - 1.05).abs() < 1e-12 && moved.error > 0.049, "{moved:?}");
    }

    #[test]
    fn a_few_disturbed_batches_do_not_count_and_many_leave_much_open() {
        let disturbed = |every: i32| {
            summed_up((0..100).map(|at| if at % every == 0 { 9.0 } else { 1.0 + f64::from(at) * 1e-5 }).collect())
        };
        assert!(disturbed(5).high < 1.001, "{:?}", disturbed(5));
        assert!(disturbed(3).high > 8.0, "{:?}", disturbed(3));
    }

    #[test]
    fn a_lap_takes_time() {
        let found = lap();
        assert!(found.low > 0.0 && found.low <= found.middle && found.middle <= found.high);
    }
}
