//! Where the threads of an iteration meet.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};

/// Where the threads of an iteration meet: measuring starts only when all are running, and all keep running until each has
/// measured.
#[derive(Debug)]
pub(super) struct Rally {
    pub(super) threads: u32,
    /// Threads that have come so far, for each milestone.
    come: [Apart<AtomicU32>; 3],
    abandoned: Apart<AtomicBool>,
}

/// What each thread comes to, in this order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Milestone {
    Running,
    Measuring,
    Measured,
}

/// On its own cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl Rally {
    pub(super) fn new(threads: u32) -> Self {
        Self { threads, come: Default::default(), abandoned: Apart::default() }
    }

    /// This thread has come to a milestone.
    pub(super) fn comes(&self, to: Milestone) {
        self.come[to as usize].0.fetch_add(1, AcqRel);
    }

    /// Whether all threads have, or never will.
    pub(super) fn have_all_come(&self, to: Milestone) -> bool {
        self.come[to as usize].0.load(Acquire) >= self.threads || self.is_abandoned()
    }

    /// This thread will come to no other: the others need not wait for it.
    pub(super) fn abandon(&self) {
        self.abandoned.0.store(true, Release);
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.0.load(Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_must_come_unless_one_never_will() {
        let rally = Rally::new(2);
        rally.comes(Milestone::Running);
        assert!(!rally.have_all_come(Milestone::Running));
        rally.comes(Milestone::Running);
        rally.comes(Milestone::Measured);
        assert!(rally.have_all_come(Milestone::Running) && !rally.have_all_come(Milestone::Measured));
        rally.abandon();
        assert!(rally.have_all_come(Milestone::Measured));
    }
}
