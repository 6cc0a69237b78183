//! Threads that share a CPU and work one at a time, since timer slack and time slices belong to a thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::Failure;
use bench_common::cpus::{allowed, beside_hogs, on_each};
use nix::time::{ClockId, clock_gettime};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// Microseconds that each takes, or waits per second.
    pub(crate) setting: u64,
    pub(crate) count: usize,
}

/// What a way did at a setting in a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    /// How late each wait ended, in nanoseconds, rising.
    pub(crate) late_ns: Vec<f64>,
    pub(crate) cpu_share: f64,
    /// From one wait to the next, and how long each is to be.
    pub(crate) each_ns: f64,
    pub(crate) planned_ns: f64,
    /// Of events at a rate.
    pub(crate) error_ppm: Option<f64>,
}

pub(crate) struct Way {
    pub(crate) name: &'static str,
    orders: Sender<Order>,
    answers: Receiver<Taken>,
}

impl Way {
    /// `make` makes, on the thread, what answers orders.
    pub(crate) fn start<Serve: FnMut(Order) -> Taken>(
        name: &'static str,
        make: impl FnOnce() -> Serve + Send + 'static,
    ) -> Self {
        let (orders, received) = channel();
        let (answer, answers) = channel();
        thread::spawn(move || {
            let mut serve = make();
            received.into_iter().try_for_each(|order| answer.send(serve(order)))
        });
        Self { name, orders, answers }
    }

    pub(crate) fn ask(&self, order: Order) -> Result<Taken, Failure> {
        let lost = || Failure::run(format!("the thread of {} ended", self.name));
        self.orders.send(order).map_err(|_| lost())?;
        self.answers.recv().map_err(|_| lost())
    }
}

/// Does `work` on a thread that is bound, as those that it starts, to the last CPU that may be used, with a neighbour that never
/// sleeps if `is_loaded`. `work` is told another CPU, if there is one.
pub(crate) fn on_one_cpu<T: Send>(
    is_loaded: bool,
    work: impl Fn(Option<u32>) -> Result<T, Failure> + Sync,
) -> Result<T, Failure> {
    let cpus = allowed()?;
    let (rest, last) = cpus.split_at(cpus.len() - 1);
    let hogged = if is_loaded { last } else { &[] };
    let done = on_each(last, |_| beside_hogs(hogged, || work(rest.last().copied())))?;
    done.into_iter().next().ok_or_else(|| Failure::run("there is no CPU"))
}

/// The share of a CPU that `work` takes; 0 where it is not told.
pub(crate) fn cpu_share_of(work: impl FnOnce()) -> f64 {
    let cpu = || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from);
    let (began, before) = (Instant::now(), cpu());
    work();
    let wall = began.elapsed().max(Duration::from_nanos(1));
    cpu().saturating_sub(before).div_duration_f64(wall).min(1.0)
}
