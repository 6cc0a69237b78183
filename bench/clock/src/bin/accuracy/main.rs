//! One accuracy process: keeps our clock and its peers beside `CLOCK_MONOTONIC` and prints how far they went apart.
//!
//! `accuracy SECONDS WINDOW_SECONDS CPU`. Between turns it sleeps, so that the kernel updates its own clock and the CPU
//! goes idle, as under a program that looks at the time now and then.

#[path = "../../child/bracket.rs"]
mod bracket;
#[path = "../../child/monotonic.rs"]
mod monotonic;
#[path = "../../child/observed.rs"]
mod observed;
mod rate;

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use bench_common::cpus;
use bench_common::failure::Failure;
use bracket::Bracket;
use chronoscope_clock::Clock;
use monotonic::monotonic_ns;
use observed::{Observed, RateError};

const PAUSE: Duration = Duration::from_millis(10);
/// Brackets in each turn: some 100 µs of work, one hundredth of the pause.
const BRACKETS: u64 = 1_000;
const SECOND_NS: u64 = 1_000_000_000;

fn main() -> ExitCode {
    let observed = arguments().and_then(|[seconds, window_seconds, cpu]| {
        cpus::bind(cpu as usize)?;
        serde_json::to_string(&observe(seconds, window_seconds)).map_err(|error| Failure::because(error.to_string()))
    });
    match observed {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("accuracy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<[u64; 3], Failure> {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|argument| argument.parse()).collect();
    match numbers.ok().and_then(|numbers| <[u64; 3]>::try_from(numbers).ok()) {
        Some([seconds, window, cpu]) if window > 0 && seconds >= window => Ok([seconds, window, cpu]),
        _ => Err(Failure::because("usage: accuracy SECONDS WINDOW_SECONDS CPU, with SECONDS ≥ WINDOW_SECONDS > 0")),
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

fn observe(seconds: u64, window_seconds: u64) -> Observed {
    let begun_ns = monotonic_ns();
    let clocks = compared();
    let ends = || -> Vec<Bracket> { clocks.iter().map(|(_, read)| rate::narrowest(read)).collect() };
    let mut borders = vec![ends()];
    let mut tally = Tally::default();
    while borders.len() as u64 <= seconds / window_seconds {
        thread::sleep(PAUSE);
        for _ in 0..BRACKETS {
            tally.check(Bracket::around(|| Clock::or_system().now().as_nanos()));
        }
        if monotonic_ns() - begun_ns >= borders.len() as u64 * window_seconds * SECOND_NS {
            borders.push(ends());
        }
    }
    let rate = |(at, (name, _)): (usize, &Compared)| {
        let windows = || borders.windows(2).map(|pair| rate::error_ppm(pair[0][at], pair[1][at]));
        RateError {
            clock: (*name).into(),
            windows_ppm: windows().map(|(ppm, _)| ppm).collect(),
            uncertain_ppm: windows().map(|(_, uncertain)| uncertain).fold(0.0, f64::max),
        }
    };
    Observed {
        state: Clock::or_system().trust().state.to_string(),
        checks: tally.checks,
        outside: tally.outside,
        worst_ns: tally.worst_ns,
        rates: clocks.iter().enumerate().map(rate).collect(),
    }
}

/// What the turns so far have shown.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    checks: u64,
    outside: u64,
    worst_ns: u64,
}

impl Tally {
    fn check(&mut self, bracket: Bracket) {
        let outside_ns = bracket.outside_ns();
        self.checks += 1;
        self.outside += u64::from(outside_ns > 0);
        self.worst_ns = self.worst_ns.max(outside_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_outside_its_bracket_is_counted_by_how_far() {
        let mut tally = Tally::default();
        for clock_ns in [10, 15, 23, 4] {
            tally.check(Bracket { before_ns: 10, clock_ns, after_ns: 20 });
        }
        assert_eq!(tally, Tally { checks: 4, outside: 2, worst_ns: 6 });
    }
}
