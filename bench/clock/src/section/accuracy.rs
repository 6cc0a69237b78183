//! Error and rate against `CLOCK_MONOTONIC`, in processes of their own; idle, and with a CPU hog beside each.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use bench_common::process::{parse, sibling, stdout_of};
use serde::Serialize;

use crate::affinity;
use crate::cpus;
use crate::failure::Failure;
use crate::observed::Observed;
use crate::size::Size;
use crate::table;

/// The executables: one may use the kernel's conversion data, the other must measure its rate.
const PROGRAMS: [(&str, &str); 2] = [("default", "accuracy"), ("without kernel data", "accuracy_brackets")];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Accuracy {
    seconds: u64,
    window_seconds: u64,
    processes: Vec<Process>,
}

#[derive(Debug, Serialize)]
struct Process {
    build: &'static str,
    is_hogged: bool,
    cpu: usize,
    observed: Observed,
}

/// What counts for the goals, of one build under one load.
#[derive(Debug)]
pub(crate) struct Worst {
    pub(crate) build: &'static str,
    pub(crate) checks: u64,
    pub(crate) outside: u64,
    pub(crate) bound_after_1s_ns: u64,
    pub(crate) rate_error_ppm: f64,
}

pub(crate) fn measure(size: &Size) -> Result<Accuracy, Failure> {
    let mut processes = Vec::new();
    for (is_hogged, each) in [(false, size.accuracy_idle), (true, size.accuracy_hogged)] {
        let load = if is_hogged { "with a CPU hog" } else { "idle" };
        eprintln!("bench-clock: accuracy, {load}: {each} processes of each build for {} s", size.accuracy_seconds);
        processes.extend(side_by_side(each, is_hogged, size)?);
    }
    Ok(Accuracy { seconds: size.accuracy_seconds, window_seconds: size.accuracy_window_seconds, processes })
}

/// `each` processes of both builds at once. They sleep nearly all the time and hardly meet; with `is_hogged`, every CPU
/// in use has a thread that never sleeps.
fn side_by_side(each: usize, is_hogged: bool, size: &Size) -> Result<Vec<Process>, Failure> {
    let cpus = cpus::allowed()?;
    let programs = PROGRAMS.map(|(build, name)| sibling(name).map(|path| (build, path)));
    let programs = programs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let places: Vec<_> = (0..each).flat_map(|number| programs.iter().map(move |program| (number, program))).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let hogs: Vec<_> = cpus
            .iter()
            .take(if is_hogged { each } else { 0 })
            .map(|cpu| scope.spawn(|| affinity::bind(*cpu).map(|()| hog(&stop))))
            .collect();
        let start = |(number, (build, path)): (usize, &(&'static str, _))| {
            let cpu = cpus[number % cpus.len()];
            let mut command = Command::new(path);
            command.args([size.accuracy_seconds, size.accuracy_window_seconds, cpu as u64].map(|n| n.to_string()));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let started = command.spawn().map_err(|error| Failure::because(format!("an accuracy process: {error}")));
            (*build, cpu, started)
        };
        let started: Vec<_> = places.into_iter().map(start).collect();
        // All are waited for, also if one has failed.
        let ended: Vec<_> =
            started.into_iter().map(|(build, cpu, child)| (build, cpu, child.and_then(observed))).collect();
        stop.store(true, Relaxed);
        for hog in hogs {
            hog.join().unwrap_or_else(|_| Err("the CPU hog panicked".into()))?;
        }
        ended
            .into_iter()
            .map(|(build, cpu, observed)| Ok(Process { build, is_hogged, cpu, observed: observed? }))
            .collect()
    })
}

fn hog(stop: &AtomicBool) {
    let mut turns = 0_u64;
    while !stop.load(Relaxed) {
        turns = std::hint::black_box(turns.wrapping_mul(3) + 1);
    }
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
    /// What counts for the goals under this load, for each build.
    pub(crate) fn worst(&self, is_hogged: bool) -> Vec<Worst> {
        let of_build = |(build, _): (&'static str, &str)| {
            let chosen = || self.processes.iter().filter(move |p| p.build == build && p.is_hogged == is_hogged);
            let observed = || chosen().map(|process| &process.observed);
            Worst {
                build,
                checks: observed().map(|seen| seen.checks).sum(),
                outside: observed().map(|seen| seen.checks - seen.within).sum(),
                bound_after_1s_ns: observed().map(|seen| seen.bound_after_1s_max_ns).max().unwrap_or(u64::MAX),
                rate_error_ppm: observed().map(our_later_rate_error_ppm).fold(0.0, f64::max),
            }
        };
        PROGRAMS.into_iter().map(of_build).collect()
    }

    pub(crate) fn show(&self) -> String {
        format!(
            "{}\n\n{}\n\n{} s each; a turn every 10 ms takes 8 brackets, the first of them around the first read after the\n\
             pause. Every bracket is checked: |ours − middle| ≤ stated bound + half the bracket. The error is that of the\n\
             narrowest bracket of a turn. Rates are compared over windows of {} s, by narrowest brackets at both ends; the\n\
             first column of a clock is the largest error in any window.",
            self.show_bounds(),
            self.show_rates(),
            self.seconds,
            self.window_seconds,
        )
    }

    fn show_bounds(&self) -> String {
        let rows = self.processes.iter().map(|process| {
            let seen = &process.observed;
            let within = match seen.checks - seen.within {
                0 => "all".into(),
                outside => format!("all but {outside}, by {} ns", seen.worst_excess_ns),
            };
            let narrow = 100.0 * seen.turns_with_narrow_bound as f64 / seen.turns_after_1s.max(1) as f64;
            vec![
                format!("{}{}", process.build, if process.is_hogged { ", hog" } else { "" }),
                seen.rate_source.clone(),
                seen.checks.to_string(),
                within,
                format!("{} ± {}", seen.max_error_ns, seen.widest_narrowest_ns.div_ceil(2)),
                seen.bound_at_1s_ns.to_string(),
                format!("{} / {}", seen.bound_after_1s_median_ns, seen.bound_after_1s_max_ns),
                format!("{narrow:.2}"),
            ]
        });
        let headings = [
            "build, load",
            "rate from",
            "checks",
            "within bound",
            "max error ns",
            "bound at 1 s, ns",
            "later: median / max ns",
            "% ≤ 250 ns",
        ];
        table::text(&headings, rows)
    }

    fn show_rates(&self) -> String {
        let clocks: Vec<&str> = self
            .processes
            .first()
            .map_or(Vec::new(), |process| process.observed.rates.iter().map(|rate| rate.clock.as_str()).collect());
        let rows = self.processes.iter().map(|process| {
            let seen = &process.observed;
            let stated = seen.stated_rate_error_ppb.first().zip(seen.stated_rate_error_ppb.last());
            let mut cells = vec![
                format!("{}{}", process.build, if process.is_hogged { ", hog" } else { "" }),
                table::or_dash(stated.map(|(first, last)| format!("{first} / {last}"))),
                format!("{:.4}", our_later_rate_error_ppm(seen)),
            ];
            cells.extend(
                seen.rates.iter().map(|rate| format!("{:.4} ± {:.4}", largest(&rate.windows_ppm), rate.uncertain_ppm)),
            );
            cells
        });
        let later = format!("ours, after {} s", self.window_seconds);
        let mut headings = vec!["build, load", "ours states, first / last window, ppb", &later];
        headings.extend(clocks);
        format!("Largest rate error in ppm:\n\n{}", table::numbers(&headings, rows))
    }
}

/// Our largest rate error in the windows after the first.
fn our_later_rate_error_ppm(seen: &Observed) -> f64 {
    let ours = seen.rates.iter().find(|rate| rate.clock == "ours");
    ours.map_or(f64::INFINITY, |rate| largest(rate.windows_ppm.get(1..).unwrap_or_default()))
}
