//! What operations take, by a ruler of its own: a loop of this file, and the clock of the standard library. It shares with the harness
//! that is judged by it the operation itself, the processes of a study, and the moments.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

use bench_common::Failure;
use bench_common::process::failed;
use bench_common::value::median;
use chronoscope_harness::black_box;
use chronoscope_harness::stats::{CONFIDENCE, median_interval};
use tempfile::Builder;

use crate::operation::{RULER_LINKS, ruler};

/// Chains in a batch: a tenth of a millisecond, of which the clock's error is a few ten-thousandths.
const CHAINS: u32 = 12;
/// Batches timed before each iteration.
const ITERATION_BATCHES: usize = 20;
/// With fewer processes, the range of what they say is no interval of 95 %.
const FEWEST_PROCESSES: usize = 6;
/// The place of `starttime` in `/proc/PID/stat`, after the program's name.
const BEGAN_FIELD: usize = 19;
const FILE: &str = "the ruler's file";
/// The operation that a chain is made of.
pub(crate) const LINK: &str = "link";

/// What every operation took that was sampled.
pub(crate) type Rulers = BTreeMap<String, Ruler>;

/// What an operation took, with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ruler {
    /// The median over processes of each one's median batch: what it typically takes.
    pub(crate) ns: f64,
    /// Half of its 99.9 % interval, as a share of it.
    pub(crate) error: f64,
    /// What interruptions took of the ruler's own time, as a share of it.
    pub(crate) interrupted: f64,
}

/// One use of the ruler: nanoseconds per operation of every batch.
type Lap = Vec<f64>;

impl Ruler {
    /// What the laps of several processes say together. None without any.
    fn of_processes(laps: &[Lap]) -> Option<Self> {
        let middles: Vec<f64> = laps.iter().filter_map(|lap| median(lap.iter().copied())).collect();
        let found = median_interval(&middles, CONFIDENCE)?;
        let excess = laps.iter().zip(&middles).map(|(lap, middle)| mean(lap) / middle - 1.0);
        Some(Self {
            ns: found.estimate,
            error: found.half_width() / found.estimate,
            interrupted: mean(&excess.collect::<Vec<f64>>()).max(0.0),
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What the ruler measured before one iteration of a worker process: its number, the operation, and the batches.
type IterationSample = (u32, String, Lap);

/// Runs `study`, whose cases [`sample`] their operations before each iteration. Each worker process yields one lap of each.
pub(crate) fn within<T>(study: impl FnOnce() -> Result<T, Failure>) -> Result<(T, Rulers), Failure> {
    let file = Builder::new().prefix(&name(std::process::id())).rand_bytes(0).tempfile().map_err(failed(FILE))?;
    let measured = study()?;
    let text = std::fs::read_to_string(file.path()).map_err(failed(FILE))?;
    let rulers = rulers(&text).map_err(failed(FILE))?;
    if rulers.is_empty() {
        return Err(Failure::run(format!("fewer than {FEWEST_PROCESSES} processes used the ruler")));
    }
    Ok((measured, rulers))
}

/// Of operations that enough processes sampled.
fn rulers(text: &str) -> serde_json::Result<Rulers> {
    let mut laps = BTreeMap::<String, BTreeMap<u32, Lap>>::new();
    for line in text.lines() {
        let (process, operation, batches_ns): IterationSample = serde_json::from_str(line)?;
        laps.entry(operation).or_default().entry(process).or_default().extend(batches_ns);
    }
    let of_processes = |(operation, laps): (String, BTreeMap<u32, Lap>)| {
        let laps: Vec<Lap> = laps.into_values().collect();
        Some((operation, Ruler::of_processes(&laps).filter(|_| laps.len() >= FEWEST_PROCESSES)?))
    };
    Ok(laps.into_iter().filter_map(of_processes).collect())
}

/// Times so many batches of an operation if the parent process is running [`within`]; otherwise returns at once.
pub(crate) fn sample(operation: &str, batches: usize, mut batch_ns: impl FnMut() -> f64) {
    let path = std::env::temp_dir().join(name(std::os::unix::process::parent_id()));
    let Ok(mut file) = OpenOptions::new().append(true).open(path) else { return };
    // The first wakes the core.
    batch_ns();
    let lap: Lap = (0..batches).map(|_| batch_ns()).collect();
    let line = serde_json::to_string(&(std::process::id(), operation, lap)).map_err(std::io::Error::from);
    let written = line.and_then(|line| file.write_all(format!("{line}\n").as_bytes()));
    assert!(written.is_ok(), "the ruler's file: {written:?}");
}

/// The same of the link of a chain.
pub(crate) fn sample_links() {
    let mut value = 1;
    sample(LINK, ITERATION_BATCHES, || {
        let began = Instant::now();
        for _ in 0..CHAINS {
            value = ruler(value);
        }
        let took = began.elapsed();
        black_box(value);
        took.as_nanos() as f64 / f64::from(CHAINS * RULER_LINKS)
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_link_takes_is_typical_whatever_interrupts_it() {
        // Every tenth batch is longer.
        let lap: Lap = (0..2_500).map(|at| if at % 10 == 5 { 1.1 } else { 1.0 }).collect();
        let found = Ruler::of_processes(&vec![lap; 12]).unwrap();
        assert_eq!((found.ns, found.error), (1.0, 0.0));
        assert!((found.interrupted - 0.01).abs() < 1e-9, "{found:?}");
        assert_eq!(Ruler::of_processes(&[]), None);
    }

    #[test]
    fn laps_leave_open_what_their_range_does() {
        let laps: Vec<Lap> = (0..11).map(|at| vec![1.0 + 0.01 * f64::from(at); 3]).collect();
        let found = Ruler::of_processes(&laps).unwrap();
        assert!((found.ns - 1.05).abs() < 1e-9 && (found.error - 0.05 / 1.05).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn the_samples_of_each_process_are_one_lap() {
        let file = Builder::new().prefix(&name(std::os::unix::process::parent_id())).rand_bytes(0).tempfile().unwrap();
        sample_links();
        sample("two", 3, || 2.0);
        let text = std::fs::read_to_string(file.path()).unwrap();
        let of = |process: usize| text.replace(&format!("[{},", std::process::id()), &format!("[{process},"));
        let all: String = (1..=FEWEST_PROCESSES).map(of).collect();
        let found = rulers(&all).unwrap();
        assert_eq!(found["two"], Ruler { ns: 2.0, error: 0.0, interrupted: 0.0 });
        assert!(found[LINK].ns > 0.0, "{found:?}");
        assert!(rulers(&text).unwrap().is_empty(), "one process is too few");
        drop(file);
        sample_links();
        assert!(within(|| Ok(())).is_err(), "no process used the ruler");
        assert!(rulers("{").is_err());
    }
}
