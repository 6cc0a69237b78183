use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// A latch at which threads wait, asleep, to be released together, again and again: a mutex with condition variables.
#[derive(Debug)]
pub(super) struct Latch {
    threads: usize,
    state: Mutex<State>,
    released: Condvar,
    /// Threads that were released and are not done.
    left: AtomicUsize,
    is_closed: AtomicBool,
    /// The thread that releases the others.
    owner: Thread,
}

#[derive(Debug, Default)]
struct State {
    waiting: usize,
    releases: u64,
}

impl Latch {
    /// A latch for `threads` threads, which the current one releases.
    pub(super) fn of(threads: usize) -> Self {
        Self {
            threads,
            state: Mutex::default(),
            released: Condvar::new(),
            left: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            owner: thread::current(),
        }
    }

    /// Waits for the next release; false once the latch is closed.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == self.threads {
            self.owner.unpark();
        }
        let releases = state.releases;
        let is_held = |state: &mut State| state.releases == releases && !self.is_closed();
        drop(self.released.wait_while(state, is_held));
        !self.is_closed()
    }

    /// Says that a released thread is done.
    pub(super) fn done(&self) {
        // Everything that a thread did before is visible to the owner.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.owner.unpark();
        }
    }

    /// Waits until all threads wait; false once the latch is closed.
    pub(super) fn gather(&self) -> bool {
        self.park_until(|| self.lock().waiting == self.threads)
    }

    /// Releases all threads, and waits until the last is done.
    pub(super) fn release(&self) {
        self.left.store(self.threads, Ordering::Relaxed);
        let mut state = self.lock();
        (state.waiting, state.releases) = (0, state.releases + 1);
        drop(state);
        self.released.notify_all();
        self.park_until(|| self.left.load(Ordering::Acquire) == 0);
    }

    /// Has the owner sleep until this is so; false once the latch is closed.
    fn park_until(&self, is_so: impl Fn() -> bool) -> bool {
        while !self.is_closed() {
            if is_so() {
                return true;
            }
            thread::park();
        }
        false
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn close(&self) {
        // With the mutex held, so that nobody is between looking and falling asleep.
        let state = self.lock();
        self.is_closed.store(true, Ordering::Relaxed);
        drop(state);
        self.released.notify_all();
        self.owner.unpark();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a latch when the thread that releases others leaves it, or one of them does in a panic: nobody waits forever.
pub(super) struct ClosesLatch<'a>(pub(super) &'a Latch);

impl Drop for ClosesLatch<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
