//! Operations in the harness's own loops, each in a function of its own. `tests/assembly.rs` builds this with the very
//! source of the loops and looks at their instructions; what hands out batches is replaced by a stand-in.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

mod record {
    pub mod study {
        pub type Parameters = std::collections::BTreeMap<String, String>;

        #[derive(Clone, Copy)]
        pub enum Handled {
            Bytes(u64),
            Items(u64),
        }
    }
}

mod memory {
    pub fn resident_bytes() -> Option<u64> {
        std::hint::black_box(None)
    }
}

mod phases {
    use std::hint::black_box;

    #[derive(Clone, Copy)]
    pub enum BatchKind {
        Loop,
        BackedOff,
        Single,
    }

    #[derive(Clone, Copy)]
    pub struct Batch {
        pub kind: BatchKind,
        pub operations: u64,
        pub tokens: u64,
    }

    pub struct Phases<'a>(pub &'a std::cell::Cell<u64>);

    impl Phases<'_> {
        #[inline(never)]
        pub fn next(&mut self) -> Option<Batch> {
            let left = self.0.get().checked_sub(1)?;
            self.0.set(left);
            let kind = [BatchKind::Loop, BatchKind::BackedOff, BatchKind::Single][(left % 3) as usize];
            Some(black_box(Batch { kind, operations: 3, tokens: 5 }))
        }

        #[inline(never)]
        pub fn starts(&mut self) {
            black_box(&self);
        }

        #[inline(never)]
        pub fn ends(&mut self) {
            black_box(&self);
        }

        pub fn ends_after(&mut self, ns: u64) {
            black_box(ns);
        }

        pub fn handles(&mut self, handled: crate::record::study::Handled) {
            let (crate::record::study::Handled::Bytes(of) | crate::record::study::Handled::Items(of)) = handled;
            black_box(of);
        }

        pub fn limit(&mut self, operations: u64) {
            black_box(operations);
        }

        pub fn shorten(&mut self, operations: u64) {
            black_box(operations);
        }

        pub fn parts(&mut self, ns: u64) {
            black_box(ns);
        }

        pub fn now_ns(&self) -> u64 {
            black_box(0)
        }
    }
}

#[allow(dead_code)]
#[path = "BENCHER"]
mod bencher;

#[allow(dead_code)]
#[path = "LATCH"]
mod latch;

#[path = "WORK"]
mod work;

use bencher::Bencher;

#[inline(never)]
fn loops_of_nothing(bencher: &mut Bencher<'_>) {
    bencher.iter(|| ());
}

#[inline(never)]
fn loops_of_a_store(bencher: &mut Bencher<'_>) {
    let word = AtomicU64::new(0);
    bencher.iter(|| word.store(1, Ordering::Relaxed));
}

#[inline(never)]
fn loops_of_an_exchange(bencher: &mut Bencher<'_>) {
    let word = AtomicU64::new(0);
    bencher.iter(|| word.store(1, Ordering::SeqCst));
}

#[inline(never)]
fn loops_of_a_link(bencher: &mut Bencher<'_>) {
    bencher.iter_chained(1_u64, |value| value.wrapping_mul(0x9E37_79B9_7F4A_7C15));
}

#[inline(never)]
fn loops_of_an_owned_value(bencher: &mut Bencher<'_>) {
    let mut value = 1_u64;
    bencher.iter(move || {
        value = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        value
    });
}

fn main() {
    let parameters = record::study::Parameters::new();
    let all: [fn(&mut Bencher<'_>); 5] = [
        loops_of_nothing,
        loops_of_a_store,
        loops_of_an_exchange,
        loops_of_a_link,
        loops_of_an_owned_value,
    ];
    for loops in all {
        for layout in 0..4 {
            let left = Cell::new(6);
            black_box(loops)(&mut Bencher::new(0, 1, layout, &parameters, phases::Phases(&left)));
        }
    }
    black_box(work::chain(1, black_box(3)));
    work::empty_loop(black_box(3));
}
