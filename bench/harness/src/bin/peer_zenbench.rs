//! The operations under zenbench, as its users write them, each in a group of its own: its result goes to standard output
//! as JSON.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::operation::{chain_1, chain_10, chain_100, chain_1000};
use bench_harness::orders::Orders;
use zenbench::{Bencher, Suite};

fn main() -> ExitCode {
    let orders = match Orders::of_this_process() {
        Ok(orders) => orders,
        Err(wrong) => {
            eprintln!("peer_zenbench: {wrong}");
            return ExitCode::from(2);
        }
    };
    let result = zenbench::run(|suite| {
        add(suite, &orders, "empty", |bencher| bencher.iter(|| ()));
        macro_rules! chained {
            ($($name:literal: $chain:path,)*) => {
                $(add(suite, &orders, $name, |bencher| {
                    let mut value = black_box(1_u64);
                    bencher.iter(move || {
                        value = $chain(value);
                        value
                    });
                });)*
            };
        }
        chained! {
            "chain_1": chain_1,
            "chain_10": chain_10,
            "chain_100": chain_100,
            "chain_1000": chain_1000,
        }
        add(suite, &orders, "clock_read", |bencher| bencher.iter(Instant::now));
    });
    match serde_json::to_writer(std::io::stdout().lock(), &result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer_zenbench: its result cannot be printed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn add(suite: &mut Suite, orders: &Orders, name: &'static str, body: fn(&mut Bencher)) {
    if !orders.wants(name) {
        return;
    }
    let measure = orders.measure;
    suite.group(name, move |group| {
        group.config().max_time(measure).max_wall_time(measure * 2).warmup_time(measure / 2);
        group.bench(name, body);
    });
}
