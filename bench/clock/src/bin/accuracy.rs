//! One accuracy process: keeps our clock and its peers beside `CLOCK_MONOTONIC` and prints how far they went apart, as JSON.
//!
//! `accuracy SECONDS WINDOW_SECONDS CPU`. Between turns it sleeps, so that the kernel updates its own clock and the CPU
//! goes idle, as under a program that looks at the time now and then.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use bench_clock::bracket::Bracket;
use bench_clock::monotonic::monotonic_ns;
use bench_common::{Count, Failure, cpus};
use chronoscope_clock::Clock;
use serde_json::{Value as Json, json};

const PAUSE: Duration = Duration::from_millis(10);
/// Brackets in each turn: some 100 µs of work, one hundredth of the pause.
const BRACKETS: u64 = 1_000;
const SECOND_NS: u64 = 1_000_000_000;
/// Attempts for the ends of a window, where the narrowest counts.
const ATTEMPTS: u32 = 400;

fn main() -> ExitCode {
    let observed = arguments().and_then(|[seconds, window_seconds, cpu]| {
        cpus::bind(cpu)?;
        Ok(observe(seconds.into(), window_seconds.into()))
    });
    match observed {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(failure) => failure.report("accuracy"),
    }
}

fn arguments() -> Result<[u32; 3], Failure> {
    let numbers: Result<Vec<u32>, _> = std::env::args().skip(1).map(|argument| argument.parse()).collect();
    match numbers.ok().and_then(|numbers| <[u32; 3]>::try_from(numbers).ok()) {
        Some([seconds, window, cpu]) if window > 0 && seconds >= window => Ok([seconds, window, cpu]),
        _ => Err(Failure::usage("usage: accuracy SECONDS WINDOW_SECONDS CPU, with SECONDS ≥ WINDOW_SECONDS > 0")),
    }
}

/// A clock whose rate is compared, in nanoseconds since some start.
type Compared = (&'static str, Box<dyn Fn() -> u64>);

fn compared() -> Vec<Compared> {
    let quanta = quanta::Instant::now();
    let minstant = minstant::Instant::now();
    let fastant = fastant::Instant::now();
    let standard = std::time::Instant::now();
    vec![
        ("ours", Box::new(|| Clock::or_system().now().as_nanos())),
        ("std", Box::new(move || standard.elapsed().as_nanos() as u64)),
        ("quanta", Box::new(move || quanta.elapsed().as_nanos() as u64)),
        ("minstant", Box::new(move || minstant.elapsed().as_nanos() as u64)),
        ("fastant", Box::new(move || fastant.elapsed().as_nanos() as u64)),
    ]
}

fn observe(seconds: u64, window_seconds: u64) -> Json {
    let begun_ns = monotonic_ns();
    let clocks = compared();
    let ends = || -> Vec<Bracket> { clocks.iter().map(|(_, read)| narrowest(read)).collect() };
    let mut borders = vec![ends()];
    let (mut checks, mut worst_ns) = (Count::default(), 0);
    while borders.len() as u64 <= seconds / window_seconds {
        thread::sleep(PAUSE);
        for _ in 0..BRACKETS {
            let outside_ns = Bracket::of_ours().outside_ns();
            checks = checks + Count::of([outside_ns > 0]);
            worst_ns = outside_ns.max(worst_ns);
        }
        if monotonic_ns() - begun_ns >= borders.len() as u64 * window_seconds * SECOND_NS {
            borders.push(ends());
        }
    }
    let rate = |(at, (name, _)): (usize, &Compared)| {
        let windows = || borders.windows(2).map(|pair| error_ppm(pair[0][at], pair[1][at]));
        let uncertain_ppm = windows().map(|(_, uncertain)| uncertain).fold(0.0, f64::max);
        let windows_ppm: Vec<f64> = windows().map(|(ppm, _)| ppm).collect();
        json!({ "clock": name, "windows_ppm": windows_ppm, "uncertain_ppm": uncertain_ppm })
    };
    let rates: Vec<Json> = clocks.iter().enumerate().map(rate).collect();
    let state = Clock::or_system().trust().state.to_string();
    json!({ "state": state, "checks": checks.all, "outside": checks.of, "worst_ns": worst_ns, "rates": rates })
}

/// The narrowest of many brackets: what disturbs a bracket only ever widens it.
fn narrowest(clock_ns: impl Fn() -> u64) -> Bracket {
    let first = Bracket::around(&clock_ns);
    (1..ATTEMPTS)
        .map(|_| Bracket::around(&clock_ns))
        .fold(first, |best, next| if next.width_ns() < best.width_ns() { next } else { best })
}

/// How much faster than the reference the clock went between the two, in ppm, and how far that is uncertain.
fn error_ppm(earlier: Bracket, later: Bracket) -> (f64, f64) {
    let middle = |bracket: Bracket| (i128::from(bracket.before_ns) + i128::from(bracket.after_ns)) as f64 / 2.0;
    let reference_ns = middle(later) - middle(earlier);
    let clock_ns = later.clock_ns as f64 - earlier.clock_ns as f64;
    let uncertain_ns = (earlier.width_ns() + later.width_ns()) as f64 / 2.0;
    ((clock_ns - reference_ns) / reference_ns * 1e6, uncertain_ns / reference_ns * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_gains_is_fast() {
        let earlier = Bracket { before_ns: 0, clock_ns: 10, after_ns: 20 };
        let later = Bracket { before_ns: 1_000_000, clock_ns: 1_000_011, after_ns: 1_000_020 };
        let (ppm, uncertain_ppm) = error_ppm(earlier, later);
        assert!((ppm - 1.0).abs() < 1e-9 && (uncertain_ppm - 20.0).abs() < 1e-9);
    }
}
