//! What a link of a chain takes, by a ruler of its own: a loop of this file, and the clock of the standard library. The harness that
//! is judged by it has no part in it.

use std::time::Instant;

use bench_harness::operation::{RULER_LINKS, ruler};
use chronoscope_harness::black_box;

/// Batches of a lap, and chains in each: a tenth of a millisecond, of which the clock's error is a few ten-thousandths.
const BATCHES: usize = 2_500;
const CHAINS: u32 = 12;
/// Batches of a part, which lasts through some ticks of a kernel's timer. The spread of parts says how well their mean is known. Parts
/// in which the thread lost its CPU are left out: harnesses leave out such iterations, or cannot tell.
const PART: usize = 100;
/// Half of a 99.9 % interval, in standard errors.
const NORMAL_999: f64 = 3.29;

/// What a link took, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    /// The mean, with what interrupted it: harnesses claim means, too.
    pub(crate) link_ns: f64,
    /// Half of its interval, as a share of it.
    pub(crate) error: f64,
    /// What interruptions took of the ruler's own time, as a share of it.
    pub(crate) interrupted: f64,
    /// How long an interruption still lasts at a moment within it, on average.
    pub(crate) residual_ns: f64,
}

/// One use of the ruler.
#[derive(Clone, Debug, PartialEq)]
struct Lap {
    /// Nanoseconds per link of every batch.
    batches_ns: Vec<f64>,
}

impl Ruler {
    /// Uses the ruler before and after `measure`: whatever a link took meanwhile, it took about that at both ends.
    pub(crate) fn around<T, E>(measure: impl FnOnce() -> Result<T, E>) -> Result<(T, Self), E> {
        let before = lap();
        let measured = measure()?;
        Ok((measured, Self::between(&before, &lap())))
    }

    fn between(a: &Lap, b: &Lap) -> Self {
        let link_ns = f64::midpoint(a.mean(), b.mean());
        let parts: Vec<f64> = [a, b].iter().flat_map(|lap| lap.parts()).collect();
        let square = parts.iter().map(|part| (part - link_ns).powi(2)).sum::<f64>();
        let standard_error = (square / (parts.len() as f64 - 1.0) / parts.len() as f64).sqrt();
        let error_ns = (NORMAL_999 * standard_error).max((a.mean() - b.mean()).abs() / 2.0);
        let middles = [a.middle(), b.middle()];
        let undisturbed_ns = f64::midpoint(middles[0], middles[1]);
        // What each batch took beyond the middle one of its lap: the sum, and that of the squares.
        let excess = [a, b]
            .into_iter()
            .zip(middles)
            .flat_map(|(lap, middle)| lap.batches_ns.iter().map(move |ns| (ns - middle).max(0.0)));
        let (whole, squares) = excess.fold((0.0, 0.0), |(whole, squares), ns| (whole + ns, squares + ns * ns));
        let residual_ns = if whole > 0.0 { squares / (2.0 * whole) } else { 0.0 };
        Self {
            link_ns,
            error: error_ns / link_ns,
            interrupted: (link_ns / undisturbed_ns - 1.0).max(0.0),
            residual_ns: residual_ns * f64::from(CHAINS * RULER_LINKS),
        }
    }
}

impl Lap {
    fn mean(&self) -> f64 {
        mean(&self.batches_ns)
    }

    fn middle(&self) -> f64 {
        let mut sorted = self.batches_ns.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }

    fn parts(&self) -> impl Iterator<Item = f64> {
        self.batches_ns.chunks(PART).map(mean)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
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
    let parts: Vec<(bool, Vec<f64>)> = (0..BATCHES / PART)
        .map(|_| {
            let before = preemptions();
            let part = (0..PART).map(|_| batch()).collect();
            (preemptions() == before, part)
        })
        .collect();
    kept(parts)
}

/// The parts that kept their CPU; all of them if none did.
fn kept(parts: Vec<(bool, Vec<f64>)>) -> Lap {
    let has_kept = parts.iter().any(|(is_whole, _)| *is_whole);
    let kept = parts.into_iter().filter(|(is_whole, _)| *is_whole || !has_kept);
    Lap { batches_ns: kept.flat_map(|(_, part)| part).collect() }
}

/// How often this thread has lost its CPU to another. None if the kernel does not say.
fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lap of batches that take `ns` per link, and every so many `more`.
    fn of(ns: f64, every: usize, more: f64) -> Lap {
        Lap { batches_ns: (0..BATCHES).map(|at| if at % every == every / 2 { ns + more } else { ns }).collect() }
    }

    #[test]
    fn what_a_link_takes_is_the_mean_with_what_interrupts_it() {
        let found = Ruler::between(&of(1.0, 10, 0.1), &of(1.0, 10, 0.1));
        assert!((found.link_ns - 1.01).abs() < 1e-9 && (found.interrupted - 0.01).abs() < 1e-9, "{found:?}");
        assert!(found.error < 1e-9, "every part is interrupted alike: {found:?}");
        // Half of a tenth of a nanosecond per link.
        let half_ns = 0.05 * f64::from(CHAINS * RULER_LINKS);
        assert!((found.residual_ns - half_ns).abs() < 1e-6 * half_ns, "{found:?}");
    }

    #[test]
    fn what_changes_between_two_laps_is_left_open() {
        let found = Ruler::between(&of(1.0, 10, 0.0), &of(1.1, 10, 0.0));
        assert!((found.link_ns - 1.05).abs() < 1e-9 && found.error * found.link_ns > 0.0499, "{found:?}");
    }

    #[test]
    fn rare_interruptions_leave_more_open_than_regular_ones() {
        let (regular, rare) = (of(1.0, 10, 0.1), of(1.0, 1_000, 10.0));
        let [regular, rare] = [regular, rare].map(|lap| Ruler::between(&lap, &lap));
        assert!(rare.error > 0.01 && rare.error > 100.0 * regular.error, "{regular:?} {rare:?}");
        assert!(rare.residual_ns > 50.0 * regular.residual_ns, "{regular:?} {rare:?}");
    }

    #[test]
    fn a_steady_ruler_was_not_interrupted() {
        let found = Ruler::between(&of(1.0, 10, 0.0), &of(1.0, 10, 0.0));
        assert_eq!((found.interrupted, found.residual_ns, found.error), (0.0, 0.0, 0.0));
    }

    #[test]
    fn parts_that_lost_their_cpu_are_left_out() {
        let parts = |first: bool, second: bool| vec![(first, vec![1.0; PART]), (second, vec![9.0; PART])];
        assert_eq!(kept(parts(true, false)).mean(), 1.0);
        assert_eq!(kept(parts(false, false)).mean(), 5.0, "there is nothing else");
        assert!(preemptions().is_some());
    }

    #[test]
    fn a_lap_takes_time() {
        assert!(lap().batches_ns.iter().all(|ns| *ns > 0.0));
    }
}
