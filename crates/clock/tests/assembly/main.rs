//! The reads as they are after compilation: the instructions that were meant, and none beside them.
//!
//! `examples/reads.rs` holds each read in a function of its own. It is built here in release mode, in a package whose
//! only dependency is this crate, and every way through each function is followed. A test that fails shows the function.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod arch;
mod asserts;
mod function;
mod memory;
mod program;
mod trace;

use asserts::{
    assert_converts_once, assert_is_sealed, assert_looks_twice, assert_reads_by, assert_spills_nothing, counter,
    fast_path, fast_paths, in_order, order_of,
};
use function::Kind;
use memory::{Access, Memory};
use program::Program;
use trace::{Decision, Value};

/// A number that depends on the architecture.
const fn by_architecture<T: Copy>(x86_64: T, aarch64: T) -> T {
    if cfg!(target_arch = "x86_64") { x86_64 } else { aarch64 }
}

/// The most instructions in an unordered read of the clock, its return included. Rust 1.95 needs 40 on x86-64 and 60 on
/// aarch64; four more are left to the whims of register allocation, and a second conversion or look does not fit.
const UNORDERED_AT_MOST: usize = by_architecture(44, 64);
/// As above for an ordered read, by the longer of its two ways: 48 and 67.
const ORDERED_AT_MOST: usize = by_architecture(52, 71);
/// As an unordered read, with a carry of seconds instead of their product: 49 and 66.
const TIMESPEC_AT_MOST: usize = by_architecture(56, 74);
/// What the unit is, the counter and its two halves put together.
const BARE_TICKS_AT_MOST: usize = by_architecture(8, 10);
/// What the unit is, where the parameters are, their seal, the counter and its two halves put together: 22 and 32.
const TICKS_AT_MOST: usize = by_architecture(24, 34);
/// As an unordered read, for a clock with a shared word: 46 and 70; 54 and 73 where it is loaded before the counter.
const GRANULAR_AT_MOST: usize = by_architecture(58, 77);
/// An address, a load and the return.
const RECENT_AT_MOST: usize = 4;
/// Registers that a read saves for its caller, since what follows a long gap is a call that comes back.
const SAVED_AT_MOST: usize = by_architecture(1, 3);
/// From the sequence number to behind the nanoseconds: words of 8 bytes, of which so many touch two lines at most.
const KERNEL_BYTES_AT_MOST: u64 = LINE + 8;
/// What of the vDSO's code seals the parameters.
const CODE_BYTES: u64 = by_architecture(8, 16);
const LINE: u64 = 64;

#[test]
fn the_unordered_read_is_a_bare_counter_between_two_looks() {
    let function = Program::get().function("read_unordered");
    let path = fast_path(&function);
    assert_reads_by(&function, &path, &[Kind::Counter], arch::AROUND_LOADS);
    assert_is_sealed(&function, &path);
    assert_looks_twice(&function, &path);
    assert_spills_nothing(&function, &path, SAVED_AT_MOST);
    assert_converts_once(&function, &path, UNORDERED_AT_MOST);
    // What is slow is elsewhere: here is one counter in all, and what would hold it back is nowhere.
    for kind in [Kind::SelfOrdered, Kind::Fence, Kind::FullBarrier, Kind::Barrier, Kind::Atomic] {
        assert_eq!(function.count(kind), 0, "{kind:?}\n{function}");
    }
    assert_eq!(function.count(Kind::Counter), 1, "{function}");
}

#[test]
fn the_ordered_read_keeps_the_counter_in_its_place() {
    let function = Program::get().function("read_ordered");
    for path in in_order(&function, arch::AROUND_LOADS) {
        assert_is_sealed(&function, &path);
        assert_looks_twice(&function, &path);
        assert_spills_nothing(&function, &path, SAVED_AT_MOST);
        assert_converts_once(&function, &path, ORDERED_AT_MOST);
    }
    assert_eq!(function.count(Kind::Counter) + function.count(Kind::SelfOrdered), 2, "{function}");
    assert_eq!(function.count(Kind::Atomic), 0, "{function}");
}

/// Later instructions wait too: on x86-64 at a fence behind it, on aarch64 at the barrier that the read has anyway, while earlier
/// loads need one before it.
#[test]
fn the_fenced_read_is_the_ordered_one_and_a_fence() {
    let function = Program::get().function("read_fenced");
    let paths = fast_paths(&function);
    assert_eq!(paths.len(), arch::IN_ORDER.len(), "{function}");
    for path in &paths {
        let order = order_of(path);
        let is_read_so = |read: &&[Kind]| {
            let ordered = [arch::AROUND_LOADS, read, arch::AROUND_LOADS].concat();
            order == [arch::FENCE_BEFORE, &ordered, arch::FENCE_BEHIND].concat()
        };
        assert!(arch::IN_ORDER.iter().any(is_read_so), "{order:?}\n{function}");
        assert_is_sealed(&function, path);
        assert_converts_once(&function, path, ORDERED_AT_MOST + 1);
    }
}

/// Nothing is divided, and the seconds are not multiplied: the one product is the conversion's.
#[test]
fn seconds_and_nanoseconds_are_read_apart() {
    for name in ["read_timespec", "read_realtime"] {
        let function = Program::get().function(name);
        let path = fast_path(&function);
        assert_reads_by(&function, &path, &[Kind::Counter], arch::AROUND_LOADS);
        assert_looks_twice(&function, &path);
        assert_converts_once(&function, &path, TIMESPEC_AT_MOST);
    }
    let function = Program::get().function("read_timespec");
    assert_is_sealed(&function, &fast_path(&function));
}

#[test]
fn unordered_ticks_are_a_bare_counter() {
    let function = Program::get().function("read_bare_ticks");
    let path = fast_path(&function);
    assert_eq!(order_of(&path), [Kind::Counter], "{function}");
    assert!(path.len() <= BARE_TICKS_AT_MOST, "{} instructions\n{function}", path.len());
    assert!(Access::of(&path).loads(Memory::Kernel).is_empty(), "the kernel's data are read\n{function}");
}

#[test]
fn ticks_are_in_order_and_not_converted() {
    let function = Program::get().function("read_ticks");
    for path in in_order(&function, &[]) {
        assert_is_sealed(&function, &path);
        assert_spills_nothing(&function, &path, 0);
        assert!(path.len() <= TICKS_AT_MOST, "{} instructions\n{function}", path.len());
        // What their unit is comes before all else.
        let access = Access::of(&path);
        let unit = access.loads(Memory::Unit);
        let [(number, load)] = unit[..] else { panic!("the unit is not asked for once: {unit:x?}\n{function}") };
        let is_asked = |decision: &Decision| decision.is_made_of(&Value::Loaded(number));
        let parameters = access.loads(Memory::Parameters)[0].1.at;
        assert!(load.at < parameters && access.trace.decisions.iter().any(is_asked), "{function}");
        assert!(access.loads(Memory::Kernel).is_empty(), "the kernel's data are read\n{function}");
    }
    for kind in [Kind::WideMultiply, Kind::Divide, Kind::Atomic] {
        assert_eq!(function.count(kind), 0, "{kind:?}\n{function}");
    }
}

/// Who is ahead by the granularity publishes, in a function of its own, so that the others' way is short.
#[test]
fn what_publishes_is_atomic_and_reads_no_clock() {
    let functions = Program::get().functions("advance");
    let [function] = &functions[..] else { panic!("not one function: {functions:?}") };
    assert!(function.count(Kind::Atomic) > 0, "nothing is ever published\n{function}");
    assert_eq!(function.count(Kind::Counter) + function.count(Kind::SelfOrdered), 0, "{function}");
}

#[test]
fn within_the_granularity_nothing_is_locked() {
    let function = Program::get().function("read_granular");
    for kind in [Kind::SelfOrdered, Kind::Fence, Kind::FullBarrier, Kind::Barrier] {
        assert_eq!(function.count(kind), 0, "{kind:?}\n{function}");
    }
    assert_eq!(function.count(Kind::Counter), 1, "{function}");
    let path = fast_path(&function);
    let access = Access::of(&path);
    let shared = access.loads(Memory::Elsewhere);
    // It holds all that the caller was shown.
    let is_later = shared.first().is_some_and(|(_, load)| load.at > counter(&function, &path));
    assert!(is_later, "the shared word is loaded before the counter\n{function}");
    assert_reads_by(&function, &path, &[Kind::Counter], arch::AROUND_LOADS);
    assert_is_sealed(&function, &path);
    assert_looks_twice(&function, &path);
    assert_converts_once(&function, &path, GRANULAR_AT_MOST);
    // Who writes has looked at a clock first: at the counter, or in the call that stands in for it.
    for path in function.paths() {
        let until_written = path.kinds().take_while(|kind| *kind != Kind::Atomic);
        let looks = until_written.filter(|kind| matches!(kind, Kind::Counter | Kind::Call)).count();
        assert!(looks > 0, "a way to return or to write without a look at the time\n{function}");
    }
}

#[test]
fn recent_is_a_load() {
    let function = Program::get().function("read_recent");
    assert_eq!(function.paths().len(), 1, "{function}");
    let path = fast_path(&function);
    assert_eq!(order_of(&path), [], "{function}");
    assert!(path.len() <= RECENT_AT_MOST, "{} instructions\n{function}", path.len());
}

/// Our parameters, the vDSO's code that seals them and the kernel's data: no other memory, and of each as few lines as said.
#[test]
fn a_read_touches_one_line_of_parameters() {
    let parameters = Program::get().symbol("5clock7PROCESS");
    for (name, ways, slots) in [("read_unordered", 1, 1), ("read_ordered", 2, 1), ("read_ticks", 2, 2)] {
        let function = Program::get().function(name);
        let paths = fast_paths(&function);
        assert_eq!(paths.len(), ways, "{function}");
        for path in &paths {
            let access = Access::of(path);
            assert!(access.loads(Memory::Elsewhere).is_empty(), "{access:#x?}\n{function}");
            // Each says where something is, which the loader writes once.
            assert!(access.loads(Memory::Slot).len() <= slots, "{access:#x?}\n{function}");
            let ours = access.loads(Memory::Parameters);
            let line = ours[0].1.address.least / LINE * LINE;
            let is_inside = |address: u64| parameters.contains(&address);
            assert!(is_inside(line) && is_inside(line + LINE - 1), "others share the parameters' line\n{function}");
            let is_on_line =
                |load: &&trace::Load| load.address.least >= line && load.address.most + load.bytes <= line + LINE;
            assert!(ours.iter().all(|(_, load)| is_on_line(load)), "{access:#x?}\n{function}");
            assert_eq!(access.extent(Memory::Code), CODE_BYTES, "{access:#x?}\n{function}");
            let kernel = access.extent(Memory::Kernel);
            assert!(kernel <= KERNEL_BYTES_AT_MOST, "{kernel} bytes of the kernel's data\n{function}");
        }
    }
}
