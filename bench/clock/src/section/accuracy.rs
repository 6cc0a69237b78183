//! Readings and rate against `CLOCK_MONOTONIC`, in processes of their own; idle, and with a CPU hog beside each.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use bench_common::process::{parse, sibling, stdout_of};
use serde::Serialize;

use crate::cpus;
use crate::failure::Failure;
use crate::hog::hog;
use crate::observed::Observed;
use crate::size::Size;
use crate::table;

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Accuracy {
    seconds: u64,
    window_seconds: u64,
    processes: Vec<Process>,
}

#[derive(Debug, Serialize)]
struct Process {
    is_hogged: bool,
    cpu: usize,
    observed: Observed,
}

/// What counts for the goals, under one load.
#[derive(Debug)]
pub(crate) struct Worst {
    pub(crate) checks: u64,
    pub(crate) outside: u64,
    pub(crate) worst_ns: u64,
    pub(crate) rate_error_ppm: f64,
}

pub(crate) fn measure(size: &Size) -> Result<Accuracy, Failure> {
    let mut processes = Vec::new();
    for (is_hogged, each) in [(false, size.accuracy_idle), (true, size.accuracy_hogged)] {
        let load = if is_hogged { "with a CPU hog" } else { "idle" };
        eprintln!("bench-clock: accuracy, {load}: {each} processes for {} s", size.accuracy_seconds);
        processes.extend(side_by_side(each, is_hogged, size)?);
    }
    Ok(Accuracy { seconds: size.accuracy_seconds, window_seconds: size.accuracy_window_seconds, processes })
}

/// `each` processes at once. They sleep nearly all the time and hardly meet; with `is_hogged`, every CPU in use has a
/// thread that never sleeps.
fn side_by_side(each: usize, is_hogged: bool, size: &Size) -> Result<Vec<Process>, Failure> {
    let cpus = cpus::allowed()?;
    let program = sibling("accuracy")?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let hogs: Vec<_> = cpus
            .iter()
            .take(if is_hogged { each } else { 0 })
            .map(|cpu| scope.spawn(|| cpus::bind(*cpu).map(|()| hog(&stop))))
            .collect();
        let start = |cpu: &usize| {
            let mut command = Command::new(&program);
            command.args([size.accuracy_seconds, size.accuracy_window_seconds, *cpu as u64].map(|n| n.to_string()));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let started = command.spawn().map_err(|error| Failure::because(format!("an accuracy process: {error}")));
            (*cpu, started)
        };
        let started: Vec<_> = cpus.iter().cycle().take(each).map(start).collect();
        // All are waited for, also if one has failed.
        let ended: Vec<_> = started.into_iter().map(|(cpu, child)| (cpu, child.and_then(observed))).collect();
        stop.store(true, Relaxed);
        for hog in hogs {
            hog.join().unwrap_or_else(|_| Err(Failure::because("the CPU hog panicked")))?;
        }
        ended.into_iter().map(|(cpu, observed)| Ok(Process { is_hogged, cpu, observed: observed? })).collect()
    })
}

fn observed(child: Child) -> Result<Observed, Failure> {
    let what = "an accuracy process";
    let output = child.wait_with_output().map_err(|error| Failure::because(format!("{what} was lost: {error}")))?;
    parse(&stdout_of(output, what)?, what)
}

/// The largest of the errors, whatever their sign.
fn largest(ppm: &[f64]) -> f64 {
    ppm.iter().fold(0.0, |most, ppm| ppm.abs().max(most))
}

impl Accuracy {
    /// What counts for the goals under this load.
    pub(crate) fn worst(&self, is_hogged: bool) -> Worst {
        let observed = || self.processes.iter().filter(move |p| p.is_hogged == is_hogged).map(|p| &p.observed);
        Worst {
            checks: observed().map(|seen| seen.checks).sum(),
            outside: observed().map(|seen| seen.outside).sum(),
            worst_ns: observed().map(|seen| seen.worst_ns).max().unwrap_or(0),
            rate_error_ppm: observed().map(our_later_rate_error_ppm).fold(0.0, f64::max),
        }
    }

    pub(crate) fn show(&self) -> String {
        format!(
            "{}\n\nLargest rate error in ppm:\n\n{}\n\n{} s each; a turn every 10 ms checks 1000 readings of Clock::now, each of which is to lie between\n\
             the two of CLOCK_MONOTONIC around it. Rates are compared over windows of {} s, by narrowest brackets at both\n\
             ends; the first column of a clock is the largest error in any window.",
            self.show_checks(),
            self.show_rates(),
            self.seconds,
            self.window_seconds,
        )
    }

    fn show_checks(&self) -> String {
        let rows = self.processes.iter().map(|process| {
            let seen = &process.observed;
            vec![
                process.show_load(),
                seen.state.clone(),
                seen.checks.to_string(),
                seen.outside.to_string(),
                format!("{:.4}", 100.0 * seen.outside as f64 / seen.checks.max(1) as f64),
                seen.worst_ns.to_string(),
            ]
        });
        table::text(&["load", "our clock", "checks", "outside", "%", "worst, ns outside"], rows)
    }

    fn show_rates(&self) -> String {
        let clocks: Vec<&str> = self
            .processes
            .first()
            .map_or(Vec::new(), |process| process.observed.rates.iter().map(|rate| rate.clock.as_str()).collect());
        let rows = self.processes.iter().map(|process| {
            let seen = &process.observed;
            let mut cells = vec![process.show_load(), format!("{:.4}", our_later_rate_error_ppm(seen))];
            cells.extend(
                seen.rates.iter().map(|rate| format!("{:.4} ± {:.4}", largest(&rate.windows_ppm), rate.uncertain_ppm)),
            );
            cells
        });
        let later = format!("ours, after {} s", self.window_seconds);
        let mut headings = vec!["load", &later];
        headings.extend(clocks);
        table::numbers(&headings, rows)
    }
}

impl Process {
    fn show_load(&self) -> String {
        format!("CPU {}, {}", self.cpu, if self.is_hogged { "hog" } else { "idle" })
    }
}

/// Our largest rate error in the windows after the first.
fn our_later_rate_error_ppm(seen: &Observed) -> f64 {
    let ours = seen.rates.iter().find(|rate| rate.clock == "ours");
    ours.map_or(f64::INFINITY, |rate| largest(rate.windows_ppm.get(1..).unwrap_or_default()))
}
