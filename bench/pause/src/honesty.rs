//! A stall, as the pacer reports it and as somebody outside sees it.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Release},
};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::cpus::on_each;
use bench_common::process::failed;
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_clock::pacer::{Pace, PaceRecord};

use crate::crew::on_one_cpu;
use crate::pacing::calibrated;

const PER_SECOND: u64 = 10_000;
const STALL: Duration = Duration::from_millis(50);
const STALL_AT: f64 = 0.25;
/// The longest that the observer looks on.
const LONGEST: Duration = Duration::from_secs(60);

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    run.now("honesty");
    let events = (PER_SECOND as f64 * run.pick(2.0, 0.3)) as u64;
    let [response_us, service_us, outside_us] = on_one_cpu(false, |other| {
        watched(events, other.ok_or_else(|| Failure::run("an observer needs a second CPU"))?)
    })?;
    let off = Value::number((response_us / outside_us - 1.0) * 100.0, 2);
    let mut table = Table::new(1, "p99 | µs | off, %");
    table.row(["response time, reported".into(), Value::number(response_us, 2), off]);
    table.row(["response time, seen from outside".into(), Value::number(outside_us, 2), Value::Nothing]);
    table.row(["service time, reported".into(), Value::number(service_us, 2), Value::Nothing]);
    section.table(table);
    Ok(())
}

/// 99th percentiles in microseconds: of response and service time as reported, and of the response time that an observer on the CPU
/// `other` sees.
fn watched(events: u64, other: u32) -> Result<[f64; 3], Failure> {
    let (done, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let pace = Pace::per_second(PER_SECOND).map_err(failed("the pace"))?;
    let epoch = Instant::now();
    let since_epoch = || epoch.elapsed().as_nanos() as u64;
    thread::scope(|scope| {
        // When it saw each event done, by the standard library's clock.
        let observe = |_| {
            let mut seen_ns = Vec::with_capacity(events as usize);
            // Ends by its own clock too: a real-time thread would not let the other set it.
            while epoch.elapsed() < LONGEST && !over.load(Acquire) || (seen_ns.len() as u64) < done.load(Acquire) {
                let now_done = done.load(Acquire);
                seen_ns.resize(now_done as usize, since_epoch());
            }
            Ok(seen_ns)
        };
        let observer = scope.spawn(move || on_each(&[other], observe));
        let mut pacer = calibrated(pace.schedule().take(events as usize));
        let mut record = PaceRecord::new();
        let mut first_due_ns = None;
        while let Some(slot) = pacer.next_slot() {
            // The moment of the first event on the observer's clock; it knows the rate.
            first_due_ns.get_or_insert_with(|| since_epoch().saturating_sub(slot.late.total.as_nanos() as u64));
            if slot.number == (events as f64 * STALL_AT) as u64 {
                thread::sleep(STALL);
            }
            record.add(&slot, pacer.finish(&slot));
            done.fetch_add(1, Release);
        }
        over.store(true, Release);
        let seen_ns = observer.join().map_err(|_| Failure::run("the observer panicked"))??.concat();
        let due = |event: usize| first_due_ns.unwrap_or(0) + event as u64 * 1_000_000_000 / PER_SECOND;
        let mut outside: Vec<u64> =
            seen_ns.iter().enumerate().map(|(event, ns)| ns.saturating_sub(due(event))).collect();
        outside.sort_unstable();
        let at = ((outside.len().saturating_sub(1)) as f64 * 0.99).round() as usize;
        let reported = [record.response(), record.service()].map(|times| times.value_at_quantile(0.99));
        Ok([reported[0], reported[1], outside.get(at).copied().unwrap_or(0)].map(|ns| ns as f64 / 1e3))
    })
}
