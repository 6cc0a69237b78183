//! From estimates to the verdict: which clocks can be trusted, and what they can time.

use chronoscope_clock::os::OsClock;
use chronoscope_clock::{Guarantee, SourceId};

use crate::record::{ClockReport, Path, Question, Record, TscClass};

/// A clock with steps of this length or more is coarse.
pub(crate) const COARSE_NS: f64 = 1000.0;

/// Fills in `record.verdict` from the rest of the record.
pub(crate) fn conclude(record: &mut Record) {
    let clock = |id: SourceId| record.clocks.iter().find(|clock| clock.name == id.name());
    let on_fast_path = clock(SourceId::Os(OsClock::Monotonic))
        .filter(|clock| clock.available)
        .and_then(|clock| clock.path)
        .map(|path| path == Path::Vdso);
    let monotonic = never_stepped_back(record);
    let causal =
        all_or_none(record.clocks.iter().filter(|clock| clock.must_be_causal()).filter_map(|clock| clock.causal));
    let skew = record.causality.pairs.iter().map(|pair| pair.skew_not_excluded_ns()).fold(None, larger);
    let standings: Vec<(bool, String)> = record
        .verdict
        .clocks
        .iter()
        .map(|verdict| match record.clocks.iter().find(|clock| clock.name == verdict.name) {
            Some(clock) => standing(clock, record),
            None => (false, "not measured".to_owned()),
        })
        .collect();
    for (clock, (recommended, why)) in record.verdict.clocks.iter_mut().zip(standings) {
        (clock.recommended, clock.why) = (recommended, why);
    }
    let questions = record.plan.questions_ns.iter().map(|ns| answer(*ns, record)).collect();
    let verdict = &mut record.verdict;
    verdict.os_clock_on_fast_path = on_fast_path;
    verdict.monotonic = monotonic;
    verdict.causal = causal;
    verdict.skew_not_excluded_ns = skew;
    verdict.questions = questions;
}

fn larger(a: Option<f64>, b: f64) -> Option<f64> {
    Some(a.map_or(b, |a| a.max(b)))
}

fn all_or_none(mut held: impl Iterator<Item = bool>) -> Option<bool> {
    let first = held.next()?;
    Some(first & held.all(|held| held))
}

/// Whether no clock but the wall clock, which may be set, stepped back on one thread.
fn never_stepped_back(record: &Record) -> Option<bool> {
    let may_be_set = |name: &str| SourceId::from_name(name) == Some(SourceId::Os(OsClock::Realtime));
    let in_steps = record
        .clocks
        .iter()
        .filter(|clock| !may_be_set(&clock.name))
        .filter_map(|clock| clock.granularity.as_ref().map(|seen| seen.backward_steps == 0));
    let in_reads = record.reads.iter().filter(|reads| !may_be_set(&reads.clock)).map(|reads| reads.backward_steps == 0);
    all_or_none(in_steps.chain(in_reads))
}

/// Whether to time intervals with `clock`, and why.
fn standing(clock: &ClockReport, record: &Record) -> (bool, String) {
    let no = |why: &str| (false, why.to_owned());
    let Some(id) = SourceId::from_name(&clock.name) else { return no("unknown to this build") };
    if clock.causal == Some(false) && clock.must_be_causal() {
        return no("it went backwards between CPUs");
    }
    if clock.granularity.as_ref().is_some_and(|seen| seen.backward_steps > 0) {
        return no("it stepped back on one thread");
    }
    let is_coarse =
        clock.granularity_is_latency == Some(false) && clock.granularity_ns.is_some_and(|step| step >= COARSE_NS);
    if is_coarse && id.guarantee().is_none() {
        return no("its steps are coarse: for timestamps that need no more, at the least cost");
    }
    match id {
        SourceId::CounterUnordered => no("not ordered: it may be read before the work it times is done"),
        SourceId::CounterSerialised => no("the fence does the same at a fraction of the cost"),
        SourceId::CounterOrdered | SourceId::CounterWithProcessorId => match counter_doubt(record) {
            Some(doubt) => (false, doubt),
            None => (true, "the cheapest ordered read; ticks, to be scaled by its frequency".to_owned()),
        },
        SourceId::MonotonicSystemCall if !is_available(record, SourceId::Os(OsClock::Monotonic)) => {
            (true, "all that is left where the C library's read ends the program".to_owned())
        }
        SourceId::MonotonicSystemCall => no("the C library reads the same clock at less cost or the same"),
        SourceId::Os(OsClock::Monotonic) => (true, "nanoseconds, causal, slewed by NTP, portable".to_owned()),
        SourceId::Os(OsClock::MonotonicRaw) => no("as CLOCK_MONOTONIC, but NTP does not correct its rate"),
        SourceId::Os(OsClock::Boottime) => {
            no("as CLOCK_MONOTONIC, and it counts suspend: for timeouts, not for timing")
        }
        SourceId::Os(OsClock::Realtime) => no("a wall clock: it can be set while an interval runs"),
        SourceId::Os(OsClock::MonotonicCoarse) => no("the time of the last timer tick"),
        SourceId::Os(OsClock::ProcessCpuTime | OsClock::ThreadCpuTime) => {
            no("CPU time, not elapsed time, by a system call")
        }
        SourceId::Clock(Guarantee::Ordered) => match counter_doubt(record) {
            Some(doubt) => (false, doubt),
            None => (true, "nanoseconds of CLOCK_MONOTONIC, causal; from the library chronoscope-clock".to_owned()),
        },
        SourceId::Clock(Guarantee::Granular) => {
            no("it moves in steps: for timestamps that threads compare, causal without the cost of a fence")
        }
        SourceId::Clock(Guarantee::Unordered) => {
            no("not ordered: it may be read before the work it times is done; the cheapest timestamp in nanoseconds")
        }
        SourceId::Clock(Guarantee::FullResolution) => {
            no("not ordered: for timestamps that threads compare and that may be off by less than its granularity")
        }
    }
}

fn is_available(record: &Record, id: SourceId) -> bool {
    record.clocks.iter().any(|clock| clock.available && clock.name == id.name())
}

/// Why the counter should not be relied on.
fn counter_doubt(record: &Record) -> Option<String> {
    if let Some(class @ (TscClass::Absent | TscClass::Variant | TscClass::Constant)) = record.machine.tsc.class {
        return Some(format!("the counter is {}, not invariant", class.word()));
    }
    if crate::conclusion::kernel_distrusts_tsc(&record.machine) {
        return Some("the kernel does not trust the counter".to_owned());
    }
    None
}

fn answer(interval_ns: f64, record: &Record) -> Question {
    let within = |pick: &dyn Fn(&crate::record::DirectInterval) -> Option<f64>| -> Vec<String> {
        record
            .verdict
            .clocks
            .iter()
            .filter(|clock| clock.recommended && pick(&clock.direct_interval_ns).is_some_and(|ns| interval_ns >= ns))
            .map(|clock| clock.name.clone())
            .collect()
    };
    let within_1pct = within(&|interval| interval.within_1pct);
    let mut within_10pct = within(&|interval| interval.within_10pct);
    within_10pct.retain(|name| !within_1pct.contains(name));
    Question { interval_ns, within_1pct, within_10pct }
}
