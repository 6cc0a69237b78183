//! A thread that never sleeps, for others to share a CPU with.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Keeps its CPU busy until told to stop.
pub(crate) fn hog(stop: &AtomicBool) {
    let mut turns = 0_u64;
    while !stop.load(Relaxed) {
        turns = black_box(turns.wrapping_mul(3) + 1);
    }
}
