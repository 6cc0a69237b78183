//! The reads as they are after compilation: the instructions that were meant, and none beside them.
//!
//! `examples/reads.rs` holds each read in a function of its own. It is built here in release mode, in a package whose
//! only dependency is this crate, and every way through each function is followed. A test that fails shows the function.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod arch;
mod function;
mod memory;
mod program;
mod trace;

use function::{Function, Kind, Path};
use memory::{Access, Memory};
use program::Program;
use trace::{Decision, Operation, Value};

/// A number that depends on the architecture.
const fn by_architecture<T: Copy>(x86_64: T, aarch64: T) -> T {
    if cfg!(target_arch = "x86_64") { x86_64 } else { aarch64 }
}

/// The most instructions in an unordered read of the clock, its return included. Rust 1.95 needs 40 on x86-64 and 60 on
/// aarch64; four more are left to the whims of register allocation, and a second conversion or look does not fit.
const UNORDERED_AT_MOST: usize = by_architecture(44, 64);
/// As above for an ordered read, by the longer of its two ways: 48 and 67.
const ORDERED_AT_MOST: usize = by_architecture(52, 71);
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

/// What decides where in the program's order the counter is read, as it comes on `path`.
fn order_of(path: &Path) -> Vec<Kind> {
    const ORDERING: [Kind; 6] =
        [Kind::Counter, Kind::SelfOrdered, Kind::Fence, Kind::LoadBarrier, Kind::FullBarrier, Kind::Barrier];
    path.kinds().filter(|kind| ORDERING.contains(kind)).collect()
}

/// Where on `path` the counter is read: once.
#[track_caller]
fn counter(function: &Function, path: &Path) -> usize {
    let is_counter = |kind: &Kind| matches!(kind, Kind::Counter | Kind::SelfOrdered);
    let places: Vec<_> = path.kinds().enumerate().filter(|(_, kind)| is_counter(kind)).map(|(at, _)| at).collect();
    assert_eq!(places.len(), 1, "reads of the counter on the fast path\n{function}");
    places[0]
}

/// `path` reads the counter by `read`, one instruction right behind the other, and nothing else orders it but `around`.
#[track_caller]
fn assert_reads_by(function: &Function, path: &Path, read: &[Kind], around: &[Kind]) {
    assert_eq!(order_of(path), [around, read, around].concat(), "{function}");
    let kinds: Vec<_> = path.kinds().collect();
    assert!(kinds.windows(read.len()).any(|run| run == read), "something lies within {read:?}\n{function}");
}

/// The two ways of the function to read the counter in order, each of which is taken by the CPUs that are meant.
#[track_caller]
fn in_order<'a>(function: &'a Function, around: &[Kind]) -> Vec<Path<'a>> {
    let paths = fast_paths(function);
    assert_eq!(paths.len(), arch::IN_ORDER.len(), "ways to read the counter in order\n{function}");
    for read in arch::IN_ORDER {
        let is_read_so = |path: &&Path| path.kinds().any(|kind| kind == read[read.len() - 1]);
        let path = paths.iter().find(is_read_so).unwrap_or_else(|| panic!("no way reads by {read:?}\n{function}"));
        assert_reads_by(function, path, read, around);
        assert_depends_on_the_cpu(function, path, read == [Kind::SelfOrdered]);
        assert_holds_loads_back(function, path);
    }
    paths
}

/// A bit of the parameters says whether the CPU has the read that keeps its own place, and leads to it only then.
#[track_caller]
fn assert_depends_on_the_cpu(function: &Function, path: &Path, is_self_ordered: bool) {
    let access = Access::of(path);
    let counter = counter(function, path);
    let [_, found] = access.parameters().unwrap_or_else(|| panic!("no parameters\n{access:#x?}\n{function}"));
    let asks = |decision: &Decision| match decision.masked() {
        Some((Value::Loaded(number), mask, 0)) => *number == found && mask.is_power_of_two() && decision.at < counter,
        _ => false,
    };
    let answers: Vec<_> = access.trace.decisions.iter().filter(|decision| asks(decision)).collect();
    assert_eq!(answers.len(), 1, "branches on a bit of the parameters\n{function}");
    assert_eq!(answers[0].are_equal, Some(!is_self_ordered), "the wrong way for a CPU\n{function}");
}

/// aarch64: the counter's value leads to the address of the very next load, behind which a barrier can hold others.
#[track_caller]
fn assert_holds_loads_back(function: &Function, path: &Path) {
    if cfg!(target_arch = "x86_64") {
        return;
    }
    let at = counter(function, path);
    let access = Access::of(path);
    let load = access.trace.loads.iter().find(|load| load.at > at).expect("a load follows");
    let nothing = Value::of(Operation::Xor, [Value::Counter(at), Value::Counter(at)]);
    assert_eq!(load.at, at + 3, "something lies between the counter and the load that depends on it\n{function}");
    assert_eq!(load.address.base, [Value::Stack, nothing], "the load does not depend on the counter\n{function}");
}

/// The parameters are used only where there are some and the vDSO's code is still that with which they were sealed.
#[track_caller]
fn assert_is_sealed(function: &Function, path: &Path) {
    let access = Access::of(path);
    let [code, found] = access.parameters().unwrap_or_else(|| panic!("no parameters\n{access:#x?}\n{function}"));
    let (code, found) = (Value::Loaded(code), Value::Loaded(found));
    let seals = access.loads(Memory::Code);
    let is_asked_first = |decision: &Decision| decision.at < seals[0].1.at && decision.is_made_of(&found);
    assert!(access.trace.decisions.iter().any(is_asked_first), "nobody asks whether anything was found\n{function}");
    assert!(seals.iter().all(|(_, load)| load.address.base == [code.clone()]), "{function}");
    let until = access.loads(Memory::Kernel).first().map_or(counter(function, path), |(_, load)| load.at);
    let is_seal = |decision: &Decision| {
        let is_meant = matches!(decision.masked(), Some((_, _, 0))) && decision.are_equal == Some(true);
        let is_of_all = seals.iter().all(|(number, _)| decision.is_made_of(&Value::Loaded(*number)));
        is_meant && is_of_all && decision.is_made_of(&found) && decision.at < until
    };
    assert!(access.trace.decisions.iter().any(is_seal), "the seal is not compared before it counts\n{function}");
}

/// The sequence number is looked at before the counter, and again after everything, and is the same.
#[track_caller]
fn assert_looks_twice(function: &Function, path: &Path) {
    let access = Access::of(path);
    let counter = counter(function, path);
    let kernel = access.loads(Memory::Kernel);
    let looks: Vec<_> = kernel.iter().filter(|(_, load)| load.address.most == 0).collect();
    assert_eq!(looks.len(), 2, "looks at the sequence number\n{function}");
    let ((before, first), (after, second)) = (looks[0], looks[1]);
    assert_eq!((&first.address, first.bytes), (&second.address, second.bytes), "looks at two places\n{function}");
    assert!(first.at < counter && counter < second.at, "the counter is not read between the looks\n{function}");
    assert!(kernel.len() > 2, "nothing is read between the looks\n{function}");
    for (_, load) in &kernel {
        assert!(load.at >= first.at && load.at <= second.at, "data are read outside of the looks\n{function}");
    }

    let [before, after] = [before, after].map(|number| Value::Loaded(*number));
    let decisions = &access.trace.decisions;
    let is_same = |decision: &Decision| {
        let is_meant = decision.compared.contains(&before) && decision.compared.contains(&after);
        is_meant && decision.are_equal == Some(true)
    };
    assert!(decisions.iter().any(is_same), "the looks are not compared\n{function}");
    let is_even = |decision: &Decision| match decision.masked() {
        Some((value, mask, number)) => *value == before && mask & 1 == 1 && number & 1 == 0 && decision.at < counter,
        None => false,
    };
    let asks_even = |decision: &Decision| is_even(decision) && decision.are_equal == Some(true);
    assert!(decisions.iter().any(asks_even), "an odd sequence number is taken\n{function}");
    let asks_mode = |decision: &Decision| {
        let has_mode = decision.masked().is_none_or(|(_, mask, _)| mask >> 32 == u32::MAX.into());
        decision.is_made_of(&before) && has_mode && decision.at < counter
    };
    assert!(decisions.iter().any(asks_mode), "the mode is not asked for\n{function}");

    // Where loads are not in order by themselves: one barrier right behind the first look, and one before the second.
    let barriers: Vec<_> = path.kinds().enumerate().filter(|(_, kind)| *kind == Kind::LoadBarrier).collect();
    assert_eq!(barriers.len(), 2 * arch::AROUND_LOADS.len(), "{function}");
    let data: Vec<_> =
        kernel.iter().map(|(_, load)| load.at).filter(|at| *at != first.at && *at != second.at).collect();
    if let [(opening, _), (closing, _)] = barriers[..] {
        let begins = first.at < opening && opening < counter && data.iter().all(|at| opening < *at);
        let ends = data.iter().all(|at| *at < closing) && counter < closing && closing < second.at;
        assert!(begins && ends, "a barrier lies at the wrong place\n{function}");
    }
}

/// One conversion, and nothing slow: after a long gap, which is asked for, something else converts.
#[track_caller]
fn assert_converts_once(function: &Function, path: &Path, at_most: usize) {
    for kind in [Kind::WideMultiply, Kind::Divide] {
        assert_eq!(function.count(kind), 0, "{kind:?}\n{function}");
    }
    let is_gap = |decision: &Decision| {
        decision.compared.iter().any(Value::is_made_of_counter)
            && decision.compared.iter().any(|value| matches!(value, Value::Known(_)))
    };
    assert!(Access::of(path).trace.decisions.iter().any(is_gap), "nobody asks for a long gap\n{function}");
    assert!(path.len() <= at_most, "{} instructions on the fast path, not {at_most}\n{function}", path.len());
}

/// Nothing is written, nor kept in memory because there are too few registers.
#[track_caller]
fn assert_spills_nothing(function: &Function, path: &Path, saved_at_most: usize) {
    let access = Access::of(path);
    assert!(access.only_saves_registers(), "{:#x?}\n{function}", access.trace.stores);
    assert!(access.stored() <= saved_at_most, "{} registers are saved\n{function}", access.stored());
}

#[test]
fn the_unordered_read_is_a_bare_counter_between_two_looks() {
    let function = Program::get().function("read_unordered");
    let path = fast_path(&function);
    assert_reads_by(&function, &path, &[Kind::Counter], arch::AROUND_LOADS);
    assert_is_sealed(&function, &path);
    assert_looks_twice(&function, &path);
    assert_converts_once(&function, &path, UNORDERED_AT_MOST);
    assert_spills_nothing(&function, &path, SAVED_AT_MOST);
    // What is slow is elsewhere: here is one counter in all, and what would hold it back is nowhere.
    assert_eq!(order_of(&path).len(), 1 + 2 * arch::AROUND_LOADS.len());
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
        assert_converts_once(&function, &path, ORDERED_AT_MOST);
        assert_spills_nothing(&function, &path, SAVED_AT_MOST);
    }
    assert_eq!(function.count(Kind::Counter) + function.count(Kind::SelfOrdered), 2, "{function}");
    assert_eq!(function.count(Kind::Atomic), 0, "{function}");
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

#[test]
fn within_the_granularity_nothing_is_locked() {
    for (name, ways) in [("read_granular", 1), ("read_adaptive", 1), ("read_full_resolution", 2)] {
        let function = Program::get().function(name);
        for kind in [Kind::SelfOrdered, Kind::Fence, Kind::FullBarrier, Kind::Barrier] {
            assert_eq!(function.count(kind), 0, "{kind:?}\n{function}");
        }
        assert_eq!(function.count(Kind::Counter), 1, "{function}");
        assert!(function.count(Kind::Atomic) > 0, "nothing is ever published\n{function}");
        let paths = fast_paths(&function);
        assert_eq!(paths.len(), ways, "ways to return without a call and without an atomic operation\n{function}");
        for path in &paths {
            assert_reads_by(&function, path, &[Kind::Counter], arch::AROUND_LOADS);
            assert_is_sealed(&function, path);
            assert_looks_twice(&function, path);
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
