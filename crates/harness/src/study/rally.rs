//! Where the threads of an iteration meet.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};

/// Where the threads of an iteration meet: measuring starts only when all are running, and all keep running until each has
/// measured.
#[derive(Debug)]
pub(super) struct Rally {
    threads: u32,
    arrived: Apart<AtomicU32>,
    measuring: Apart<AtomicU32>,
    finished: Apart<AtomicU32>,
    abandoned: Apart<AtomicBool>,
}

/// On its own cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl Rally {
    pub(super) fn new(threads: u32) -> Self {
        Self {
            threads,
            arrived: Apart::default(),
            measuring: Apart::default(),
            finished: Apart::default(),
            abandoned: Apart::default(),
        }
    }

    /// This thread is running.
    pub(super) fn arrive(&self) {
        self.arrived.0.fetch_add(1, AcqRel);
    }

    /// This thread is measuring.
    pub(super) fn measure(&self) {
        self.measuring.0.fetch_add(1, AcqRel);
    }

    /// This thread has measured.
    pub(super) fn finish(&self) {
        self.finished.0.fetch_add(1, AcqRel);
    }

    /// This thread will do neither: the others need not wait for it.
    pub(super) fn abandon(&self) {
        self.abandoned.0.store(true, Release);
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.0.load(Acquire)
    }

    /// Whether all threads are running, or never will be.
    pub(super) fn all_arrived(&self) -> bool {
        self.arrived.0.load(Acquire) >= self.threads || self.is_abandoned()
    }

    /// Whether all threads are measuring or have measured, or never will.
    pub(super) fn all_measure(&self) -> bool {
        self.measuring.0.load(Acquire) >= self.threads || self.is_abandoned()
    }

    /// Whether all threads have measured, or never will.
    pub(super) fn all_finished(&self) -> bool {
        self.finished.0.load(Acquire) >= self.threads || self.is_abandoned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_must_come_unless_one_never_will() {
        let rally = Rally::new(2);
        rally.arrive();
        assert!(!rally.all_arrived());
        rally.arrive();
        rally.finish();
        assert!(rally.all_arrived() && !rally.all_finished());
        rally.abandon();
        assert!(rally.all_finished());
    }
}
