use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// A latch where this many threads wait until it is opened once for all of them: a mutex with a condition variable.
#[derive(Debug)]
pub struct Gate {
    expected: usize,
    state: Mutex<State>,
    full: Condvar,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: usize,
    open: bool,
}

impl Gate {
    pub fn new(expected: usize) -> Self {
        Self { expected, state: Mutex::default(), full: Condvar::new(), opened: Condvar::new() }
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == self.expected {
            self.full.notify_one();
        }
        while !state.open {
            state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until all expected threads are waiting.
    pub fn await_all(&self) {
        let mut state = self.lock();
        while state.waiting < self.expected {
            state = self.full.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets all pass.
    pub fn open(&self) {
        self.lock().open = true;
        self.opened.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a gate when dropped, so that no thread waits forever.
pub struct OpenAtLast<'a>(pub &'a Gate);

impl Drop for OpenAtLast<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// A latch where the thread that created it waits until this many others have counted down.
#[derive(Debug)]
pub struct Countdown {
    left: AtomicUsize,
    waiter: Thread,
}

impl Countdown {
    pub fn from(count: usize) -> Self {
        Self { left: AtomicUsize::new(count), waiter: thread::current() }
    }

    pub fn count_down(&self) {
        // Everything a thread did before counting down is visible to the waiting thread.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.waiter.unpark();
        }
    }

    pub fn wait(&self) {
        while self.left.load(Ordering::Acquire) > 0 {
            thread::park();
        }
    }
}
