//! Threads that share a CPU and work one at a time, since timer slack and time slices belong to a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use bench_common::cpus;
use bench_common::failure::Failure;

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
        let lost = || Failure::because(format!("the thread of {} ended", self.name));
        self.orders.send(order).map_err(|_| lost())?;
        self.answers.recv().map_err(|_| lost())
    }
}

/// Binds the calling thread, and those that it will start, to the last CPU that it may use; says which are left.
pub(crate) fn bind_to_one() -> Result<(usize, Option<usize>), Failure> {
    let cpus = cpus::allowed()?;
    let Some((last, rest)) = cpus.split_last() else { return Err(Failure::because("no CPU may be used")) };
    cpus::bind(*last)?;
    Ok((*last, rest.last().copied()))
}

/// A thread that never sleeps, until it is dropped.
pub(crate) struct Hog {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hog {
    /// On the CPUs of the calling thread.
    pub(crate) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        let thread = thread::spawn(move || {
            while !seen.load(Relaxed) {
                std::hint::spin_loop();
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// CPU time of the calling thread in nanoseconds; 0 where it is not told.
pub(crate) fn cpu_ns() -> u64 {
    use chronoscope_sources::os::{OsClock, try_read_ns};
    try_read_ns(OsClock::ThreadCpuTime).unwrap_or(0)
}
