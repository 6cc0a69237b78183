//! Threads that share a CPU and work one at a time, since timer slack and time slices belong to a thread.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::Failure;
use bench_common::cpus::{allowed, beside_hogs, on_each};
use nix::time::{ClockId, clock_gettime};

/// A thread that does what it is told, in its own way.
pub(crate) struct Worker<Order, Answer> {
    pub(crate) name: &'static str,
    orders: Sender<Order>,
    answers: Receiver<Answer>,
}

impl<Order: Send + 'static, Answer: Send + 'static> Worker<Order, Answer> {
    /// `make` makes, on the thread, what answers orders.
    pub(crate) fn start<Serve: FnMut(Order) -> Answer>(
        name: &'static str,
        make: impl FnOnce() -> Serve + Send + 'static,
    ) -> Self {
        let (orders, received) = channel::<Order>();
        let (answer, answers) = channel();
        thread::spawn(move || {
            let mut serve = make();
            for order in received {
                if answer.send(serve(order)).is_err() {
                    return;
                }
            }
        });
        Self { name, orders, answers }
    }

    pub(crate) fn ask(&self, order: Order) -> Result<Answer, Failure> {
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
