//! The operations under criterion, as its users write them: what it finds it leaves in CRITERION_HOME.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bench_harness::operation::{chain_1, chain_10, chain_100, chain_1000, side_by_side};
use bench_harness::orders::Orders;
use criterion::Criterion;

/// The fewest resamples it takes without a warning are 1000; it warms up for half of the time that it measures.
fn main() -> ExitCode {
    let orders = match Orders::of_this_process() {
        Ok(orders) => orders,
        Err(wrong) => {
            eprintln!("peer_criterion: {wrong}");
            return ExitCode::from(2);
        }
    };
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time((orders.measure / 2).max(Duration::from_millis(1)))
        .measurement_time(orders.measure)
        .nresamples(orders.resamples);
    let mut bench = |name: &str, body: &mut dyn FnMut(&mut criterion::Bencher<'_>)| {
        if orders.wants(name) {
            criterion.bench_function(name, body);
        }
    };
    macro_rules! chained {
        ($($name:literal: $chain:path,)*) => {
            $(bench($name, &mut |bencher| {
                let mut value = black_box(1_u64);
                bencher.iter(move || {
                    value = $chain(value);
                    value
                });
            });)*
        };
    }
    bench("empty", &mut |bencher| bencher.iter(|| ()));
    chained! {
        "chain_1": chain_1,
        "chain_10": chain_10,
        "chain_100": chain_100,
        "chain_1000": chain_1000,
    }
    bench("side_by_side", &mut |bencher| {
        let mut values = black_box([1_u64, 2, 3, 4]);
        bencher.iter(move || {
            values = side_by_side(values);
            values
        });
    });
    bench("clock_read", &mut |bencher| bencher.iter(Instant::now));
    ExitCode::SUCCESS
}
