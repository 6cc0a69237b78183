//! What the fast paths of a read must be.

use crate::arch;
use crate::function::{Function, Kind, Path};
use crate::memory::{Access, Memory};
use crate::trace::{Decision, Operation, Value};

/// The paths on which a call returns by itself, without help and without writing to shared memory.
pub(crate) fn fast_paths(function: &Function) -> Vec<Path<'_>> {
    let is_fast = |path: &Path| path.returns() && path.count(Kind::Call) + path.count(Kind::Atomic) == 0;
    function.paths().into_iter().filter(is_fast).collect()
}

/// The one such path there is.
pub(crate) fn fast_path(function: &Function) -> Path<'_> {
    let mut paths = fast_paths(function);
    assert_eq!(paths.len(), 1, "ways to return without a call and without an atomic operation\n{function}");
    paths.remove(0)
}

/// What decides where in the program's order the counter is read, as it comes on `path`.
pub(crate) fn order_of(path: &Path) -> Vec<Kind> {
    const ORDERING: [Kind; 6] =
        [Kind::Counter, Kind::SelfOrdered, Kind::Fence, Kind::LoadBarrier, Kind::FullBarrier, Kind::Barrier];
    path.kinds().filter(|kind| ORDERING.contains(kind)).collect()
}

/// Where on `path` the counter is read: once.
#[track_caller]
pub(crate) fn counter(function: &Function, path: &Path) -> usize {
    let is_counter = |kind: &Kind| matches!(kind, Kind::Counter | Kind::SelfOrdered);
    let places: Vec<_> = path.kinds().enumerate().filter(|(_, kind)| is_counter(kind)).map(|(at, _)| at).collect();
    assert_eq!(places.len(), 1, "reads of the counter on the fast path\n{function}");
    places[0]
}

/// `path` reads the counter by `read`, one instruction right behind the other, and nothing else orders it but `around`.
#[track_caller]
pub(crate) fn assert_reads_by(function: &Function, path: &Path, read: &[Kind], around: &[Kind]) {
    assert_eq!(order_of(path), [around, read, around].concat(), "{function}");
    let kinds: Vec<_> = path.kinds().collect();
    assert!(kinds.windows(read.len()).any(|run| run == read), "something lies within {read:?}\n{function}");
}

/// The two ways of the function to read the counter in order, each of which is taken by the CPUs that are meant.
#[track_caller]
pub(crate) fn in_order<'a>(function: &'a Function, around: &[Kind]) -> Vec<Path<'a>> {
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

/// The parameters are used only where the vDSO's code is that with which they were sealed: where there are none, it never is.
#[track_caller]
pub(crate) fn assert_is_sealed(function: &Function, path: &Path) {
    let access = Access::of(path);
    let [code, found] = access.parameters().unwrap_or_else(|| panic!("no parameters\n{access:#x?}\n{function}"));
    let (code, found) = (Value::Loaded(code), Value::Loaded(found));
    let seals = access.loads(Memory::Code);
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
pub(crate) fn assert_looks_twice(function: &Function, path: &Path) {
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
pub(crate) fn assert_converts_once(function: &Function, path: &Path, at_most: usize) {
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
pub(crate) fn assert_spills_nothing(function: &Function, path: &Path, saved_at_most: usize) {
    let access = Access::of(path);
    assert!(access.only_saves_registers(), "{:#x?}\n{function}", access.trace.stores);
    assert!(access.stored() <= saved_at_most, "{} registers are saved\n{function}", access.stored());
}
