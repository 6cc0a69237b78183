//! Reads back to back in one interleaved run, those that the clock makes where the kernel keeps time by a hypervisor's page among
//! them: the kernel's data are then ours, and kvm-clock's page is this machine's own.
//!
//! No study: those data must be renewed each second.

use std::hint::black_box;

use bench_clock::monotonic::{monotonic_ns, read_ns};
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_clock::{Clock, raw};
use chronoscope_sources::arch::{Counter, NAME_UNORDERED};

/// Reads in a round: a third of a millisecond, so that few rounds are interrupted.
const READS: u32 = 20_000;

type Loop = Box<dyn Fn() -> f64>;

/// A read, in the order of the table; the name of the one by which it is judged.
struct Row {
    name: &'static str,
    to: &'static str,
    ns: Loop,
}

/// Nanoseconds a read.
fn timed<T>(read: impl Fn() -> T) -> f64 {
    let start = monotonic_ns();
    for _ in 0..READS {
        black_box(read());
    }
    (monotonic_ns() - start) as f64 / f64::from(READS)
}

const STD: &str = "std Instant::now";
const NOW: &str = "Clock::now";
const UNORDERED: &str = "Unordered::now";

fn rows() -> Vec<Row> {
    let (clock, unordered) = (Clock::or_system(), Clock::or_system().unordered());
    let row = |name, to, ns: Loop| Row { name, to, ns };
    let mut rows = vec![
        row(STD, STD, Box::new(|| timed(std::time::Instant::now))),
        row("clock_gettime REALTIME", STD, Box::new(|| timed(read_ns::<{ libc::CLOCK_REALTIME }>))),
        row(NOW, STD, Box::new(move || timed(|| clock.now()))),
        row("Clock::now_fenced", NOW, Box::new(move || timed(|| clock.now_fenced()))),
        row("Clock::monotonic", NOW, Box::new(move || timed(|| clock.monotonic()))),
        row("Clock::realtime", NOW, Box::new(move || timed(|| clock.realtime()))),
        row(UNORDERED, STD, Box::new(move || timed(|| unordered.now()))),
        row("Unordered::monotonic", UNORDERED, Box::new(move || timed(|| unordered.monotonic()))),
        row("Unordered::realtime", UNORDERED, Box::new(move || timed(|| unordered.realtime()))),
        row("Unordered::ticks", UNORDERED, Box::new(move || timed(|| unordered.ticks()))),
    ];
    if let Ok(counter) = Counter::new() {
        rows.push(row(NAME_UNORDERED, UNORDERED, Box::new(move || timed(|| counter.unordered()))));
    }
    if has_kvm_clock() && raw::arrange_as_if::<false>().is_ok() {
        rows.push(row("by kvm-clock, Clock::now", NOW, by_page::<false, true>()));
        rows.push(row("by kvm-clock, Unordered::now", UNORDERED, by_page::<false, false>()));
    }
    if raw::arrange_as_if::<true>().is_ok() {
        rows.push(row("by Hyper-V's page, Clock::now", NOW, by_page::<true, true>()));
        rows.push(row("by Hyper-V's page, Unordered::now", UNORDERED, by_page::<true, false>()));
    }
    rows
}

fn by_page<const HYPER_V: bool, const ORDERED: bool>() -> Loop {
    Box::new(|| match raw::arrange_as_if::<HYPER_V>() {
        Ok(()) => timed(raw::read_as_if::<HYPER_V, ORDERED>),
        Err(_) => f64::NAN,
    })
}

/// Where the kernel has never kept time by it, a look at its page ends the process.
fn has_kvm_clock() -> bool {
    let known = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/available_clocksource");
    known.is_ok_and(|known| known.split_whitespace().any(|name| name == "kvm-clock"))
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    run.now(section.name);
    Clock::warm_up();
    let rows = rows();
    let mut ns = vec![Vec::new(); rows.len()];
    for round in 0..run.pick(301, 5) {
        for at in 0..rows.len() {
            // There and back, so that a slow spell hits all alike.
            let at = if round % 2 == 0 { at } else { rows.len() - 1 - at };
            ns[at].push((rows[at].ns)());
        }
    }
    let rounds_of = |name: &str| rows.iter().position(|row| row.name == name).map_or(&[][..], |at| &ns[at]);
    let mut table = Table::new(1, "read | ns | × | of | × std");
    for (row, ns) in rows.iter().zip(&ns) {
        let by = |name| ns.iter().zip(rounds_of(name)).map(|(ns, to)| ns / to);
        table.row([
            row.name.into(),
            Value::quartiles(ns.iter().copied(), 2),
            Value::quartiles(by(row.to), 3),
            row.to.into(),
            Value::quartiles(by(STD), 3),
        ]);
    }
    section.table(table);
    section.say(format!(
        "{} rounds of {READS} reads of each, back to back; medians and quartiles, ratios within rounds. By kvm-clock and Hyper-V's \
         page: as if the kernel kept time by it, with conversion data of ours; the cost is real, the time is not.",
        ns.first().map_or(0, Vec::len)
    ));
    Ok(())
}
