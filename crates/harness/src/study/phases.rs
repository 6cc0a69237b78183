//! The phases of one thread in an iteration: chooses the next batch and records the last.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use chronoscope_clock::{Clock, TickSource};
use chronoscope_sources::allocations::{Allocations, allocated, are_counted};
use chronoscope_sources::arch::Counter;
use chronoscope_sources::os;
use chronoscope_sources::work::opaque;

use super::batch_log::BatchLog;
use super::cpu_time::CpuTime;
use super::lot::lot;
use super::protocol::ThreadLog;
use super::rally::{Milestone, Rally};
use crate::record::study::Handled;
use crate::watch;
use crate::work::{chain, empty_loop};

/// Length of the interference probes: long enough that the clock's error is below a percent of each.
const TURNS: u64 = 16_384;
const LINKS: u64 = 2_048;
/// A pilot ends at this multiple of its target time.
const PILOT_PATIENCE: u64 = 8;
/// Maximum operations per batch.
const MOST_OPERATIONS: u64 = 1 << 40;
/// Threads waiting for others run this fraction (one part in so many) of a batch between checks.
const CHUNKS: u64 = 8;
/// A thread whose set-up took longer gives up the CPU before its first batch, to any other that waits for it: little may be left of its
/// time slice, and if the kernel interrupts the few batches that follow, it does so in most processes, and their median is wrong.
///
/// # Sources
/// Linux, kernel/sched/fair.c: where threads share a CPU, each has it for 0.7 ms on a machine with one CPU, 1.4 ms with two or three,
/// 2.1 ms with four to seven, and 2.8 ms with more, rounded up to a tick of 1 to 10 ms.
const LONG_SET_UP: Duration = Duration::from_millis(1);
/// Minimum warm-up, in nanoseconds, if another thread has had the CPU: sorting, for one, is 3 % slower at first, and after a millisecond
/// some tenths of a percent.
const WARM_UP_NS: u64 = 1_000_000;

/// What an iteration is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assignment {
    /// Find out how many operations take `target_ns`.
    Pilot { target_ns: u64 },
    /// Time batches of `operations`, after `untimed` others: `batches` of them, but none begins after `length_ns`; either may be 0 for
    /// no such limit. An iteration that its time ends, rather than its number of batches, ends with a long operation more often
    /// than others.
    Batches { operations: u64, untimed: u64, batches: u32, length_ns: u64 },
    /// Time single operations with `untimed_between` others between them, for `length_ns`.
    Singles { untimed_between: u64, length_ns: u64 },
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) kind: BatchKind,
    pub(super) operations: u64,
    pub(super) tokens: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchKind {
    /// Operations in a row.
    Loop,
    /// Operations with backoff before each.
    BackedOff,
    /// One operation, after its backoff.
    Single,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Before,
    /// Operations that are not timed are left to do.
    WarmUp {
        left: u64,
    },
    Ramp,
    Measure,
    /// Operations before a single one.
    Between,
    Single,
    Cool,
    Over,
}

/// One thread's way through an iteration.
pub(super) struct Phases<'a> {
    /// The thread's CPU time when the iteration began.
    began: CpuTime,
    clock: Clock,
    fence: Option<Counter>,
    rally: &'a Rally,
    assignment: Assignment,
    tokens: u64,
    oversubscribed: bool,
    stage: Stage,
    /// The warm-up does not end before this.
    warm_from_ns: u64,
    /// Operations in the batch handed out last.
    operations: u64,
    started_ns: u64,
    /// What the thread had allocated when the batch began.
    allocated: Allocations,
    /// When this thread first saw all threads measuring.
    together_ns: Option<u64>,
    /// Operations in a pilot's batches so far.
    piloted: u64,
    most_operations: u64,
    singles: BTreeMap<u64, u64>,
    batches: BatchLog,
    /// The timestamped parts of this batch, where the case has them.
    parts_ns: Option<u64>,
    log: ThreadLog,
}

impl<'a> Phases<'a> {
    /// `oversubscribed`: there are more threads than CPUs, so waiting threads yield.
    pub(super) fn new(assignment: Assignment, tokens: u64, oversubscribed: bool, rally: &'a Rally) -> Self {
        // In a process that may not read the counter, even trying is fatal.
        let may_count = os::counter_access() == os::CounterAccess::Allowed;
        let untimed_between = match assignment {
            Assignment::Singles { untimed_between, .. } => untimed_between,
            Assignment::Pilot { .. } | Assignment::Batches { .. } => 0,
        };
        Self {
            began: CpuTime::of_thread(),
            clock: Clock::or_system(),
            fence: Counter::new().ok().filter(|_| may_count),
            rally,
            assignment,
            tokens,
            oversubscribed,
            stage: Stage::Before,
            warm_from_ns: 0,
            operations: 0,
            started_ns: 0,
            allocated: Allocations::default(),
            together_ns: None,
            piloted: 0,
            most_operations: MOST_OPERATIONS,
            singles: BTreeMap::new(),
            batches: BatchLog::new(),
            parts_ns: None,
            log: ThreadLog { untimed_between, allocated: are_counted().then_some((0, 0)), ..ThreadLog::default() },
        }
    }

    /// What the thread measured; None if it never started measuring.
    pub(super) fn finish(mut self) -> Option<ThreadLog> {
        self.log.cpu_ns = u64::try_from(CpuTime::of_thread().since(self.began).as_nanos()).unwrap_or(u64::MAX);
        self.log.singles = self.singles.into_iter().collect();
        (self.log.batches_ns, self.log.parts_ns, self.log.merged) = self.batches.finish();
        (self.stage == Stage::Over && !self.rally.is_abandoned()).then_some(self.log)
    }

    /// Limits batches to `operations`, for cases that store something per operation.
    pub(super) fn limit(&mut self, operations: u64) {
        self.most_operations = operations.max(1);
    }

    /// The batch that was handed out is shorter, and so are those that follow.
    pub(super) fn shorten(&mut self, operations: u64) {
        self.limit(operations);
        self.operations = self.operations.min(operations);
    }

    /// The next batch; None when the iteration is over.
    #[inline(never)]
    pub(super) fn next(&mut self) -> Option<Batch> {
        loop {
            match self.stage {
                Stage::Before => {
                    let left = if let Assignment::Batches { untimed, .. } = self.assignment { untimed } else { 0 };
                    self.begins_a_time_slice(left > 0);
                    self.probe_interference(0);
                    self.stage = Stage::WarmUp { left };
                }
                Stage::WarmUp { left: 0 } if self.now_ns() >= self.warm_from_ns => {
                    self.rally.comes(Milestone::Running);
                    self.stage = Stage::Ramp;
                }
                Stage::WarmUp { left } => {
                    let now = if left == 0 { self.planned() } else { left.min(self.planned()) };
                    self.stage = Stage::WarmUp { left: left.saturating_sub(now) };
                    return Some(self.batch(now));
                }
                Stage::Ramp if self.rally.have_all_come(Milestone::Running) => {
                    self.log.preempted = watch::involuntary_switches().unwrap_or(0);
                    self.log.from_ns = self.now_ns();
                    self.log.to_ns = self.log.from_ns;
                    self.rally.comes(Milestone::Measuring);
                    self.stage = self.after_a_batch();
                }
                Stage::Ramp => return Some(self.wait()),
                Stage::Measure => match self.assignment {
                    Assignment::Pilot { target_ns } => match self.pilots_next(target_ns) {
                        Some(operations) => return Some(self.batch(operations)),
                        None => self.stage = self.measured(),
                    },
                    _ => return Some(self.batch(self.planned())),
                },
                Stage::Between => {
                    let untimed = self.untimed_by_lot();
                    self.log.operations += untimed;
                    self.stage = Stage::Single;
                    if untimed > 0 {
                        return Some(self.batch(untimed));
                    }
                }
                Stage::Single => {
                    self.stage = Stage::Measure;
                    return Some(Batch { kind: BatchKind::Single, ..self.batch(1) });
                }
                Stage::Cool if self.rally.have_all_come(Milestone::Measured) => {
                    self.probe_interference(1);
                    self.stage = Stage::Over;
                }
                Stage::Cool => return Some(self.wait()),
                Stage::Over => return None,
            }
        }
    }

    /// Says what an operation handles.
    pub(super) fn handles(&mut self, handled: Handled) {
        self.log.handles = Some(handled);
    }

    /// Marks the start of the batch.
    #[inline]
    pub(super) fn starts(&mut self) {
        self.allocated = allocated();
        self.started_ns = self.now_ns();
        if let Some(counter) = self.fence {
            counter.fence();
        }
    }

    /// Marks the end of the batch.
    #[inline]
    pub(super) fn ends(&mut self) {
        let now_ns = self.now_ns();
        self.ended(now_ns.saturating_sub(self.started_ns), now_ns);
    }

    /// Marks the end of a batch of which only `took_ns` are its operations'.
    pub(super) fn ends_after(&mut self, took_ns: u64) {
        let now_ns = self.now_ns();
        self.ended(took_ns, now_ns);
    }

    /// The current time, for timestamps around part of an operation.
    #[inline]
    pub(super) fn now_ns(&self) -> u64 {
        TickSource::read(&self.clock)
    }

    /// Takes in the time of the timestamped parts of the batch, before it ends.
    pub(super) fn parts(&mut self, ns: u64) {
        self.parts_ns = Some(ns);
    }

    #[inline(never)]
    fn ended(&mut self, took_ns: u64, now_ns: u64) {
        if self.stage != Stage::Measure {
            return;
        }
        let Allocations { count, bytes } = allocated().since(self.allocated);
        if let Assignment::Pilot { .. } = self.assignment {
            // Its last batch is all that a pilot keeps.
            (self.log.operations, self.batches) = (0, BatchLog::new());
            self.log.allocated = self.log.allocated.map(|_| (0, 0));
            self.piloted += self.operations;
        }
        self.log.operations += self.operations;
        self.log.allocated = self.log.allocated.map(|(blocks, before)| (blocks + count, before + bytes));
        self.log.to_ns = now_ns;
        match self.assignment {
            Assignment::Singles { .. } => *self.singles.entry(took_ns).or_default() += 1,
            _ => self.batches.push(took_ns, self.parts_ns),
        }
        self.stage = self.after_a_batch();
    }

    /// Operations in a pilot's next batch; None if it has reached its target or lost its patience. It looks at the time when all
    /// that belongs to the last batch is over: what it makes and drops is not timed, but takes time all the same.
    fn pilots_next(&mut self, target_ns: u64) -> Option<u64> {
        let Some(took_ns) = self.batches.ns.last().copied() else { return Some(1) };
        let operations = self.log.operations;
        let passed_ns = self.now_ns().saturating_sub(self.log.from_ns);
        let patience_ns = target_ns.saturating_mul(PILOT_PATIENCE);
        self.log.whole_ns = passed_ns as f64 / self.piloted.max(1) as f64;
        if took_ns.saturating_mul(2) >= target_ns || operations >= self.most_operations || passed_ns > patience_ns {
            return None;
        }
        // Aim slightly higher, and based on one batch grow at least twofold and at most a hundredfold, but for no longer than
        // patience lasts.
        let wanted = (operations as f64 * target_ns as f64 / took_ns.max(1) as f64).ceil() as u64;
        let patient = (patience_ns as f64 / self.log.whole_ns) as u64;
        Some(wanted.clamp(operations * 2, operations * 100).min(patient.max(1)).min(self.most_operations))
    }

    /// What follows a measured batch, or precedes the first.
    fn after_a_batch(&mut self) -> Stage {
        // The time counts from when the last thread began: one preempted on the way must not miss the iteration.
        if self.together_ns.is_none() && self.rally.have_all_come(Milestone::Measuring) {
            self.together_ns = Some(self.log.to_ns);
        }
        let is_late = |length_ns: u64| {
            self.together_ns.is_some_and(|together_ns| self.log.to_ns.saturating_sub(together_ns) >= length_ns)
        };
        let (is_over, next) = match self.assignment {
            Assignment::Pilot { .. } => (false, Stage::Measure),
            Assignment::Batches { batches, length_ns, .. } => {
                let done = self.batches.batches;
                let is_whole = done > 0 && self.batches.is_even();
                let is_timed = length_ns > 0 || batches == 0;
                let is_over = batches > 0 && done >= u64::from(batches) || is_timed && is_whole && is_late(length_ns);
                (is_over, Stage::Measure)
            }
            Assignment::Singles { length_ns, .. } => (!self.singles.is_empty() && is_late(length_ns), Stage::Between),
        };
        if is_over { self.measured() } else { next }
    }

    fn measured(&mut self) -> Stage {
        let now = watch::involuntary_switches().unwrap_or(self.log.preempted);
        self.log.preempted = now.saturating_sub(self.log.preempted);
        self.rally.comes(Milestone::Measured);
        Stage::Cool
    }

    /// Operations before the next single one: as many as planned on average, by lot, or a call that is rare by count would always be
    /// timed, or never.
    fn untimed_by_lot(&self) -> u64 {
        (self.planned() as f64 * lot(self.log.from_ns, 0, 0, self.log.operations as u32)).round() as u64
    }

    /// Operations per planned batch.
    fn planned(&self) -> u64 {
        match self.assignment {
            Assignment::Pilot { .. } => 1,
            Assignment::Batches { operations, .. } => operations.clamp(1, self.most_operations),
            Assignment::Singles { untimed_between, .. } => untimed_between.min(self.most_operations),
        }
    }

    fn batch(&mut self, operations: u64) -> Batch {
        self.operations = operations;
        Batch {
            kind: if self.tokens == 0 { BatchKind::Loop } else { BatchKind::BackedOff },
            operations,
            tokens: self.tokens,
        }
    }

    /// Work to do while waiting for others.
    fn wait(&mut self) -> Batch {
        if self.oversubscribed {
            thread::yield_now();
        }
        self.batch((self.planned() / CHUNKS).max(1))
    }

    /// After a long set-up, gives up the CPU; if another thread has had it, a warm-up is longer. Without one, what is measured is the
    /// first operation.
    fn begins_a_time_slice(&mut self, warms_up: bool) {
        if CpuTime::of_thread().since(self.began) <= LONG_SET_UP {
            return;
        }
        let before = watch::involuntary_switches();
        thread::yield_now();
        if warms_up && watch::involuntary_switches() > before {
            self.warm_from_ns = self.now_ns().saturating_add(WARM_UP_NS);
        }
    }

    /// Times the two loops of known work.
    fn probe_interference(&mut self, at: usize) {
        let start_ns = self.now_ns();
        empty_loop(TURNS);
        let middle_ns = self.now_ns();
        opaque(chain(1, LINKS));
        let end_ns = self.now_ns();
        self.log.turn_ns[at] = middle_ns.saturating_sub(start_ns) as f64 / TURNS as f64;
        self.log.link_ns[at] = end_ns.saturating_sub(middle_ns) as f64 / LINKS as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(assignment: Assignment, tokens: u64) -> (ThreadLog, Vec<Batch>) {
        let rally = Rally::new(1);
        let mut phases = Phases::new(assignment, tokens, false, &rally);
        let mut batches = Vec::new();
        while let Some(batch) = phases.next() {
            phases.starts();
            empty_loop(batch.operations * 10);
            phases.ends();
            batches.push(batch);
        }
        (phases.finish().unwrap(), batches)
    }

    #[test]
    fn as_many_batches_as_planned_are_measured() {
        let (log, batches) = run(Assignment::Batches { operations: 100, untimed: 200, batches: 5, length_ns: 0 }, 0);
        assert_eq!((log.batches_ns.len(), log.operations, batches.len()), (5, 500, 7));
        assert!(log.to_ns >= log.from_ns && log.turn_ns.iter().chain(&log.link_ns).all(|ns| *ns > 0.0));
        assert!(batches.iter().all(|batch| batch.kind == BatchKind::Loop));
    }

    #[test]
    fn as_many_operations_as_planned_are_not_timed() {
        let (log, batches) = run(Assignment::Batches { operations: 100, untimed: 250, batches: 1, length_ns: 0 }, 0);
        assert_eq!(batches.iter().map(|batch| batch.operations).collect::<Vec<_>>(), [100, 100, 50, 100]);
        assert_eq!(log.operations, 100);
    }

    #[test]
    fn time_ends_an_iteration_of_too_many_batches() {
        let (log, _) = run(Assignment::Batches { operations: 1, untimed: 0, batches: u32::MAX, length_ns: 100_000 }, 0);
        assert!(log.to_ns - log.from_ns >= 100_000 && log.operations > 0);
    }

    #[test]
    fn many_batches_are_kept_as_few_times() {
        let (log, batches) = run(Assignment::Batches { operations: 1, untimed: 0, batches: 100_000, length_ns: 0 }, 0);
        assert!(log.batches_ns.len() <= 4096 && log.merged > 1, "{} of {}", log.batches_ns.len(), log.merged);
        assert_eq!((log.operations, batches.len()), (100_000, 100_000));
        let (log, _) = run(Assignment::Batches { operations: 1, untimed: 0, batches: 0, length_ns: 10_000_000 }, 0);
        assert_eq!(log.operations, log.batches_ns.len() as u64 * log.merged);
    }

    #[test]
    fn a_iteration_lasts_as_long_as_planned() {
        let (log, _) = run(Assignment::Batches { operations: 50, untimed: 0, batches: 0, length_ns: 300_000 }, 7);
        assert!(log.to_ns - log.from_ns >= 300_000);
        assert!(!log.batches_ns.is_empty());
    }

    #[test]
    fn a_pilot_reaches_half_its_target_or_loses_patience() {
        let (log, batches) = run(Assignment::Pilot { target_ns: 50_000 }, 0);
        assert_eq!(log.batches_ns.len(), 1);
        let whole_ns = log.whole_ns * batches.iter().map(|batch| batch.operations).sum::<u64>() as f64;
        assert!(log.batches_ns[0] >= 25_000 || whole_ns >= (50_000 * PILOT_PATIENCE) as f64, "{log:?}");
        assert!(whole_ns * 1.001 >= log.batches_ns[0] as f64, "{log:?}");
        assert_eq!(batches.last().unwrap().operations, log.operations);
    }

    #[test]
    fn single_operations_stand_apart() {
        let (log, batches) = run(Assignment::Singles { untimed_between: 9, length_ns: 100_000 }, 3);
        let singles: u64 = log.singles.iter().map(|(_, count)| count).sum();
        let kinds: Vec<BatchKind> = batches.iter().map(|batch| batch.kind).collect();
        let per_single = log.operations as f64 / singles as f64;
        assert!(singles > 0 && (5.0..=15.0).contains(&per_single), "{singles} {}", log.operations);
        assert!(kinds.chunks(2).all(|pair| pair == [BatchKind::BackedOff, BatchKind::Single]));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn after_a_long_set_up_another_thread_has_its_turn_before_the_first_batch() {
        use std::sync::atomic::{AtomicBool, Ordering};
        const TRIES: usize = 20;
        let cpu = crate::affinity::allowed().unwrap().last().copied();
        let is_over = AtomicBool::new(false);
        let gave_way = |set_up: Duration, untimed: u64| {
            // What has slept has a whole time slice.
            thread::sleep(Duration::from_millis(1));
            let rally = Rally::new(1);
            let assignment = Assignment::Batches { operations: 1, untimed, batches: 1, length_ns: 0 };
            let mut phases = Phases::new(assignment, 0, false, &rally);
            while CpuTime::of_thread().since(phases.began) < set_up {
                empty_loop(1_000);
            }
            while phases.next().is_some() {
                phases.starts();
                phases.ends();
            }
            assert!(phases.log.from_ns >= phases.warm_from_ns, "a warm-up ends too early");
            phases.warm_from_ns > 0
        };
        let [long, short, without_warm_up] = thread::scope(|scope| {
            scope.spawn(|| {
                crate::affinity::pin(cpu.as_slice()).unwrap();
                while !is_over.load(Ordering::Relaxed) {
                    empty_loop(1_000);
                }
            });
            let tries = scope.spawn(|| {
                crate::affinity::pin(cpu.as_slice()).unwrap();
                let times = |(set_up, untimed)| (0..TRIES).filter(|_| gave_way(set_up, untimed)).count();
                let long = LONG_SET_UP.mul_f64(1.1);
                [(long, 1), (Duration::ZERO, 1), (long, 0)].map(times)
            });
            let found = tries.join();
            is_over.store(true, Ordering::Relaxed);
            found.unwrap()
        });
        assert!(long >= 3 && short == 0, "after a long set-up {long} of {TRIES}, after none {short}");
        assert_eq!(without_warm_up, 0, "what is not to be warmed up is");
    }

    #[test]
    fn a_thread_that_was_left_alone_saw_nothing() {
        let rally = Rally::new(2);
        let assignment = Assignment::Batches { operations: 1, untimed: 0, batches: 1, length_ns: 0 };
        let mut phases = Phases::new(assignment, 0, false, &rally);
        assert!(phases.next().is_some());
        rally.abandon();
        while phases.next().is_some() {
            phases.starts();
            phases.ends();
        }
        assert_eq!(phases.finish(), None);
    }
}
