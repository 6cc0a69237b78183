//! One accuracy process: keeps our clock and its peers beside `CLOCK_MONOTONIC` and prints how far they went apart.
//!
//! `accuracy SECONDS WINDOW_SECONDS CPU`. Between turns it sleeps, so that our clock is found with parameters that have
//! aged, as in a program that looks at the time now and then.

#[path = "../../child/affinity.rs"]
mod affinity;
mod bracket;
#[path = "../../child/monotonic.rs"]
mod monotonic;
#[path = "../../child/observed.rs"]
mod observed;

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use bracket::Bracket;
use chronoscope_clock::Clock;
use monotonic::monotonic_ns;
use observed::{Observed, RateError};

const PAUSE: Duration = Duration::from_millis(10);
/// Brackets in each turn; each is checked, the narrowest counts for the largest error.
const BRACKETS: u64 = 8;
const SECOND_NS: u64 = 1_000_000_000;
const NARROW_BOUND_NS: u64 = 250;

fn main() -> ExitCode {
    let observed = arguments().and_then(|[seconds, window_seconds, cpu]| {
        affinity::bind(cpu as usize)?;
        serde_json::to_string(&observe(seconds, window_seconds)).map_err(|error| error.to_string())
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

fn arguments() -> Result<[u64; 3], String> {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|argument| argument.parse()).collect();
    match numbers.ok().and_then(|numbers| <[u64; 3]>::try_from(numbers).ok()) {
        Some([seconds, window, cpu]) if window > 0 && seconds >= window => Ok([seconds, window, cpu]),
        _ => Err("usage: accuracy SECONDS WINDOW_SECONDS CPU, with SECONDS ≥ WINDOW_SECONDS > 0".into()),
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
    let clock = Clock::or_system();
    let begun_ns = monotonic_ns();
    let clocks = compared();
    let ends = || -> Vec<Bracket> { clocks.iter().map(|(_, read)| Bracket::narrowest(read)).collect() };
    let mut borders = vec![ends()];
    let mut stated_rate_error_ppb = Vec::new();
    let mut tally = Tally::default();
    while borders.len() as u64 <= seconds / window_seconds {
        thread::sleep(PAUSE);
        let age_ns = monotonic_ns() - begun_ns;
        tally.turn(clock, age_ns);
        if age_ns >= borders.len() as u64 * window_seconds * SECOND_NS {
            borders.push(ends());
            stated_rate_error_ppb.push(clock.trust().rate_error_ppb);
        }
    }
    let rate = |(at, (name, _)): (usize, &Compared)| {
        let windows = || borders.windows(2).map(|pair| pair[0][at].rate_error_ppm(pair[1][at]));
        RateError {
            clock: (*name).into(),
            windows_ppm: windows().map(|(ppm, _)| ppm).collect(),
            uncertain_ppm: windows().map(|(_, uncertain)| uncertain).fold(0.0, f64::max),
        }
    };
    let rates = clocks.iter().enumerate().map(rate).collect();
    tally.into_observed(clock, stated_rate_error_ppb, rates)
}

/// What the turns so far have shown.
#[derive(Default)]
struct Tally {
    turns: u64,
    checks: u64,
    within: u64,
    first_within: u64,
    worst_excess_ns: u64,
    max_error_ns: u64,
    widest_narrowest_ns: u64,
    bounds_after_1s_ns: Vec<u64>,
}

impl Tally {
    fn turn(&mut self, clock: Clock, age_ns: u64) {
        let bracket = || Bracket::around(|| clock.now().as_nanos());
        // The first finds parameters that have aged, and is checked against what the clock says of itself then.
        let first = bracket();
        let bound_ns = clock.trust().error_bound.as_nanos() as u64;
        let first_excess_ns = first.excess_ns(bound_ns);
        self.first_within += u64::from(first_excess_ns == 0);
        self.check(first_excess_ns);
        let (mut narrowest, mut stated_ns) = (first, bound_ns);
        for _ in 1..BRACKETS {
            let next = bracket();
            // What the clock says of itself may change during the bracket; either word is one a caller could have.
            let after_ns = clock.trust().error_bound.as_nanos() as u64;
            self.check(next.excess_ns(stated_ns.max(after_ns)));
            stated_ns = after_ns;
            narrowest = narrowest.narrower(next);
        }
        self.turns += 1;
        self.max_error_ns = self.max_error_ns.max(narrowest.error_ns());
        self.widest_narrowest_ns = self.widest_narrowest_ns.max(narrowest.width_ns());
        if age_ns >= SECOND_NS {
            self.bounds_after_1s_ns.push(bound_ns);
        }
    }

    fn check(&mut self, excess_ns: u64) {
        self.checks += 1;
        self.within += u64::from(excess_ns == 0);
        self.worst_excess_ns = self.worst_excess_ns.max(excess_ns);
    }

    fn into_observed(self, clock: Clock, stated_rate_error_ppb: Vec<u64>, rates: Vec<RateError>) -> Observed {
        let trust = clock.trust();
        let bounds = &self.bounds_after_1s_ns;
        let mut sorted = bounds.clone();
        sorted.sort_unstable();
        Observed {
            rate_source: trust.rate_source.to_string(),
            state: trust.state.to_string(),
            turns: self.turns,
            checks: self.checks,
            within: self.within,
            first_within: self.first_within,
            worst_excess_ns: self.worst_excess_ns,
            max_error_ns: self.max_error_ns,
            widest_narrowest_ns: self.widest_narrowest_ns,
            bound_at_1s_ns: bounds.first().copied().unwrap_or(u64::MAX),
            bound_after_1s_max_ns: sorted.last().copied().unwrap_or(u64::MAX),
            bound_after_1s_median_ns: sorted.get(sorted.len() / 2).copied().unwrap_or(u64::MAX),
            turns_after_1s: sorted.len() as u64,
            turns_with_narrow_bound: sorted.iter().filter(|bound| **bound <= NARROW_BOUND_NS).count() as u64,
            stated_rate_error_ppb,
            rates,
        }
    }
}
