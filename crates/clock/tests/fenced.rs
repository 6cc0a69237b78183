//! A load that follows a read in the program, against the times by which another thread had made its stores visible.

use std::hint::black_box;
use std::sync::LazyLock;
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Relaxed, SeqCst},
    fence,
};
use std::thread;

use chronoscope_clock::{Clock, Instant};

/// Alone on its cache lines.
#[repr(align(128))]
struct Padded<T>(T);

const STORES: usize = 1 << 16;

/// Loads that were executed before the counter was read, and all of them.
fn early_loads(read: impl Fn(Clock) -> Instant) -> (usize, usize) {
    let clock = Clock::or_system();
    static FAR: LazyLock<Vec<AtomicU64>> = LazyLock::new(|| (0..1 << 21).map(AtomicU64::new).collect());
    let far = &**FAR;
    let (shared, is_done) = (Padded(AtomicU64::new(0)), AtomicBool::new(false));
    let (visible_by, looks) = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut visible_by = vec![clock.now(); STORES + 1];
            for (number, visible_by) in visible_by.iter_mut().enumerate().skip(1) {
                shared.0.store(number as u64, Relaxed);
                fence(SeqCst);
                *visible_by = clock.now_fenced();
            }
            is_done.store(true, Relaxed);
            visible_by
        });
        let mut looks = Vec::with_capacity(1 << 20);
        let mut at = 1_usize;
        while !is_done.load(Relaxed) && looks.len() < 1 << 20 {
            // A load that misses the caches: the read waits for it, and what follows the read may not.
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            black_box(far[(at >> 32) % far.len()].load(Relaxed));
            let now = read(clock);
            looks.push((now, shared.0.load(Relaxed)));
        }
        (writer.join().unwrap(), looks)
    });
    // Whoever looks after the next number was visible sees that one, or a later.
    let is_early = |(now, seen): &&(Instant, u64)| visible_by.get(*seen as usize + 1).is_some_and(|next| next < now);
    (looks.iter().filter(is_early).count(), looks.len())
}

#[test]
fn nothing_that_follows_a_fenced_read_runs_before_it() {
    let rounds = if cfg!(debug_assertions) { 10 } else { 100 };
    for _ in 0..rounds {
        let (early, all) = early_loads(Clock::now_fenced);
        assert_eq!(early, 0, "of {all} loads");
    }
}
