use core::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Release},
};

use crate::os::wait;

/// Ends waits before their deadline.
///
/// # Ordering
/// Writes before [`cancel`](Self::cancel) are visible to the waits it ends.
///
/// # Guarantees
/// `cancel` takes no lock and may be called in a signal handler.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::{Cancel, Pauser};
/// use std::time::Duration;
///
/// let stop = Cancel::new();
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut pauser = Pauser::new();
///         let waited = pauser.pause_or(Duration::from_secs(3600), &stop);
///         assert!(waited.cancelled);
///     });
///     stop.cancel();
/// });
/// ```
#[derive(Debug, Default)]
pub struct Cancel {
    /// 1 once it was cancelled. A plain atomic of the standard library: the kernel waits on its address.
    word: AtomicU32,
}

impl Cancel {
    /// Not cancelled yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(0) }
    }

    /// Ends every wait that was given this, current and future.
    pub fn cancel(&self) {
        self.word.store(1, Release);
        wait::wake(&self.word);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.word.load(Acquire) != 0
    }

    pub(super) fn word(&self) -> &AtomicU32 {
        &self.word
    }
}
