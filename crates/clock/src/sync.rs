//! The atomics of the crate: the processor's, or loom's under `--cfg loom`, so that a model checker can run them.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// A value alone on its cache lines: two of 64 bytes, since processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Alone<T>(pub(crate) T);
