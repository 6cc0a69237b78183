use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// How threads wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiting {
    /// At a mutex with a condition variable: each must be woken.
    Asleep,
    /// They look again and again, and give up their CPU in between: nobody is woken.
    Running,
}

/// A latch at which threads wait to be released together, again and again.
#[derive(Debug)]
pub(super) struct Latch {
    threads: usize,
    waiting: Waiting,
    /// Those that wait.
    gathered: Mutex<usize>,
    /// Raised with the mutex held.
    releases: AtomicU64,
    released: Condvar,
    /// Threads that were released and are not done.
    left: AtomicUsize,
    is_closed: AtomicBool,
    /// The thread that releases the others.
    owner: Thread,
}

impl Latch {
    /// A latch for `threads` threads, which the current one releases.
    pub(super) fn of(threads: usize, waiting: Waiting) -> Self {
        Self {
            threads,
            waiting,
            gathered: Mutex::default(),
            releases: AtomicU64::new(0),
            released: Condvar::new(),
            left: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            owner: thread::current(),
        }
    }

    /// Waits for the next release; false once the latch is closed.
    pub(super) fn wait(&self) -> bool {
        let mut gathered = self.lock();
        *gathered += 1;
        if *gathered == self.threads {
            self.wake_owner();
        }
        let releases = self.releases.load(Ordering::Relaxed);
        // What the owner did before the release is visible after it.
        let is_held = || self.releases.load(Ordering::Acquire) == releases && !self.is_closed();
        match self.waiting {
            Waiting::Asleep => drop(self.released.wait_while(gathered, |_| is_held())),
            Waiting::Running => {
                drop(gathered);
                while is_held() {
                    thread::yield_now();
                }
            }
        }
        !self.is_closed()
    }

    /// Says that a released thread is done.
    pub(super) fn done(&self) {
        // Everything that a thread did before is visible to the owner.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.wake_owner();
        }
    }

    /// Waits until all threads wait; false once the latch is closed.
    pub(super) fn gather(&self) -> bool {
        self.wait_until(|| *self.lock() == self.threads)
    }

    /// Releases all threads, and waits until the last is done.
    pub(super) fn release(&self) {
        self.left.store(self.threads, Ordering::Relaxed);
        let mut gathered = self.lock();
        *gathered = 0;
        self.releases.fetch_add(1, Ordering::Release);
        drop(gathered);
        if self.waiting == Waiting::Asleep {
            self.released.notify_all();
        }
        self.wait_until(|| self.left.load(Ordering::Acquire) == 0);
    }

    /// Has the owner wait, as the threads do, until this is so; false once the latch is closed.
    fn wait_until(&self, is_so: impl Fn() -> bool) -> bool {
        while !self.is_closed() {
            if is_so() {
                return true;
            }
            match self.waiting {
                Waiting::Asleep => thread::park(),
                Waiting::Running => thread::yield_now(),
            }
        }
        false
    }

    fn wake_owner(&self) {
        if self.waiting == Waiting::Asleep {
            self.owner.unpark();
        }
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn close(&self) {
        // With the mutex held, so that nobody is between looking and falling asleep.
        let gathered = self.lock();
        self.is_closed.store(true, Ordering::Relaxed);
        drop(gathered);
        self.released.notify_all();
        self.owner.unpark();
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a latch when the thread that releases others leaves it, or one of them does in a panic: nobody waits forever.
pub(super) struct ClosesLatch<'a>(pub(super) &'a Latch);

impl Drop for ClosesLatch<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
