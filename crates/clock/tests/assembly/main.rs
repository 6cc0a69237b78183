//! The reads as they are after compilation: the instructions that were meant, and none beside them.
//!
//! `examples/reads.rs` holds each read in a function of its own. It is built here in release mode, in a package whose
//! only dependency is this crate, and every way through each function is followed. A test that fails shows the function.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod arch;
mod function;
mod program;

use function::{Function, Kind, Path};
use program::Program;

/// The most instructions in a read of the clock, its return included. Rust 1.95 needs 28 on x86-64 and 27 on aarch64;
/// a few more are left to the whims of register allocation, and a second conversion does not fit.
const CLOCK_AT_MOST: usize = 32;
/// As above for a clock with a shared word: one load, one comparison and the registers saved around the slow path.
const GRANULAR_AT_MOST: usize = 48;
/// Where the parameters are, whether there are any, the fence, the counter and its two halves put together.
const TICKS_AT_MOST: usize = 12;
/// An address, a load and the return.
const RECENT_AT_MOST: usize = 4;

/// The paths on which a call returns by itself, without help and without writing to shared memory.
fn fast_paths(function: &Function) -> Vec<Path<'_>> {
    let is_fast = |path: &Path| path.returns() && path.count(Kind::Call) + path.count(Kind::Atomic) == 0;
    function.paths().into_iter().filter(is_fast).collect()
}

/// The one such path there is.
fn fast_path(function: &Function) -> Path<'_> {
    let mut paths = fast_paths(function);
    assert_eq!(paths.len(), 1, "ways to return without a call and without an atomic operation\n{function}");
    paths.remove(0)
}

/// One conversion of one reading of the counter, and nothing slow.
#[track_caller]
fn assert_converts_once(function: &Function, path: &Path, at_most: usize) {
    for (kind, count) in [(Kind::Counter, 1), (Kind::Multiply, 1), (Kind::Divide, 0), (Kind::Barrier, 0)] {
        assert_eq!(path.count(kind), count, "{kind:?} on the fast path\n{function}");
    }
    assert!(path.len() <= at_most, "{} instructions on the fast path, not {at_most}\n{function}", path.len());
}

/// A fence, and the counter read by the very next instruction.
#[track_caller]
fn assert_is_ordered(function: &Function, path: &Path) {
    assert_eq!(path.count(Kind::Fence), 1, "fences on the fast path\n{function}");
    assert_eq!(path.count(Kind::Counter), 1, "reads of the counter on the fast path\n{function}");
    let is_pair = path.kinds().zip(path.kinds().skip(1)).any(|pair| pair == (Kind::Fence, Kind::Counter));
    assert!(is_pair, "between the fence and the read of the counter lies something\n{function}");
}

#[test]
fn the_unordered_read_is_a_bare_counter_and_one_multiplication() {
    let function = Program::get().function("read_unordered");
    assert_converts_once(&function, &fast_path(&function), CLOCK_AT_MOST);
    for (kind, count) in [(Kind::Counter, 1), (Kind::Fence, 0), (Kind::Atomic, 0), (Kind::Barrier, 0)] {
        assert_eq!(function.count(kind), count, "{kind:?}\n{function}");
    }
}

#[test]
fn the_ordered_read_is_fenced() {
    let function = Program::get().function("read_ordered");
    let path = fast_path(&function);
    assert_converts_once(&function, &path, CLOCK_AT_MOST);
    assert_is_ordered(&function, &path);
    assert_eq!(function.count(Kind::Atomic), 0, "{function}");
}

#[test]
fn ticks_are_fenced_and_not_converted() {
    let function = Program::get().function("read_ticks");
    let path = fast_path(&function);
    assert_is_ordered(&function, &path);
    assert_eq!(function.count(Kind::Multiply) + function.count(Kind::Atomic), 0, "{function}");
    assert!(path.len() <= TICKS_AT_MOST, "{} instructions\n{function}", path.len());
}

#[test]
fn within_the_granularity_nothing_is_locked() {
    for (name, ways) in [("read_granular", 1), ("read_adaptive", 1), ("read_full_resolution", 2)] {
        let function = Program::get().function(name);
        assert_eq!(function.count(Kind::Fence) + function.count(Kind::Barrier), 0, "{function}");
        assert_eq!(function.count(Kind::Counter), 1, "{function}");
        assert!(function.count(Kind::Atomic) > 0, "nothing is ever published\n{function}");
        let paths = fast_paths(&function);
        assert_eq!(paths.len(), ways, "ways to return without a call and without an atomic operation\n{function}");
        for path in &paths {
            assert_converts_once(&function, path, GRANULAR_AT_MOST);
        }
        // Who writes has looked at a clock first: at the counter, or in the call that stands in for it.
        for path in function.paths() {
            let until_written = path.kinds().take_while(|kind| *kind != Kind::Atomic);
            let looks = until_written.filter(|kind| matches!(kind, Kind::Counter | Kind::Call)).count();
            assert!(looks > 0, "a way to return or to write without a look at the time\n{function}");
        }
    }
}

#[test]
fn recent_is_a_load() {
    let function = Program::get().function("read_recent");
    assert_eq!(function.paths().len(), 1, "{function}");
    let path = fast_path(&function);
    for kind in [Kind::Counter, Kind::Fence, Kind::Barrier, Kind::Multiply] {
        assert_eq!(path.count(kind), 0, "{kind:?}\n{function}");
    }
    assert!(path.len() <= RECENT_AT_MOST, "{} instructions\n{function}", path.len());
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_read_touches_one_line_of_parameters() {
    const LINE: u64 = 64;
    let program = Program::get();
    let parameters = program.symbol("5clock7PROCESS");
    for name in ["read_unordered", "read_ordered", "read_ticks"] {
        let function = program.function(name);
        let path = fast_path(&function);
        let loads = arch::loads(&path, |slot| program.relocated(slot)).unwrap_or_else(|text| {
            panic!("where does this load from: {text}\n{function}");
        });
        // Beside the parameters: the slot that says where they are, which the loader writes once.
        let (inside, beside): (Vec<_>, Vec<_>) = loads.iter().partition(|load| parameters.contains(&load.start));
        let lines: Vec<_> = inside.iter().flat_map(|load| [load.start / LINE, (load.end - 1) / LINE]).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| *line == lines[0]), "{loads:x?}\n{function}");
        assert!(beside.len() <= 1, "{loads:x?}\n{function}");
    }
}
