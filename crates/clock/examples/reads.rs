//! Each read in a function of its own that is never inlined, so that you can inspect its instructions:
//! `objdump -d --no-show-raw-insn -M intel target/release/examples/reads`. `tests/assembly` does so by itself.

use std::hint::black_box;
use std::time::Duration;

use chronoscope_clock::{Clock, Granular};

static GRANULAR: Granular = Granular::new(Duration::from_micros(1));

#[inline(never)]
fn read_ordered() -> u64 {
    Clock::or_system().now().as_nanos() as u64
}

#[inline(never)]
fn read_unordered() -> u64 {
    Clock::or_system().unordered().now().as_nanos() as u64
}

#[inline(never)]
fn read_fenced() -> u64 {
    Clock::or_system().now_fenced().as_nanos() as u64
}

#[inline(never)]
fn read_timespec() -> Duration {
    Clock::or_system().unordered().monotonic()
}

#[inline(never)]
fn read_realtime() -> Duration {
    Clock::or_system().unordered().realtime()
}

#[inline(never)]
fn read_bare_ticks() -> u64 {
    Clock::or_system().unordered().ticks().as_raw()
}

#[inline(never)]
fn read_ticks() -> u64 {
    Clock::or_system().ticks().as_raw()
}

#[inline(never)]
fn read_granular() -> u64 {
    GRANULAR.now().as_nanos() as u64
}

#[inline(never)]
fn read_recent() -> u64 {
    GRANULAR.recent().as_nanos() as u64
}

type Read = fn() -> u64;
type ReadApart = fn() -> Duration;

fn main() {
    let apart: [(&str, ReadApart); 2] = [("timespec", read_timespec), ("realtime", read_realtime)];
    let reads: [(&str, Read); 7] = [
        ("ordered", read_ordered),
        ("unordered", read_unordered),
        ("fenced", read_fenced),
        ("bare ticks", read_bare_ticks),
        ("ticks", read_ticks),
        ("granular", read_granular),
        ("recent", read_recent),
    ];
    for (name, read) in reads {
        println!("{name:16}{:>20}", black_box(read)());
    }
    for (name, read) in apart {
        println!("{name:16}{:>20?}", black_box(read)());
    }
}
