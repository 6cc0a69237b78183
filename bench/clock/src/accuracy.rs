//! Readings and rate against `CLOCK_MONOTONIC`: idle, and with each reader sharing its CPU with a hog.

use std::thread;
use std::time::Duration;

use bench_clock::monotonic::monotonic_ns;
use bench_common::cpus::{self, beside_hogs, on_each};
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_clock::{Clock, TickSource};
use chronoscope_lab::bracket::Bracket;
use chronoscope_lab::reader::{Read, bracketed};

const PAUSE: Duration = Duration::from_millis(10);
/// Brackets in each turn: some 100 µs of work, one hundredth of the pause.
const BRACKETS: u64 = 1_000;
const SECOND_NS: u64 = 1_000_000_000;
/// Attempts for the ends of a window, where the narrowest counts.
const ATTEMPTS: u32 = 400;
const CLOCKS: [&str; 5] = ["ours", "std", "quanta", "minstant", "fastant"];

#[derive(Default)]
struct Observed {
    outside: Count,
    worst_ns: u64,
    /// At the ends of windows: a narrow bracket around each of the clocks.
    borders: Vec<[Bracket; CLOCKS.len()]>,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (seconds, window_s) = run.pick((60, 10), (4, 1));
    let cpus = cpus::allowed()?;
    let mut checks = Table::new(2, "load | CPU | outside | worst, ns outside");
    let columns = "load | clock | CPU | largest rate error, ppm | uncertain by, ppm | after the first window, ppm";
    let mut rates = Table::new(3, columns);
    for (load, readers) in [("idle", run.pick(4, 1)), ("hog", run.pick(2, 1))] {
        run.now(format!("accuracy, {load}: {readers} readers for {seconds} s"));
        // They sleep nearly all the time and hardly meet.
        let on: Vec<u32> = cpus.iter().copied().cycle().take(readers).collect();
        let hogs = cpus.iter().copied().take(if load == "hog" { readers } else { 0 }).collect::<Vec<_>>();
        let seen = beside_hogs(&hogs, || on_each(&on, |_| Ok(observe(seconds, window_s))))?;
        for (cpu, Observed { outside, worst_ns, borders }) in on.iter().zip(seen) {
            let cpu = Value::from(format!("CPU {cpu}"));
            checks.row([load.into(), cpu.clone(), outside.into(), worst_ns.into()]);
            for (at, clock) in CLOCKS.into_iter().enumerate() {
                let windows = borders.windows(2).map(|pair| error_ppm(pair[0][at], pair[1][at]));
                let (ppm, uncertain_ppm): (Vec<f64>, Vec<f64>) = windows.unzip();
                let largest = |ppm: &[f64]| Value::number(ppm.iter().fold(0.0, |most, ppm| ppm.abs().max(most)), 4);
                let after_first = largest(ppm.get(1..).unwrap_or_default());
                rates.row([
                    load.into(),
                    clock.into(),
                    cpu.clone(),
                    largest(&ppm),
                    largest(&uncertain_ppm),
                    after_first,
                ]);
            }
        }
    }
    section.table(checks);
    section.table(rates);
    section.say(format!("{seconds} s each. Rates are compared over windows of {window_s} s."));
    Ok(())
}

/// Between turns it sleeps, so that the kernel updates its own clock and the CPU goes idle, as under a program that looks at the
/// time now and then.
fn observe(seconds: u64, window_s: u64) -> Observed {
    let standard = std::time::Instant::now();
    let (quanta, minstant, fastant) = (quanta::Instant::now(), minstant::Instant::now(), fastant::Instant::now());
    let ends = || {
        [
            narrowest(|| Clock::or_system().read()),
            narrowest(|| standard.elapsed().as_nanos() as u64),
            narrowest(|| quanta.elapsed().as_nanos() as u64),
            narrowest(|| minstant.elapsed().as_nanos() as u64),
            narrowest(|| fastant.elapsed().as_nanos() as u64),
        ]
    };
    let begun_ns = monotonic_ns();
    let mut seen = Observed { borders: vec![ends()], ..Observed::default() };
    while seen.borders.len() as u64 <= seconds / window_s {
        thread::sleep(PAUSE);
        for _ in 0..BRACKETS {
            let beyond_ns = bracketed(Read::Ordered).beyond_ns();
            seen.outside = seen.outside + Count::of([beyond_ns > 0]);
            seen.worst_ns = seen.worst_ns.max(beyond_ns);
        }
        if monotonic_ns() - begun_ns >= seen.borders.len() as u64 * window_s * SECOND_NS {
            seen.borders.push(ends());
        }
    }
    seen
}

/// The narrowest of many brackets: what disturbs a bracket only ever widens it.
fn narrowest(read_ns: impl Fn() -> u64) -> Bracket {
    let bracket = || {
        let before_ns = monotonic_ns();
        let reading_ns = read_ns();
        Bracket { before_ns, reading_ns, after_ns: monotonic_ns() }
    };
    (1..ATTEMPTS)
        .map(|_| bracket())
        .fold(bracket(), |best, next| if next.width_ns() < best.width_ns() { next } else { best })
}

/// How much faster than the reference the clock went between the two, in ppm, and how far that is uncertain.
fn error_ppm(earlier: Bracket, later: Bracket) -> (f64, f64) {
    let middle_ns = |bracket: Bracket| bracket.before_ns as f64 + bracket.width_ns() as f64 / 2.0;
    let reference_ns = middle_ns(later) - middle_ns(earlier);
    let clock_ns = later.reading_ns as f64 - earlier.reading_ns as f64;
    let uncertain_ns = (earlier.width_ns() + later.width_ns()) as f64 / 2.0;
    ((clock_ns - reference_ns) / reference_ns * 1e6, uncertain_ns / reference_ns * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_gains_is_fast() {
        let earlier = Bracket { before_ns: 0, reading_ns: 10, after_ns: 20 };
        let later = Bracket { before_ns: 1_000_000, reading_ns: 1_000_011, after_ns: 1_000_020 };
        let (ppm, uncertain_ppm) = error_ppm(earlier, later);
        assert!((ppm - 1.0).abs() < 1e-9 && (uncertain_ppm - 20.0).abs() < 1e-9);
    }
}
