//! A stall, as the pacer reports it and as somebody outside sees it.

use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Release},
};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::cpus::bind;
use bench_common::failure::Failure;
use bench_common::table;
use chronoscope_clock::pacer::{Behind, Pace, PaceRecord, Pacer};
use serde::Serialize;

use crate::pacing::since;
use crate::size::Size;

const PER_SECOND: u64 = 10_000;
const STALL: Duration = Duration::from_millis(50);
const STALL_AT: f64 = 0.25;

/// 99th percentiles in microseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Honesty {
    pub(crate) response_us: f64,
    pub(crate) service_us: f64,
    /// What an observer on another CPU and by another clock sees, from when each event was due.
    pub(crate) outside_us: f64,
    events: u64,
}

/// `other_cpu`: where the observer runs.
pub(crate) fn measure(size: &Size, other_cpu: Option<usize>) -> Result<Honesty, Failure> {
    eprintln!("bench-pause: honesty");
    let other = other_cpu.ok_or_else(|| Failure::because("an observer needs a second CPU"))?;
    let events = (PER_SECOND as f64 * size.honesty.as_secs_f64()) as u64;
    let (done, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let pace = Pace::per_second(PER_SECOND).map_err(|error| Failure::because(error.to_string()))?;
    thread::scope(|scope| {
        let (done, over) = (&done, &over);
        let epoch = Instant::now();
        let observer = scope.spawn(move || {
            bind(other)?;
            // When it saw each event done, by the standard library's clock.
            let mut seen_ns = Vec::with_capacity(events as usize);
            while !over.load(Acquire) || (seen_ns.len() as u64) < done.load(Acquire) {
                let now_done = done.load(Acquire);
                let now = since(epoch);
                while (seen_ns.len() as u64) < now_done {
                    seen_ns.push(now);
                }
            }
            Ok::<_, Failure>(seen_ns)
        });
        let mut pacer = Pacer::new(pace.schedule().take(events as usize), Behind::CatchUp);
        pacer.pauser().calibrate();
        let mut record = PaceRecord::new();
        let mut first_due_ns = None;
        while let Some(slot) = pacer.next_slot() {
            // The moment of the first event on the observer's clock; it knows the rate.
            first_due_ns.get_or_insert_with(|| since(epoch).saturating_sub(slot.late.total.as_nanos() as u64));
            if slot.number == (events as f64 * STALL_AT) as u64 {
                thread::sleep(STALL);
            }
            record.add(&slot, pacer.finish(&slot));
            done.fetch_add(1, Release);
        }
        over.store(true, Release);
        let seen_ns = observer.join().map_err(|_| Failure::because("the observer panicked"))??;
        let first_due_ns = first_due_ns.unwrap_or(0);
        let due = |event: usize| first_due_ns + event as u64 * 1_000_000_000 / PER_SECOND;
        let mut outside: Vec<u64> =
            seen_ns.iter().enumerate().map(|(event, ns)| ns.saturating_sub(due(event))).collect();
        outside.sort_unstable();
        let at = ((outside.len().saturating_sub(1)) as f64 * 0.99).round() as usize;
        let p99_us = |ns: u64| ns as f64 / 1e3;
        Ok(Honesty {
            response_us: p99_us(record.response().value_at_quantile(0.99)),
            service_us: p99_us(record.service().value_at_quantile(0.99)),
            outside_us: p99_us(outside.get(at).copied().unwrap_or(0)),
            events: record.events(),
        })
    })
}

impl Honesty {
    pub(crate) fn show(&self) -> String {
        let rows = [
            ("response time, reported", self.response_us),
            ("response time, seen from outside", self.outside_us),
            ("service time, reported", self.service_us),
        ];
        let rows = rows.map(|(what, us)| vec![what.to_owned(), format!("{us:.2}")]);
        format!(
            "{}\n\n{} events at {PER_SECOND} per second, of which one stalls for {} ms. The observer runs on another CPU, by the\n\
             standard library's clock, and knows the rate and when the first event was due. A tool that times from the actual\n\
             start would report the last row.",
            table::numbers(&["p99", "µs"], rows),
            self.events,
            STALL.as_millis()
        )
    }
}
