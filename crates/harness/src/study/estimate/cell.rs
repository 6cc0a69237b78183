use super::iteration::{Iteration, Received, Timed, batches_ns, operations_per_batch, typical_overlap};
use super::numbers::{by_process, own, rare_calls};
use super::observations::Observations;
use super::states::own_states;
use super::steadiness::steadiness;
use crate::record::Times;
use crate::record::study::{
    Allocated, Cell, CellProcess, Estimate, Latencies, Leading, Mode, OperationPart, State, StudyIteration,
};
use crate::stats::{Distribution, median, median_interval};
use crate::study::protocol::ThreadLog;

/// What takes more than this many empty turns is something, however uncertain.
const NEARLY_NOTHING: f64 = 2.0;

/// What all cells are measured by: the empty loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Empty {
    /// Its time per turn.
    pub(super) loop_ns: Option<Estimate>,
    /// Whether what interrupts it is so rare that long calls can be told from interruptions.
    pub(super) tells_rare_calls: bool,
}

/// One role's data for a cell.
struct RoleInCell<'s, 'a> {
    seen: &'s Observations<'a>,
    iterations: &'s [Iteration<'a>],
    role: usize,
    /// Of each process.
    numbers: Vec<CellProcess>,
}

/// The cell at `at`, from its iterations and those of them that have a time: one result for each role of its case.
pub(super) fn estimate(
    seen: &Observations<'_>,
    (received, iterations): (&[Received<'_>], &[Iteration<'_>]),
    at: usize,
    leads: Leading,
    empty: &Empty,
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
            let numbers = by_process(iterations, Some(role), seen.processes.len());
            let view = RoleInCell { seen, iterations, role, numbers };
            let operations = median(view.threads().map(operations_per_batch)).unwrap_or(0.0) as u64;
            let floor_ns = seen.floor_ns(operations as f64);
            let oversubscribed = seen.plan.is_oversubscribed(spec);
            let (typical_ns, mean_ns) = (view.over_numbers(Leading::Typical, floor_ns), view.mean_ns(floor_ns));
            let time = if leads == Leading::Mean { mean_ns } else { typical_ns };
            let hidden = empty.loop_ns.filter(|_| spec.tokens == 0 && seen.plan.mode != Mode::SampleTime);
            let below_ns = time.zip(hidden).and_then(|(time, empty)| below_ns(&time, &empty));
            let is_parted = leads == Leading::Mean
                && spec.threads == 1
                && seen.plan.mode == Mode::AverageTime
                && empty.tells_rare_calls;
            let is_told = below_ns.is_none();
            Cell {
                case: spec.case.clone(),
                role: name,
                parameters: spec.parameters.clone(),
                backoff_tokens: spec.tokens,
                threads: spec.threads,
                oversubscribed,
                operations_per_batch: operations,
                leads,
                time_ns: time.filter(|_| is_told),
                below_ns,
                reason_no_time: time.is_none().then(|| reason_no_time(received, iterations).to_owned()),
                typical_ns,
                mean_ns,
                rare_calls: typical_ns
                    .filter(|_| is_parted)
                    .and_then(|_| rare_calls(iterations, role, view.numbers.len())),
                // Of what cannot be told from nothing, no time is said.
                states: if is_told { view.states(leads) } else { Vec::new() },
                throughput_per_s: time.filter(|_| is_told).and_then(|time| view.throughput_per_s(&time)),
                handles: view.threads().find_map(|thread| thread.handles),
                // Threads of the operation's own are not looked at.
                allocates: view.allocates().filter(|_| !seen.own_threads.contains(&at)),
                clock_share_pct: time.map_or(0.0, |time| floor_ns / time.estimate.max(f64::MIN_POSITIVE) * 100.0),
                steadiness: steadiness(seen, iterations, role, &view.numbers, leads)
                    .filter(|_| !oversubscribed && is_told),
                overlap_share: typical_overlap(received).filter(|_| spec.threads > 1),
                own_threads: seen.own_threads.contains(&at),
                iterations: received.len() as u64,
                iterations_quiet: received.iter().filter(|iteration| iteration.quiet).count() as u64,
                latencies: view.latencies(),
                part: view.part(),
                processes: view.processes(),
            }
        })
        .collect()
}

/// The bound on a time that cannot be told from that of an empty loop.
fn below_ns(time: &Estimate, empty: &Estimate) -> Option<f64> {
    // Few processes tell nothing apart, however their values lie.
    let is_told = time.low > empty.high && time.has_confidence() && empty.has_confidence();
    let is_hidden = !is_told && time.estimate <= empty.estimate * NEARLY_NOTHING;
    is_hidden.then(|| time.high.max(empty.high))
}

/// Why a cell without a time has none.
fn reason_no_time(received: &[Received<'_>], iterations: &[Iteration<'_>]) -> &'static str {
    match (received.is_empty(), iterations.is_empty()) {
        (true, _) => "not measured",
        (false, true) => "its threads never overlapped",
        (false, false) => "it takes less than the clock can tell",
    }
}

impl<'a> RoleInCell<'_, 'a> {
    /// The median over processes of each one's median iteration, with the interval of its order statistics.
    fn over_processes(&self, value: impl Fn(&Iteration<'a>) -> f64) -> Option<Estimate> {
        let of_process = |process: usize| median(own(self.iterations, process).map(&value));
        median_interval((0..self.numbers.len()).filter_map(of_process), self.seen.plan.confidence)
    }

    /// The median over processes of one of their numbers, with an interval no narrower than `floor_ns` on each side.
    fn over_numbers(&self, which: Leading, floor_ns: f64) -> Option<Estimate> {
        let processes = self.numbers.iter().filter_map(|of| of.number(which));
        let found = median_interval(processes, self.seen.plan.confidence)?.at_least(floor_ns);
        // No operation takes less than no time.
        Some(Estimate { low: found.low.max(0.0), ..found })
    }

    /// The mean, with an interval that also holds that of all processes together: a call so rare that few of them meet it is in that.
    fn mean_ns(&self, floor_ns: f64) -> Option<Estimate> {
        let found = self.over_numbers(Leading::Mean, floor_ns)?;
        let all = self.iterations.iter().map(|iteration| iteration.timed[self.role]).sum::<Timed>().mean_ns();
        Some(found.holding(all.unwrap_or(found.estimate)))
    }

    /// The groups of processes that agree on another time.
    fn states(&self, leads: Leading) -> Vec<State> {
        let of_process = |of: &CellProcess| Some((of.number(leads)?, of.link_ns));
        own_states(&self.numbers.iter().filter_map(of_process).collect::<Vec<_>>())
    }

    /// Operations per second of all threads of the role, as their time has it.
    fn throughput_per_s(&self, time: &Estimate) -> Option<Estimate> {
        let threads = self.iterations.first()?.roles[self.role].len() as f64;
        Some(time.map(|ns| -threads * 1e9 / ns).negated()).filter(|found| found.high.is_finite())
    }

    /// The threads of the role, of all iterations.
    fn threads(&self) -> impl Iterator<Item = &'a ThreadLog> {
        self.iterations.iter().flat_map(|iteration| &iteration.roles[self.role]).copied()
    }

    /// What an operation allocates; None if that was not counted.
    fn allocates(&self) -> Option<Allocated> {
        let (mut blocks, mut bytes, mut operations) = (0.0, 0.0, 0.0);
        for thread in self.threads() {
            let (own_blocks, own_bytes) = thread.allocated?;
            blocks += own_blocks as f64;
            bytes += own_bytes as f64;
            let singles = thread.singles.iter().map(|(_, count)| count).sum::<u64>();
            operations += if thread.singles.is_empty() { thread.operations } else { singles } as f64;
        }
        (operations > 0.0).then(|| Allocated { blocks: blocks / operations, bytes: bytes / operations })
    }

    fn latencies(&self) -> Option<Latencies> {
        let singles = self.threads().flat_map(|thread| &thread.singles);
        let seen = Distribution::of_counts(singles.map(|(ns, count)| (*ns as f64, *count)));
        let whole_ns: f64 = self.threads().map(|thread| thread.to_ns.saturating_sub(thread.from_ns) as f64).sum();
        let resolved_from_ns = 2.0 * self.seen.error_ns;
        Some(Latencies {
            samples: seen.total(),
            untimed_between: median(self.threads().map(|thread| thread.untimed_between as f64))? as u64,
            clock_share_pct: seen.total() as f64 * resolved_from_ns / whole_ns.max(1.0) * 100.0,
            resolved_from_ns,
            ns: Times::of(|share| seen.quantile(share), seen.histogram())?,
        })
    }

    /// The rate claimed by timestamps around part of the operation, and the actual rate.
    fn part(&self) -> Option<OperationPart> {
        let parts_ns = |thread: &ThreadLog| thread.parts_ns.iter().sum::<u64>() as f64;
        let per_s = |thread: &ThreadLog, ns: f64| thread.operations as f64 * 1e9 / ns.max(1.0);
        let of_role = |iteration: &Iteration<'a>, of: &dyn Fn(&ThreadLog) -> f64| -> f64 {
            iteration.roles[self.role].iter().map(|thread| of(thread)).sum()
        };
        let stamped = |iteration: &Iteration<'a>| {
            of_role(iteration, &parts_ns) / of_role(iteration, &|thread| thread.operations as f64).max(1.0)
        };
        // Each thread's own operations over its own timestamped time, summed over threads.
        let claimed = |iteration: &Iteration<'a>| of_role(iteration, &|thread| per_s(thread, parts_ns(thread)));
        // The claim is a sum, so it must not be compared with a median, which would leave out a preemption.
        let done = |iteration: &Iteration<'a>| match iteration.log.threads.as_slice() {
            [alone] => per_s(alone, alone.to_ns.saturating_sub(alone.from_ns) as f64),
            _ => {
                let Timed { ns, operations } = iteration.timed[self.role];
                iteration.roles[self.role].len() as f64 * operations * 1e9 / ns
            }
        };
        let shares = self.threads().flat_map(|thread| {
            thread.parts_ns.iter().zip(&thread.batches_ns).map(|(part, whole)| *part as f64 / (*whole).max(1) as f64)
        });
        let has_parts = self.threads().any(|thread| parts_ns(thread) > 0.0);
        let preempted = self.iterations.iter().flat_map(|iteration| &iteration.log.threads);
        Some(OperationPart {
            timed_share: median(shares).filter(|_| has_parts)?,
            part_ns: self.over_processes(stamped)?,
            claimed_per_s: self.over_processes(claimed)?,
            external_per_s: self.over_processes(done)?,
            inflation: self.over_processes(|iteration| claimed(iteration) / done(iteration))?,
            preemptions_per_iteration: preempted.map(|thread| thread.preempted).sum::<u64>() as f64
                / self.iterations.len() as f64,
        })
    }

    /// The processes with their iterations.
    fn processes(&self) -> Vec<CellProcess> {
        let iteration = |iteration: &Iteration<'a>| {
            let batches = iteration.roles[self.role].iter().flat_map(|thread| batches_ns(thread));
            // To a ten-thousandth of a nanosecond: further digits would only lengthen the record.
            let rounded = batches.map(|ns| (ns * 1e4).round() / 1e4);
            StudyIteration { quiet: iteration.quiet, batches_ns: rounded.collect() }
        };
        let with_iterations = |(process, of): (usize, &CellProcess)| CellProcess {
            iterations: own(self.iterations, process).map(iteration).collect(),
            ..of.clone()
        };
        self.numbers.iter().enumerate().map(with_iterations).collect()
    }
}
