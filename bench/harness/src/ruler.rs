//! What a link of a chain takes, by a ruler of its own: a loop of this file, and the clock of the standard library. It shares with the
//! harness that is judged by it the chain itself and, within a study, the processes and the moments.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

use bench_common::Failure;
use bench_common::process::failed;
use bench_common::value::median;
use chronoscope_harness::black_box;
use statrs::distribution::{ContinuousCDF, StudentsT};
use tempfile::Builder;

use crate::operation::{RULER_LINKS, ruler};

/// Chains in a batch: a tenth of a millisecond, of which the clock's error is a few ten-thousandths.
const CHAINS: u32 = 12;
/// Batches of a part, which lasts through some ticks of a kernel's timer. The spread of parts says how well their mean is known. Parts
/// in which the thread lost its CPU are left out: harnesses leave out such iterations, or cannot tell.
const PART: usize = 100;
/// Batches timed before each iteration.
const ITERATION_BATCHES: usize = 20;
/// With fewer processes, Student's t leaves so much open that every claim holds.
const FEWEST_PROCESSES: usize = 3;
/// The place of `starttime` in `/proc/PID/stat`, after the program's name.
const BEGAN_FIELD: usize = 19;
const FILE: &str = "the ruler's file";
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

/// One use of the ruler: nanoseconds per link of every batch.
type Lap = Vec<f64>;

impl Ruler {
    /// What the laps of several processes say together: how far apart they are says how well their mean is known, by Student's t.
    fn of_processes(laps: &[Lap]) -> Self {
        let means: Vec<f64> = laps.iter().map(|lap| mean(lap)).collect();
        let freedom = means.len().saturating_sub(1).max(1) as f64;
        let half_999 = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.9995));
        Self::of(laps, half_999 * standard_error(&means))
    }

    /// The mean of `laps`, of which at least `between_ns` is left open, and at least what the spread of their parts says.
    fn of(laps: &[Lap], between_ns: f64) -> Self {
        let link_ns = mean(&laps.iter().map(|lap| mean(lap)).collect::<Vec<_>>());
        let parts: Vec<f64> = laps.iter().flat_map(|lap| lap.chunks(PART).map(mean)).collect();
        let error_ns = (NORMAL_999 * standard_error(&parts)).max(between_ns);
        let middles: Vec<f64> = laps.iter().map(|lap| median(lap.iter().copied()).unwrap_or(f64::NAN)).collect();
        let undisturbed_ns = mean(&middles);
        // What each batch took beyond the middle one of its lap: the sum, and that of the squares.
        let excess =
            laps.iter().zip(&middles).flat_map(|(lap, middle)| lap.iter().map(move |ns| (ns - middle).max(0.0)));
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

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let (mean, count) = (mean(values), values.len() as f64);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt()
}

/// What the ruler measured before one iteration of a worker process: its number, whether it kept its CPU, and the batches.
type IterationSample = (u32, bool, Vec<f64>);

/// Runs `study`, whose cases call [`sample_iteration`] before each iteration. Each worker process yields one lap.
pub(crate) fn within<T>(study: impl FnOnce() -> Result<T, Failure>) -> Result<(T, Ruler), Failure> {
    let file = Builder::new().prefix(&name(std::process::id())).rand_bytes(0).tempfile().map_err(failed(FILE))?;
    let measured = study()?;
    let text = std::fs::read_to_string(file.path()).map_err(failed(FILE))?;
    let laps = laps(&text).map_err(failed(FILE))?;
    if laps.len() < FEWEST_PROCESSES {
        return Err(Failure::run(format!("the ruler was used in {} processes of the study only", laps.len())));
    }
    Ok((measured, Ruler::of_processes(&laps)))
}

fn laps(text: &str) -> serde_json::Result<Vec<Lap>> {
    let mut processes = BTreeMap::<u32, Vec<(bool, Vec<f64>)>>::new();
    for line in text.lines() {
        let (process, is_whole, batches_ns): IterationSample = serde_json::from_str(line)?;
        processes.entry(process).or_default().push((is_whole, batches_ns));
    }
    Ok(processes.into_values().map(kept).collect())
}

/// Times [`ITERATION_BATCHES`] batches if the parent process is running [`within`]; otherwise returns at once.
pub(crate) fn sample_iteration() {
    let path = std::env::temp_dir().join(name(std::os::unix::process::parent_id()));
    let Ok(mut file) = OpenOptions::new().append(true).open(path) else { return };
    let (is_whole, batches_ns) = part(ITERATION_BATCHES);
    let line = serde_json::to_string(&(std::process::id(), is_whole, batches_ns)).map_err(std::io::Error::from);
    let written = line.and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
    assert!(written.is_ok(), "the ruler's file: {written:?}");
}

/// The name of the file to which the worker processes of `parent` append their samples. The process ID and its start time, in ticks
/// since boot, make it unique.
fn name(parent: u32) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may have spaces.
    let after_name = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let began = after_name.split_whitespace().nth(BEGAN_FIELD).unwrap_or("0");
    format!("bench-harness-ruler-{parent}-{began}")
}

/// So many batches, and whether the thread kept its CPU in them.
fn part(batches: usize) -> (bool, Vec<f64>) {
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
    let before = preemptions();
    // The first wakes the core.
    batch();
    let part = (0..batches).map(|_| batch()).collect();
    (preemptions() == before, part)
}

/// The parts that kept their CPU; all of them if none did.
fn kept(parts: Vec<(bool, Vec<f64>)>) -> Lap {
    let has_kept = parts.iter().any(|(is_whole, _)| *is_whole);
    let kept = parts.into_iter().filter(|(is_whole, _)| *is_whole || !has_kept);
    kept.flat_map(|(_, part)| part).collect()
}

/// How often this thread has lost its CPU to another. None if the kernel does not say.
fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCHES: usize = 2_500;

    /// A lap of batches that take `ns` per link, and every so many `more`.
    fn of(ns: f64, every: usize, more: f64) -> Lap {
        (0..BATCHES).map(|at| if at % every == every / 2 { ns + more } else { ns }).collect()
    }

    #[test]
    fn what_a_link_takes_is_the_mean_with_what_interrupts_it() {
        let found = Ruler::of(&[of(1.0, 10, 0.1), of(1.0, 10, 0.1)], 0.0);
        assert!((found.link_ns - 1.01).abs() < 1e-9 && (found.interrupted - 0.01).abs() < 1e-9, "{found:?}");
        assert!(found.error < 1e-9, "every part is interrupted alike: {found:?}");
        // Half of a tenth of a nanosecond per link.
        let half_ns = 0.05 * f64::from(CHAINS * RULER_LINKS);
        assert!((found.residual_ns - half_ns).abs() < 1e-6 * half_ns, "{found:?}");
        let steady = Ruler::of(&[of(1.0, 10, 0.0), of(1.0, 10, 0.0)], 0.0);
        assert_eq!((steady.interrupted, steady.residual_ns, steady.error), (0.0, 0.0, 0.0));
    }

    #[test]
    fn rare_interruptions_leave_more_open_than_regular_ones() {
        let (regular, rare) = (of(1.0, 10, 0.1), of(1.0, 1_000, 10.0));
        let [regular, rare] = [regular, rare].map(|lap| Ruler::of(&[lap.clone(), lap], 0.0));
        assert!(rare.error > 0.01 && rare.error > 100.0 * regular.error, "{regular:?} {rare:?}");
        assert!(rare.residual_ns > 50.0 * regular.residual_ns, "{regular:?} {rare:?}");
    }

    #[test]
    fn parts_that_lost_their_cpu_are_left_out() {
        let parts = |first: bool, second: bool| vec![(first, vec![1.0; PART]), (second, vec![9.0; PART])];
        assert_eq!(mean(&kept(parts(true, false))), 1.0);
        assert_eq!(mean(&kept(parts(false, false))), 5.0, "there is nothing else");
        assert!(preemptions().is_some());
    }

    #[test]
    fn many_laps_leave_open_what_their_spread_does() {
        let laps: Vec<Lap> = (0..12).map(|at| of(1.0 + 0.01 * f64::from(at % 2), 10, 0.0)).collect();
        let found = Ruler::of_processes(&laps);
        // The standard deviation is 0.00522, and Student's t of 11 degrees of freedom is 4.437.
        let error_ns = 4.437 * 0.005_222 / 12.0_f64.sqrt();
        assert!((found.error * found.link_ns - error_ns).abs() < 1e-5, "{found:?}, not {error_ns}");
    }

    #[test]
    fn the_samples_of_each_process_are_one_lap() {
        let file = Builder::new().prefix(&name(std::os::unix::process::parent_id())).rand_bytes(0).tempfile().unwrap();
        sample_iteration();
        sample_iteration();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let of_another = text.lines().next().unwrap().replace(&format!("[{},", std::process::id()), "[0,");
        let found = laps(&format!("{text}{of_another}\n")).unwrap();
        assert_eq!(found.len(), 2, "{text}");
        assert!(found.iter().all(|lap| lap.len() % ITERATION_BATCHES == 0 && mean(lap) > 0.0), "{found:?}");
        drop(file);
        sample_iteration();
        assert!(within(|| Ok(())).is_err(), "no process used the ruler");
        assert!(laps("{").is_err());
    }
}
