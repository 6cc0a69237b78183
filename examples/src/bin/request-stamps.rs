//! Timestamps requests on each thread they pass through, and separates queueing from service.
//!
//! Timestamps from different threads are compared. This is sound because the clock is causal: a worker that has
//! received a request never reads a time before the request's timestamp. With an unfenced counter read, it could.

use std::error::Error;
use std::hint::black_box;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use chronoscope_clock::{Clock, Instant, WallAnchor};
use hdrhistogram::Histogram;

const CLIENTS: u64 = 4;
const REQUESTS_EACH: u64 = 20_000;
const WORKERS: usize = 2;
const BATCH: u64 = 64;

/// A request, and when the client sent it.
struct Request {
    work: u64,
    sent: Instant,
    done: Sender<Done>,
}

/// The completed request.
struct Done {
    sent: Instant,
    started: Instant,
    ended: Instant,
    result: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    Clock::warm_up(); // the first read would take 10 µs
    let (requests, queue) = channel();
    let queue = Arc::new(Mutex::new(queue));
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || work(&queue))
        })
        .collect();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let requests = requests.clone();
            thread::spawn(move || ask(&requests))
        })
        .collect();
    drop(requests);

    let (mut queued, mut served) = (Histogram::<u64>::new(3)?, Histogram::<u64>::new(3)?);
    let mut first = Instant::now();
    let mut backward = 0_u64;
    for client in clients {
        for done in client.join().map_err(|_| "a client panicked")? {
            black_box(done.result);
            first = first.min(done.sent);
            // With a causal clock this is never None.
            match done.started.checked_duration_since(done.sent) {
                Some(waited) => queued.record(nanos(waited))?,
                None => backward += 1,
            }
            served.record(nanos(done.ended - done.started))?;
        }
    }
    for worker in workers {
        worker.join().map_err(|_| "a worker panicked")?;
    }

    // Only now are timestamps converted to time of day, all by one offset, which preserves order and distances.
    let wall = WallAnchor::take(Clock::or_system())?;
    println!(
        "{} requests, the first {} ns after 1970, ± {:?}",
        queued.len(),
        wall.unix_nanos(first),
        wall.error_bound()
    );
    for (what, seen) in [("queued", &queued), ("served", &served)] {
        let at = |quantile| Duration::from_nanos(seen.value_at_quantile(quantile));
        println!("{what}: p50 {:?}, p99 {:?}, longest {:?}", at(0.5), at(0.99), at(1.0));
    }
    println!("started before they were sent: {backward}");
    if backward == 0 { Ok(()) } else { Err("stamps went backwards between threads".into()) }
}

fn ask(requests: &Sender<Request>) -> Vec<Done> {
    let mut all = Vec::with_capacity(REQUESTS_EACH as usize);
    for batch in 0..REQUESTS_EACH.div_ceil(BATCH) {
        let (done, answers) = channel();
        for work in (batch * BATCH..REQUESTS_EACH).take(BATCH as usize) {
            let request = Request { work, sent: Instant::now(), done: done.clone() };
            if requests.send(request).is_err() {
                return all;
            }
        }
        drop(done);
        all.extend(answers);
    }
    all
}

fn work(queue: &Mutex<Receiver<Request>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Request { work, sent, done }) = next else { return };
        let started = Instant::now();
        let result = (0..work % 500).fold(work, |sum, term| black_box(sum ^ term.wrapping_mul(0x9e37_79b9)));
        // The client may have gone.
        let _ = done.send(Done { sent, started, ended: Instant::now(), result });
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
