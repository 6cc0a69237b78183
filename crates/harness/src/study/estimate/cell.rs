use std::collections::BTreeMap;

use super::disturbed::Disturbed;
use super::iteration::{Iteration, Received, Timed, batches_ns, operations_per_batch, typical_overlap};
use super::observations::{Observations, median};
use super::quiet::OwnDoing;
use super::steadiness::steadiness;
use crate::record::Times;
use crate::record::study::{Cell, CellProcess, Estimate, Latencies, Mode, OperationPart, StudyIteration};
use crate::stats::{self, Distribution, autocorrelation, median_interval, outliers};

/// What takes more than this many empty turns is something, however uncertain.
const NEARLY_NOTHING: f64 = 2.0;
/// Minimum batches for detecting modes.
const FEWEST_FOR_MODES: usize = 50;

/// One role's data for a cell.
struct RoleInCell<'s, 'a> {
    seen: &'s Observations<'a>,
    iterations: &'s [Iteration<'a>],
    role: usize,
}

/// The cell at `at`, from its iterations and those of them that have a time: one result for each role of its case.
pub(super) fn estimate(
    seen: &Observations<'_>,
    (received, iterations): (&[Received<'_>], &[Iteration<'_>]),
    at: usize,
    empty_loop_ns: Option<&Estimate>,
    own: OwnDoing,
) -> Vec<Cell> {
    let spec = &seen.cells[at];
    let roles: Vec<Option<String>> = match seen.case(spec) {
        Some(case) => case.roles.iter().map(|role| role.name.clone()).collect(),
        None => vec![None],
    };
    roles
        .into_iter()
        .enumerate()
        .map(|(role, name)| {
            let view = RoleInCell { seen, iterations, role };
            let operations = view.operations_per_batch();
            let floor_ns = seen.floor_ns(operations as f64);
            let oversubscribed = seen.is_oversubscribed(spec);
            let time = view.time_ns(floor_ns);
            let hidden = empty_loop_ns.filter(|_| spec.tokens == 0 && seen.plan.mode != Mode::SampleTime);
            let typical = view.median_ns(floor_ns);
            let below_ns =
                time.zip(hidden).and_then(|(time, empty)| view.below_ns(&time, &typical.unwrap_or(time), empty));
            let reason_no_time = time.is_none().then(|| reason_no_time(received, iterations).to_owned());
            let alone = spec.threads == 1;
            let whole = !seen.times_only;
            Cell {
                case: spec.case.clone(),
                role: name,
                parameters: spec.parameters.clone(),
                backoff_tokens: spec.tokens,
                threads: spec.threads,
                oversubscribed,
                operations_per_batch: operations,
                time_ns: time.filter(|_| below_ns.is_none()),
                below_ns,
                reason_no_time,
                median_ns: typical,
                minimum_ns: alone.then(|| view.minimum_ns()).flatten(),
                throughput_per_s: time.filter(|_| below_ns.is_none()).and_then(|time| view.throughput_per_s(&time)),
                clock_share_pct: time.map_or(0.0, |time| floor_ns / time.estimate.max(f64::MIN_POSITIVE) * 100.0),
                steadiness: (whole && !oversubscribed)
                    .then(|| steadiness(iterations, role, seen.processes.len()))
                    .flatten(),
                autocorrelation: whole.then(|| view.autocorrelation()).flatten(),
                outliers: if whole { outliers(&view.batches()) } else { Default::default() },
                modes: if whole { view.modes() } else { Vec::new() },
                overlap_share: (!alone).then(|| typical_overlap(received, iterations)).flatten(),
                own_threads: seen.own_threads.contains(&at),
                slows_core: own.slows_core,
                switches_by_itself: own.switches,
                iterations: received.len() as u64,
                iterations_quiet: received.iter().filter(|iteration| iteration.disturbed == Disturbed::No).count()
                    as u64,
                latencies: view.latencies(),
                part: view.part(),
                processes: view.processes(),
            }
        })
        .collect()
}

/// Why a cell without a time has none.
fn reason_no_time(received: &[Received<'_>], iterations: &[Iteration<'_>]) -> &'static str {
    match (received.is_empty(), iterations.is_empty()) {
        (true, _) => "not measured",
        (false, true) => "its threads never overlapped",
        (false, false) => "it takes less than the clock can tell",
    }
}

impl<'s, 'a> RoleInCell<'s, 'a> {
    fn counted(&self) -> impl Iterator<Item = &'s Iteration<'a>> + use<'s, 'a> {
        self.iterations.iter().filter(|iteration| iteration.counts)
    }

    fn of_process(&self, process: usize) -> impl Iterator<Item = &'s Iteration<'a>> + use<'s, 'a> {
        self.counted().filter(move |iteration| iteration.process == process)
    }

    fn processes_seen(&self) -> std::ops::Range<usize> {
        0..self.seen.processes.len()
    }

    /// The median over processes of each one's median iteration, with the interval of its order statistics.
    fn over_processes(&self, value: impl Fn(&Iteration<'a>) -> f64) -> Option<Estimate> {
        let processes = self.processes_seen().filter_map(|process| median(self.of_process(process).map(&value)));
        self.median_of(processes.collect())
    }

    /// The median of one value per process, with the interval of its order statistics.
    fn median_of(&self, processes: Vec<f64>) -> Option<Estimate> {
        median_interval(&processes, self.seen.plan.confidence)
    }

    /// The mean time per operation in one process: of all operations that count.
    fn mean_ns(&self, process: usize) -> Option<f64> {
        self.of_process(process).map(|iteration| iteration.timed[self.role]).sum::<Timed>().mean_ns()
    }

    /// The median over processes of each one's mean, with an interval no narrower than `floor_ns` on each side.
    fn time_ns(&self, floor_ns: f64) -> Option<Estimate> {
        let processes = self.processes_seen().filter_map(|process| self.mean_ns(process)).collect();
        let found = self.median_of(processes)?.at_least(floor_ns);
        // No operation takes less than no time.
        Some(Estimate { low: found.low.max(0.0), ..found })
    }

    /// Operations per second of all threads of the role, as `time` has it.
    fn throughput_per_s(&self, time: &Estimate) -> Option<Estimate> {
        let threads = self.iterations.first()?.roles[self.role].len() as f64;
        let per_s = |time_ns: f64| threads * 1e9 / time_ns;
        let found = Estimate {
            estimate: per_s(time.estimate),
            low: per_s(time.high),
            high: per_s(time.low),
            confidence: time.confidence,
        };
        found.high.is_finite().then_some(found)
    }

    /// The bound on a time that cannot be told from that of an empty loop: where the typical value cannot, and rare calls do not
    /// make the mean much longer. Where the iterations were disturbed, a longer mean is the machine's.
    fn below_ns(&self, time: &Estimate, typical: &Estimate, empty: &Estimate) -> Option<f64> {
        let is_quiet = self.counted().all(|iteration| iteration.disturbed == Disturbed::No);
        let value = if is_quiet { time } else { typical };
        // Few processes tell nothing apart, however their values lie.
        let is_told = typical.low > empty.high && typical.has_confidence() && empty.has_confidence();
        let is_hidden = !is_told && value.estimate <= empty.estimate * NEARLY_NOTHING;
        is_hidden.then(|| time.high.max(empty.high))
    }

    /// The median over processes of each one's median batch: what a typical operation takes.
    fn median_ns(&self, floor_ns: f64) -> Option<Estimate> {
        let batches = |process: usize| {
            self.of_process(process).flat_map(|iteration| &iteration.roles[self.role]).flat_map(|t| batches_ns(t))
        };
        let found = self
            .median_of(self.processes_seen().filter_map(|process| median(batches(process))).collect())?
            .at_least(floor_ns);
        // Nothing takes no time: the clock is too coarse for a single batch.
        (found.estimate > 0.0).then(|| Estimate { low: found.low.max(0.0), ..found })
    }

    /// The shortest iteration's mean time per operation, of those that the clock tells from nothing.
    fn minimum_ns(&self) -> Option<f64> {
        self.counted().map(|iteration| iteration.time_ns[self.role]).filter(|ns| *ns > 0.0).reduce(f64::min)
    }

    fn operations_per_batch(&self) -> u64 {
        let threads = self.iterations.iter().flat_map(|iteration| &iteration.roles[self.role]);
        let per_batch = threads.map(|thread| operations_per_batch(thread));
        let single = self
            .iterations
            .iter()
            .any(|iteration| iteration.log.threads.iter().any(|thread| !thread.singles.is_empty()));
        if single { 1 } else { median(per_batch).unwrap_or(0.0) as u64 }
    }

    /// Batches of one process in chronological order: of its first thread in this role.
    fn series(&self, process: usize) -> Vec<f64> {
        self.of_process(process)
            .filter_map(|iteration| iteration.roles[self.role].first())
            .flat_map(|thread| batches_ns(thread))
            .collect()
    }

    fn autocorrelation(&self) -> Option<f64> {
        median(self.processes_seen().filter_map(|process| autocorrelation(&self.series(process), 1)))
    }

    fn batches(&self) -> Vec<f64> {
        let threads = self.counted().flat_map(|iteration| &iteration.roles[self.role]);
        threads.flat_map(|thread| batches_ns(thread)).collect()
    }

    fn modes(&self) -> Vec<crate::record::Peak> {
        let batches = self.batches();
        let enough = batches.len() >= FEWEST_FOR_MODES;
        if enough { stats::modes_of(&Distribution::of(batches)) } else { Vec::new() }
    }

    fn latencies(&self) -> Option<Latencies> {
        let threads = || self.counted().flat_map(|iteration| &iteration.roles[self.role]);
        let mut counts = BTreeMap::<u64, u64>::new();
        threads().flat_map(|thread| &thread.singles).for_each(|(ns, count)| *counts.entry(*ns).or_default() += count);
        let seen = Distribution::of_counts(counts.into_iter().map(|(ns, count)| (ns as f64, count)));
        let whole_ns: f64 = threads().map(|thread| thread.to_ns.saturating_sub(thread.from_ns) as f64).sum();
        let resolved_from_ns = 2.0 * self.seen.error_ns;
        let left_out = || self.iterations.iter().filter(|iteration| !iteration.counts);
        let single_ns = |iteration: &Iteration<'a>| {
            iteration.roles[self.role].iter().flat_map(|thread| thread.singles.iter().map(|(ns, _)| *ns)).max()
        };
        Some(Latencies {
            iterations_left_out: left_out().count() as u64,
            maximum_ns_left_out: left_out().filter_map(single_ns).max().map(|ns| ns as f64),
            samples: seen.total(),
            untimed_between: median(threads().map(|thread| thread.untimed_between as f64)).unwrap_or(0.0) as u64,
            clock_share_pct: seen.total() as f64 * resolved_from_ns / whole_ns.max(1.0) * 100.0,
            resolved_from_ns,
            ns: Times::of(|share| seen.quantile(share), seen.histogram())?,
        })
    }

    /// The rate claimed by timestamps around part of the operation, and the actual rate.
    fn part(&self) -> Option<OperationPart> {
        let sums = |iteration: &Iteration<'a>| {
            iteration.roles[self.role].iter().fold((0_u64, 0_u64), |(parts, operations), thread| {
                (parts + thread.parts_ns.iter().sum::<u64>(), operations + thread.operations)
            })
        };
        let stamped = |iteration: &Iteration<'a>| sums(iteration).0 as f64 / sums(iteration).1.max(1) as f64;
        // Each thread's own operations over its own timestamped time, summed over threads.
        let claimed = |iteration: &Iteration<'a>| {
            let of = |thread: &&crate::study::protocol::ThreadLog| {
                thread.operations as f64 * 1e9 / thread.parts_ns.iter().sum::<u64>().max(1) as f64
            };
            iteration.roles[self.role].iter().map(of).sum::<f64>()
        };
        // The claim is a sum, so it must not be compared with a median, which would leave out a preemption.
        let done = |iteration: &Iteration<'a>| match iteration.log.threads.as_slice() {
            [alone] => alone.operations as f64 * 1e9 / alone.to_ns.saturating_sub(alone.from_ns).max(1) as f64,
            _ => iteration.per_s(self.role),
        };
        let has_parts = self.counted().any(|iteration| sums(iteration).0 > 0);
        let shares = self.counted().flat_map(|iteration| &iteration.roles[self.role]).flat_map(|thread| {
            thread.parts_ns.iter().zip(&thread.batches_ns).map(|(part, whole)| *part as f64 / (*whole).max(1) as f64)
        });
        let timed_share = median(shares).filter(|_| has_parts)?;
        let preempted =
            self.counted().map(|iteration| iteration.log.threads.iter().map(|thread| thread.preempted).sum::<u64>());
        let iterations = self.counted().count().max(1) as f64;
        Some(OperationPart {
            part_ns: self.over_processes(stamped)?,
            claimed_per_s: self.over_processes(claimed)?,
            external_per_s: self.over_processes(|iteration| done(iteration))?,
            inflation: self.over_processes(|iteration| claimed(iteration) / done(iteration))?,
            timed_share,
            preemptions_per_iteration: preempted.sum::<u64>() as f64 / iterations,
        })
    }

    fn processes(&self) -> Vec<CellProcess> {
        let of = |process: usize| CellProcess {
            process: process as u32,
            time_ns: self.mean_ns(process),
            iterations: self
                .iterations
                .iter()
                .filter(|iteration| iteration.process == process)
                .map(|iteration| StudyIteration {
                    quiet: iteration.disturbed == Disturbed::No,
                    batches_ns: iteration.roles[self.role]
                        .iter()
                        .flat_map(|thread| batches_ns(thread))
                        .map(rounded)
                        .collect(),
                })
                .collect(),
        };
        self.processes_seen().map(of).collect()
    }
}

/// To a ten-thousandth of a nanosecond: further digits would only lengthen the record.
fn rounded(ns: f64) -> f64 {
    (ns * 1e4).round() / 1e4
}
