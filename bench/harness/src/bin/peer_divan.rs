//! The operations under divan, as its users write them: it prints a table, and has nothing else to say it with.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use bench_harness::operation;
use bench_harness::orders::Orders;
use divan::{Bencher, Divan};

fn main() -> ExitCode {
    match Orders::of_this_process() {
        Ok(orders) => {
            Divan::default().color(false).min_time(orders.measure).max_time(orders.measure).run_benches();
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            eprintln!("peer_divan: {wrong}");
            ExitCode::from(2)
        }
    }
}

#[divan::bench]
fn empty() {}

#[divan::bench]
fn clock_read() -> Instant {
    Instant::now()
}

macro_rules! chained {
    ($($name:ident)*) => {
        $(#[divan::bench]
        fn $name(bencher: Bencher<'_, '_>) {
            let mut value = black_box(1_u64);
            bencher.bench_local(move || {
                value = operation::$name(value);
                value
            });
        })*
    };
}

chained! { chain_1 chain_10 chain_100 chain_1000 }
