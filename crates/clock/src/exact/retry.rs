use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// When to locate the data again after a failure that may pass: each time four times later than before. A hint: no value does harm.
#[derive(Debug)]
pub(super) struct Retry {
    due_ns: AtomicU64,
    attempts: AtomicU32,
}

const NEVER: u64 = u64::MAX;
const FIRST_NS: u64 = 1_000_000_000;
/// The longest wait is 17 minutes.
const LONGEST: u32 = 5;
const STOPPED: u32 = u32::MAX;

impl Retry {
    pub(super) const fn new() -> Self {
        Self { due_ns: AtomicU64::new(NEVER), attempts: AtomicU32::new(0) }
    }

    pub(super) fn schedule(&self, now_ns: u64) {
        let attempts = self.attempts.load(Relaxed);
        if attempts != STOPPED {
            self.due_ns.store(now_ns.saturating_add(FIRST_NS << (2 * attempts.min(LONGEST))), Relaxed);
            let _ = self.attempts.compare_exchange(attempts, attempts.min(LONGEST) + 1, Relaxed, Relaxed);
        }
    }

    /// Whoever needs an attempt may make the first one now.
    pub(super) fn allow(&self) {
        self.due_ns.store(0, Relaxed);
    }

    /// Whether it is time for another attempt, by whoever asks.
    pub(super) fn is_due(&self, now_ns: u64) -> bool {
        let due_ns = self.due_ns.load(Relaxed);
        let is_due = now_ns >= due_ns && self.attempts.load(Relaxed) != STOPPED;
        is_due && self.due_ns.compare_exchange(due_ns, NEVER, Relaxed, Relaxed).is_ok()
    }

    /// From now on no reading makes an attempt.
    pub(super) fn stop(&self) {
        self.attempts.store(STOPPED, Relaxed);
    }
}
