//! The operations under another harness, as its users write them: `peer HARNESS MILLISECONDS RESAMPLES NAME…`.
//!
//! criterion leaves what it finds in CRITERION_HOME, divan prints a table, and zenbench's result goes to standard output as
//! JSON.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bench_harness::operation::{self, chain_1, chain_10, chain_100, chain_1000, side_by_side};

/// What the harness is to do.
struct Orders {
    /// How long each operation is measured.
    measure: Duration,
    /// Resamples of a bootstrap, where the harness has one.
    resamples: usize,
    operations: Vec<String>,
}

impl Orders {
    fn wants(&self, name: &str) -> bool {
        self.operations.iter().any(|wanted| wanted == name)
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let harness = arguments.next().unwrap_or_default();
    let mut number = || arguments.next().and_then(|text| text.parse::<u32>().ok());
    let (Some(milliseconds), Some(resamples)) = (number(), number()) else {
        eprintln!("usage: peer HARNESS MILLISECONDS RESAMPLES NAME…");
        return ExitCode::from(2);
    };
    let measure = Duration::from_millis(milliseconds.into());
    let orders = Orders { measure, resamples: resamples as usize, operations: arguments.collect() };
    match harness.as_str() {
        "criterion" => criterion(&orders),
        "divan" => divan::Divan::default().color(false).min_time(measure).max_time(measure).run_benches(),
        "zenbench" => zenbench(&orders),
        other => {
            eprintln!("peer: there is no harness {other}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// A chain whose value the closure owns and returns.
macro_rules! chained {
    ($chain:path, $seed:expr) => {
        |bencher| {
            let mut value = black_box($seed);
            bencher.iter(move || {
                value = $chain(value);
                value
            });
        }
    };
}

/// The fewest resamples it takes without a warning are 1000; it warms up for half of the time that it measures.
fn criterion(orders: &Orders) {
    let mut criterion = criterion::Criterion::default()
        .without_plots()
        .warm_up_time((orders.measure / 2).max(Duration::from_millis(1)))
        .measurement_time(orders.measure)
        .nresamples(orders.resamples);
    let mut bench = |name: &str, body: fn(&mut criterion::Bencher<'_>)| {
        if orders.wants(name) {
            criterion.bench_function(name, body);
        }
    };
    bench("empty", |bencher| bencher.iter(|| ()));
    bench("chain_1", chained!(chain_1, 1_u64));
    bench("chain_10", chained!(chain_10, 1_u64));
    bench("chain_100", chained!(chain_100, 1_u64));
    bench("chain_1000", chained!(chain_1000, 1_u64));
    bench("side_by_side", chained!(side_by_side, [1_u64, 2, 3, 4]));
    bench("clock_read", |bencher| bencher.iter(Instant::now));
}

/// Each in a group of its own.
fn zenbench(orders: &Orders) {
    let measure = orders.measure;
    let result = zenbench::run(|suite| {
        let mut bench = |name: &'static str, body: fn(&mut zenbench::Bencher)| {
            if orders.wants(name) {
                suite.group(name, move |group| {
                    group.config().max_time(measure).max_wall_time(measure * 2).warmup_time(measure / 2);
                    group.bench(name, body);
                });
            }
        };
        bench("empty", |bencher| bencher.iter(|| ()));
        bench("chain_1", chained!(chain_1, 1_u64));
        bench("chain_10", chained!(chain_10, 1_u64));
        bench("chain_100", chained!(chain_100, 1_u64));
        bench("chain_1000", chained!(chain_1000, 1_u64));
        bench("clock_read", |bencher| bencher.iter(Instant::now));
    });
    if let Err(error) = serde_json::to_writer(std::io::stdout().lock(), &result) {
        eprintln!("peer: the result of zenbench cannot be printed: {error}");
    }
}

#[divan::bench]
fn empty() {}

#[divan::bench]
fn clock_read() -> Instant {
    Instant::now()
}

macro_rules! of_divan {
    ($($name:ident)*) => {
        $(#[divan::bench]
        fn $name(bencher: divan::Bencher<'_, '_>) {
            let mut value = black_box(1_u64);
            bencher.bench_local(move || {
                value = operation::$name(value);
                value
            });
        })*
    };
}

mod under_divan {
    use super::*;

    of_divan! { chain_1 chain_10 chain_100 chain_1000 }
}
