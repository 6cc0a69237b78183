//! The worker process: iterations every cell at most once per round and reports what it measures. Calibration cells, and
//! cells with more threads than CPUs, are measured less often.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chronoscope_clock::Clock;
use chronoscope_sources::os::{CounterAccess, set_counter_access};

use super::case::Case;
use super::cpu_time::CpuTime;
use super::crew::{Crew, Iteration};
use super::edges;
use super::kept_states::KeptStates;
use super::lot::lot;
use super::phases::Assignment;
use super::protocol::{IterationLog, Message, StudyRequest, ThreadLog};
use super::rally::Rally;
use super::schedule::{CellSpec, EMPTY, LAYOUTS, order};
use super::study::Study;
use super::time_left::{TimeLeft, longest_iteration};
use crate::quantity::{length, ns};
use crate::record::Disturbance;
use crate::record::study::{Mode, StudyPlan};
use crate::worker::{Hear, Launch, STUDY, Terms, WorkerFailure, begin, line, request, say};

/// A batch takes this many times the clock's error, whose share is then 0.01 %.
const BATCH_ERRORS: f64 = 10_000.0;
/// Minimum batch length, in nanoseconds.
const SHORTEST_BATCH_NS: u64 = 100_000;
/// Maximum length of iterations of calibration cells; there is one for each layout, and more as long as together they take
/// no more than this share of a process's time.
const CALIBRATION_NS: u64 = 500_000;
const CALIBRATION_SHARE: f64 = 0.15;
/// Threads that share CPUs must be observed over several scheduler time slices.
const OVERSUBSCRIBED_ITERATION_NS: u64 = 20_000_000;
/// Maximum share of a thread's time spent in the clock when it times single operations.
const SINGLES_CLOCK_SHARE: f64 = 0.05;
/// An arm's batches may be this many times longer than necessary, to suit a faster arm.
pub const LONGEST_BATCHES: f64 = 16.0;
/// An iteration ends after this many times its planned length, if its operation takes far longer than the pilot said.
const PATIENCE: u64 = 8;
/// An iteration's overhead: waking threads, interference probes, and batches that overshoot.
const ITERATION_OVERHEAD_NS: u64 = 150_000;

impl Study {
    /// In a worker process of this study: serves, then exits the process. Otherwise returns at once.
    ///
    /// [`run`](Self::run) and `chronoscope_bench::main` call this themselves. A program calls it before anything that
    /// prints, creates files or measures, since its workers start the same way.
    pub fn serve_if_worker(&self) {
        // A request that is not for a study is for the program.
        let Some(request) = request().and_then(|text| serde_json::from_str::<StudyRequest>(&text).ok()) else { return };
        if request.task != STUDY || request.study != self.name {
            return;
        }
        let faults = || match request.counter_faults.then(|| set_counter_access(CounterAccess::Faults)) {
            Some(Err(unavailable)) => Err(unavailable.to_string()),
            _ => Ok(()),
        };
        let served = begin().and_then(|()| faults()).and_then(|()| match request.outline {
            true => self.send_outline(),
            false => self.serve(&request, &mut say),
        });
        if let Err(reason) = served {
            eprintln!("{reason}");
            std::process::exit(1);
        }
        std::process::exit(0);
    }

    /// Reports which cases there are.
    fn send_outline(&self) -> Result<(), String> {
        say(&Message::Outline { cases: self.cases.iter().map(Case::outline).collect() })?;
        say(&Message::End { disturbance: Disturbance::default() })
    }
}

impl Study {
    fn serve(&self, request: &StudyRequest, say: Say<'_>) -> Result<(), String> {
        Worker::new(self, request, say)?.work()
    }

    /// A worker that is no process of its own, for a system that lets none start.
    pub fn in_this_process(&self) -> impl Launch + '_ {
        InThisProcess(self)
    }
}

struct InThisProcess<'a>(&'a Study);

impl Launch for InThisProcess<'_> {
    fn converse(&self, request: &str, hearer: &mut dyn Hear, terms: Terms<'_>) -> Result<(), WorkerFailure> {
        let unparsable = |error: serde_json::Error| WorkerFailure::ProtocolError(error.to_string());
        let request: StudyRequest = serde_json::from_str(request).map_err(unparsable)?;
        let mut say = |message: &Message| {
            if (terms.cancelled)() {
                return Err(String::new());
            }
            let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
            hearer.line(line(&text).trim_end()).map(drop)
        };
        match self.0.serve(&request, &mut say) {
            Err(_) if (terms.cancelled)() => Err(WorkerFailure::Cancelled),
            served => served.map_err(WorkerFailure::Refused),
        }
    }
}

/// Sends a message.
type Say<'a> = &'a mut dyn FnMut(&Message) -> Result<(), String>;

/// One running worker process.
struct Worker<'a> {
    request: &'a StudyRequest,
    say: Say<'a>,
    cases: Vec<Case>,
    cells: Vec<CellSpec>,
    crew: Crew,
    clock: Clock,
    time: TimeLeft,
    /// Time taken by the pilots.
    pilots_ns: u64,
    error_ns: f64,
    states: KeptStates,
    /// Cells that are not measured, or no longer.
    failed: Vec<bool>,
    /// Cells that are measured, without calibration, to begin with; at least one.
    to_measure: u64,
    /// Cells that this process or an earlier one has measured.
    measured: Vec<bool>,
    /// Cells whose operation uses threads of its own.
    own_threads: Vec<bool>,
    /// Pilot results: nanoseconds per operation.
    piloted_ns: Vec<Option<f64>>,
    /// The same with what is not timed, such as making inputs.
    whole_ns: Vec<Option<f64>>,
    /// Both, of each role of a group.
    roles_ns: Vec<Vec<(f64, f64)>>,
}

impl<'a> Worker<'a> {
    fn new(study: &Study, request: &'a StudyRequest, say: Say<'a>) -> Result<Self, String> {
        let plan = &request.plan;
        let cells = study.specs(plan);
        let mut cases = study.cases.clone();
        cases.push(Case::shared(EMPTY.to_owned(), |_| (), |bencher, ()| bencher.iter(|| ())));
        let threads = cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
        let crew = Crew::start(threads, &plan.cpus)?;
        let clock = Clock::or_system();
        let (failed, measured) = (request.failed.flags(cells.len()), request.measured.flags(cells.len()));
        let is_measured = |(cell, failed): &(&CellSpec, &bool)| cell.case != EMPTY && !**failed;
        let to_measure = cells.iter().zip(&failed).filter(is_measured).count().max(1) as u64;
        let (piloted_ns, whole_ns) = (vec![None; cells.len()], vec![None; cells.len()]);
        let (roles_ns, own_threads) = (vec![Vec::new(); cells.len()], vec![false; cells.len()]);
        let time = TimeLeft::new(clock, request.budget_ms);
        let error_ns = error_ns(clock);
        Ok(Self {
            request,
            say,
            cases,
            cells,
            crew,
            clock,
            time,
            pilots_ns: 0,
            error_ns,
            states: KeptStates::default(),
            failed,
            to_measure,
            measured,
            own_threads,
            piloted_ns,
            whole_ns,
            roles_ns,
        })
    }

    fn work(mut self) -> Result<(), String> {
        self.error_ns = self.error_ns.max(edges::in_a_row_ns(&mut self.crew)?);
        let batch_ns = self.error_ns.max(edges::apart_ns(&mut self.crew, self.time.budget_ns())?);
        let trust = self.clock.trust();
        let name = format!("ordered, {}", trust.state);
        (self.say)(&Message::Clock { name, error_ns: self.error_ns, batch_ns })?;
        let limit = longest_iteration(self.request.plan.budget_ms);
        too_coarse(self.error_ns, self.batch_ns(), limit).map_or(Ok(()), Err)?;
        self.pilots()?;
        self.pilots_ns = self.time.elapsed_ns();
        let operations = self.operations();
        let rounds = self.request.plan.rounds.max(1);
        let is_first_whole = self.has_time_for_a_round(&operations, rounds);
        for round in 0..rounds {
            for cell in order(self.cells.len(), self.request.plan.seed, self.request.process, round) {
                if self.failed[cell] {
                    continue;
                }
                if let Some((length_ns, layout)) = self.is_due(cell, round, rounds)
                    && (round == 0 && is_first_whole && self.is_tried(cell)
                        || self.can_be_run(cell, operations[cell], length_ns))
                {
                    let assignment = self.assignment(cell, round, operations[cell], length_ns);
                    if let Some(threads) = self.iteration(cell, Some(round), layout, assignment)? {
                        self.measured[cell] = true;
                        (self.say)(&Message::Iteration(IterationLog { cell, round, layout, threads }))?;
                    }
                }
            }
        }
        (self.say)(&Message::End { disturbance: self.crew.end() })
    }

    /// Measures roughly how long each cell's operation takes. For one that leaves no time for more, that is its measurement.
    fn pilots(&mut self) -> Result<(), String> {
        let target_ns = self.batch_ns();
        for cell in order(self.cells.len(), self.request.plan.seed, self.request.process, 0) {
            let is_fixed = self.fixed_operations().is_some() && self.cells[cell].is_of_user();
            if self.failed[cell] || is_fixed || self.measured[cell] && !self.time.fits(0.0) {
                continue;
            }
            let Some((mut threads, mut others)) = self.pilot(cell, target_ns)? else { continue };
            if others {
                // Once more: what another operation's threads still did is accounted late.
                let Some(again) = self.pilot(cell, target_ns)? else { continue };
                (threads, others) = again;
            }
            if others {
                self.own_threads[cell] = true;
                (self.say)(&Message::OwnThreads { cell })?;
            }
            self.roles_ns[cell] = self.slowest_of_roles(cell, &threads);
            self.piloted_ns[cell] = self.roles_ns[cell].iter().map(|(own_ns, _)| *own_ns).reduce(f64::max);
            self.whole_ns[cell] = self.roles_ns[cell].iter().map(|(_, whole_ns)| *whole_ns).reduce(f64::max);
            if !self.time.fits(0.0) && self.cells[cell].is_of_user() {
                self.measured[cell] = true;
                (self.say)(&Message::Iteration(IterationLog { cell, round: 0, layout: 0, threads }))?;
            }
        }
        Ok(())
    }

    /// What the slowest thread of each role of `cell` showed in a pilot, per operation: timed, and with what is not.
    fn slowest_of_roles(&self, cell: usize, threads: &[ThreadLog]) -> Vec<(f64, f64)> {
        let case = self.cases.iter().find(|case| case.name == self.cells[cell].case);
        let mut found = vec![(0.0_f64, 0.0_f64); case.map_or(1, |case| case.roles.len())];
        for (thread, log) in (0..).zip(threads) {
            let role = case.map_or(0, |case| case.role_at(thread));
            let own_ns = log.batches_ns.last().copied().unwrap_or(0) as f64 / log.operations.max(1) as f64;
            let (own, whole) = found[role];
            found[role] = (own.max(own_ns), whole.max(own_ns).max(log.whole_ns));
        }
        found
    }

    /// Pilots a cell, and says whether threads other than the measuring ones were at work. None if it failed.
    fn pilot(&mut self, cell: usize, target_ns: u64) -> Result<Option<(Vec<ThreadLog>, bool)>, String> {
        // Of this thread first: what it takes between the two readings is known then, not another thread's.
        let (own, before) = (CpuTime::of_thread(), CpuTime::of_process());
        let Some(threads) = self.iteration(cell, None, 0, Assignment::Pilot { target_ns })? else { return Ok(None) };
        let crew: Duration = threads.iter().map(|log| Duration::from_nanos(log.cpu_ns)).sum();
        // This thread makes what the others share.
        let others = CpuTime::of_process().exceeds(before, crew + CpuTime::of_thread().since(own));
        Ok(Some((threads, others)))
    }

    /// Whether a round fits the time at all. The first is whole then, even if it ends late: models need every process at every
    /// cell, and the processes that follow have the less.
    fn has_time_for_a_round(&self, operations: &[u64], rounds: u32) -> bool {
        let of_cell = |cell: usize| {
            let (length_ns, _) = self.is_due(cell, 0, rounds)?;
            Some(self.iteration_ns(cell, operations[cell], length_ns)? + ITERATION_OVERHEAD_NS as f64)
        };
        let whole_ns: f64 = (0..self.cells.len()).filter(|cell| !self.failed[*cell]).filter_map(of_cell).sum();
        whole_ns <= self.time.budget_ns() as f64
    }

    /// Whether it is known how many operations make a batch: there was time for a pilot, or the study fixes them.
    fn is_tried(&self, cell: usize) -> bool {
        self.piloted_ns[cell].is_some() || self.fixed_operations().is_some()
    }

    /// Whether there is time for an iteration, or no process has measured it yet.
    fn can_be_run(&self, cell: usize, operations: u64, length_ns: u64) -> bool {
        !self.measured[cell] || self.iteration_ns(cell, operations, length_ns).is_some_and(|ns| self.time.fits(ns))
    }

    /// How long an iteration takes at least. None for a cell that there was no time to try.
    fn iteration_ns(&self, cell: usize, operations: u64, length_ns: u64) -> Option<f64> {
        // Without a pilot: a fixed number of operations.
        let operation_ns = self.whole_ns[cell].or(self.fixed_operations().map(|_| 0.0))?;
        Some((operation_ns * operations as f64 * self.fewest_batches()).max(length_ns as f64))
    }

    /// Batches in the shortest iteration.
    fn fewest_batches(&self) -> f64 {
        f64::from(1 + self.request.plan.warm_up_batches.min(1))
    }

    /// Operations per batch of each cell: as many as the fastest of the arms compared with each other needs, unless
    /// that makes this one's batches far too long, or what is not timed about them longer than an iteration.
    fn operations(&self) -> Vec<u64> {
        let batch_ns = self.batch_ns() as f64;
        let compared = compared_with(&self.request.plan);
        let group = |case: &str| compared.get(case).cloned().unwrap_or_else(|| BTreeSet::from([case.to_owned()]));
        let wanted = |(at, cell): (usize, &CellSpec)| {
            if let Some(fixed) = self.fixed_operations().filter(|_| cell.case != EMPTY) {
                return fixed;
            }
            let Some(own_ns) = self.piloted_ns[at] else { return 1 };
            let group = group(&cell.case);
            let arms = self.cells.iter().zip(&self.piloted_ns);
            let arms = arms.filter(|(other, _)| other.arena == cell.arena && group.contains(&other.case));
            let fastest_ns = arms.filter_map(|(_, ns)| *ns).fold(own_ns, f64::min);
            let of_group = batch_ns / fastest_ns.max(1e-3);
            let longest_ns = batch_ns * LONGEST_BATCHES;
            let most = longest_ns / own_ns.max(1e-3);
            let iteration_ns =
                self.is_due(at, 0, self.request.plan.rounds.max(1)).map_or(0, |(length_ns, _)| length_ns);
            let whole_ns = self.whole_ns[at].unwrap_or(own_ns).max(1e-3);
            let affordable = longest_ns.max(iteration_ns as f64 / self.fewest_batches()) / whole_ns;
            of_group.min(most).min(affordable).ceil().max(1.0) as u64
        };
        self.cells.iter().enumerate().map(wanted).collect()
    }

    /// Operations per batch of each role of a group, where the slowest role has `operations`: a quick role has more, as a batch of
    /// its own needs, but none that takes longer than the slowest role's. None for others.
    fn operations_of_roles(&self, cell: usize, operations: u64) -> Vec<u64> {
        let (roles, slowest_ns) = (&self.roles_ns[cell], self.whole_ns[cell].unwrap_or(0.0));
        if roles.len() < 2 {
            return Vec::new();
        }
        let of_role = |(own_ns, whole_ns): &(f64, f64)| {
            let needed = self.batch_ns() as f64 / own_ns.max(1e-3);
            let as_long = operations as f64 * slowest_ns / whole_ns.max(1e-3);
            (needed.min(as_long).ceil() as u64).max(operations)
        };
        roles.iter().map(of_role).collect()
    }

    /// Operations per batch, where the study fixes them.
    fn fixed_operations(&self) -> Option<u64> {
        match self.request.plan.mode {
            Mode::Batch(operations) => Some(operations),
            Mode::SingleShot => Some(1),
            Mode::AverageTime | Mode::Throughput | Mode::SampleTime => None,
        }
    }

    /// The length and layout of an iteration of `cell` in this round; None if it is not measured.
    fn is_due(&self, cell: usize, round: u32, rounds: u32) -> Option<(u64, u32)> {
        let layout = (self.request.process + round) % LAYOUTS;
        let of_calibration = self.cells.iter().filter(|cell| cell.case == EMPTY).count() as u64;
        let left_ns = self.time.budget_ns().saturating_sub(self.pilots_ns);
        let calibration_ns = of_calibration * (CALIBRATION_NS + ITERATION_OVERHEAD_NS);
        let affordable = left_ns as f64 * CALIBRATION_SHARE / calibration_ns.max(1) as f64;
        let calibrations = (affordable as u32).max(LAYOUTS).min(rounds);
        let left_ns = left_ns.saturating_sub(calibration_ns * u64::from(calibrations));
        let share_ns = left_ns / self.to_measure / u64::from(rounds);
        let warm_up_ns = self.batch_ns() * u64::from(self.request.plan.warm_up_batches);
        let usual_ns = share_ns.saturating_sub(warm_up_ns + ITERATION_OVERHEAD_NS).max(self.batch_ns());
        let cell = &self.cells[cell];
        if cell.case == EMPTY {
            let nth = spread(round, rounds, calibrations)?;
            return Some((CALIBRATION_NS, (self.request.process + nth) % LAYOUTS));
        }
        if self.is_oversubscribed(cell) && usual_ns < OVERSUBSCRIBED_ITERATION_NS {
            // Fewer, longer iterations with the same total time, where that leaves at least two.
            let every = OVERSUBSCRIBED_ITERATION_NS.div_ceil(usual_ns.max(1)).min(u64::from(rounds / 2).max(1)) as u32;
            return round.is_multiple_of(every).then_some((OVERSUBSCRIBED_ITERATION_NS, layout));
        }
        Some((usual_ns, layout))
    }

    fn assignment(&self, cell: usize, round: u32, operations: u64, length_ns: u64) -> Assignment {
        let plan = &self.request.plan;
        let lot = |draw: u32| lot(plan.seed, self.request.process, cell, 2 * round + draw);
        if plan.mode == Mode::SampleTime && self.cells[cell].case != EMPTY {
            let operation_ns = self.piloted_ns[cell].unwrap_or(1.0).max(0.1);
            let wanted = 2.0 * self.error_ns / SINGLES_CLOCK_SHARE / operation_ns;
            // No more than an iteration has time for, with all that is not timed about them.
            let affordable = length_ns as f64 / self.whole_ns[cell].unwrap_or(1.0).max(0.1);
            let between = wanted.min(affordable).floor() as u64;
            return Assignment::Singles { untimed_between: between, length_ns };
        }
        // An operation that fills an iteration by itself needs no warm-up beyond its pilot.
        let slow = self.whole_ns[cell].is_some_and(|ns| ns > length_ns as f64);
        let warm_up = if slow { plan.warm_up_batches.min(1) } else { plan.warm_up_batches };
        let untimed = operations.saturating_mul(warm_up.into());
        if plan.batches > 0 || self.fixed_operations().is_some() && self.cells[cell].case != EMPTY {
            let length_ns = if plan.batches > 0 { 0 } else { length_ns };
            return Assignment::Batches { operations, untimed, batches: plan.batches, length_ns };
        }
        let untimed = (untimed as f64 * lot(0)).ceil() as u64;
        let length = length_ns as f64 * lot(1);
        match self.whole_ns[cell].filter(|ns| *ns > 0.0 && self.cells[cell].threads == 1) {
            Some(whole_ns) => {
                let batches = (length / (whole_ns * operations as f64)).round().max(1.0) as u32;
                Assignment::Batches { operations, untimed, batches, length_ns: length_ns.saturating_mul(PATIENCE) }
            }
            // Threads that run at unlike paces are to end together.
            None => Assignment::Batches { operations, untimed, batches: 0, length_ns: length as u64 },
        }
    }

    /// Makes an iteration; None if the case failed.
    fn iteration(
        &mut self,
        cell: usize,
        round: Option<u32>,
        layout: u32,
        assignment: Assignment,
    ) -> Result<Option<Vec<ThreadLog>>, String> {
        (self.say)(&Message::Begin { cell, round })?;
        match self.attempt(cell, round, layout, assignment) {
            Ok(logs) => Ok(Some(logs)),
            Err(reason) => {
                // After one failure it is not trusted at another backoff, but it is with other parameters.
                for (other, failed) in self.cells.iter().zip(&mut self.failed) {
                    *failed |= other.is_sibling(&self.cells[cell]);
                }
                (self.say)(&Message::Failed { cell, reason })?;
                Ok(None)
            }
        }
    }

    fn attempt(
        &mut self,
        cell: usize,
        round: Option<u32>,
        layout: u32,
        assignment: Assignment,
    ) -> Result<Vec<ThreadLog>, String> {
        let spec = self.cells[cell].clone();
        let case = self.cases.iter().find(|case| case.name == spec.case).cloned();
        let case = case.ok_or_else(|| format!("unknown case {}", spec.case))?;
        let state = self.states.get(cell, &case, &spec.parameters)?;
        let oversubscribed = self.is_oversubscribed(&spec);
        let stack_steps = self.request.process.wrapping_mul(5).wrapping_add(round.unwrap_or(0).wrapping_mul(3));
        let of_roles = match assignment {
            Assignment::Batches { operations, .. } => self.operations_of_roles(cell, operations),
            Assignment::Pilot { .. } | Assignment::Singles { .. } => Vec::new(),
        };
        let rally = Rally::new(spec.threads);
        self.crew.iteration(Iteration {
            case,
            parameters: spec.parameters,
            state,
            tokens: spec.tokens,
            threads: spec.threads,
            oversubscribed,
            is_bound: !matches!(assignment, Assignment::Pilot { .. }) && !self.own_threads[cell],
            layout,
            stack_steps,
            assignment,
            of_roles,
            rally,
        })
    }

    fn is_oversubscribed(&self, cell: &CellSpec) -> bool {
        cell.threads as usize > self.request.plan.cpus.len().max(1)
    }

    fn batch_ns(&self) -> u64 {
        ((self.error_ns * BATCH_ERRORS) as u64).max(SHORTEST_BATCH_NS)
    }
}

/// The index of `round` among `chosen` rounds spread evenly over all `rounds`; None if it is not one of them.
fn spread(round: u32, rounds: u32, chosen: u32) -> Option<u32> {
    let up_to = |round: u32| (u64::from(round) * u64::from(chosen) / u64::from(rounds.max(1))) as u32;
    (up_to(round + 1) > up_to(round)).then(|| up_to(round))
}

/// For each case, the cases compared with it directly or transitively, and itself.
fn compared_with(plan: &StudyPlan) -> BTreeMap<String, BTreeSet<String>> {
    let mut groups: Vec<BTreeSet<String>> = plan.cases.iter().map(|case| BTreeSet::from([case.clone()])).collect();
    for (case, baseline) in &plan.comparisons {
        let (joined, mut others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(case) || group.contains(baseline));
        others.push(joined.into_iter().flatten().collect());
        groups = others;
    }
    let each = |group: BTreeSet<String>| group.clone().into_iter().map(move |case| (case, group.clone()));
    groups.into_iter().flat_map(each).collect()
}

/// Why no operation can be timed by a clock with this error: a pilot ends at half a batch, and would be ended before that.
fn too_coarse(error_ns: f64, batch_ns: u64, limit: Duration) -> Option<String> {
    let batch = Duration::from_nanos(batch_ns);
    (batch / 2 >= limit).then(|| {
        format!(
            "the clock that times batches moves in steps of {}: a batch of operations would have to last {}",
            ns(error_ns),
            length(batch)
        )
    })
}

/// The smallest difference that two readings resolve: the mean difference of back-to-back readings, or the clock's step
/// if longer. The fastest of several series, since in the others something else ran.
fn error_ns(clock: Clock) -> f64 {
    const ROWS: u32 = 50;
    const READS: u32 = 200;
    let row = || {
        let first = clock.now().as_nanos();
        let (mut last, mut step) = (first, None::<i64>);
        for _ in 0..READS {
            let now = clock.now().as_nanos();
            if now > last {
                step = Some(step.map_or(now - last, |step| step.min(now - last)));
            }
            last = now;
        }
        let mean = last.saturating_sub(first) as f64 / f64::from(READS);
        // A clock that did not advance at all has a step longer than the series.
        step.map(|step| mean.max(step as f64))
    };
    let quickest = (0..ROWS).filter_map(|_| row()).reduce(f64::min);
    quickest.unwrap_or_else(|| one_step_ns(clock))
}

/// How far the clock jumps when it finally advances.
fn one_step_ns(clock: Clock) -> f64 {
    const MOST_READS: u32 = 10_000_000;
    let first = clock.now().as_nanos();
    let moved = (0..MOST_READS).map(|_| clock.now().as_nanos()).find(|now| *now > first);
    moved.map_or(1.0, |now| (now - first) as f64)
}

#[cfg(test)]
mod tests {
    use super::super::cell_set::CellSet;
    use super::*;
    use crate::study::{Bencher, Group, StudyOptions};
    use crate::worker::{Limit, PROTOCOL};

    #[test]
    fn a_clock_whose_batches_outlast_the_limit_is_refused() {
        let limit = longest_iteration(560);
        assert_eq!(limit, Duration::from_secs(10));
        assert_eq!(longest_iteration(60_000), Duration::from_secs(120));
        for error_ns in [30.0, 23_000.0, 1_900_000.0] {
            assert_eq!(too_coarse(error_ns, (error_ns * BATCH_ERRORS) as u64, limit), None);
        }
        let why = too_coarse(4e6, 40_000_000_000, limit).unwrap();
        assert!(["4.00", "40"].iter().all(|figure| why.contains(figure)), "{why}");
    }

    /// What a process says that has this long, of cells that others have measured.
    fn said(budget_ms: u64) -> Vec<Message> {
        let study = Study::new("made up").case("nothing", |b| b.iter(|| ()));
        let plan = study.plan(&StudyOptions::default(), &[0]).unwrap();
        let all: BTreeSet<usize> = (0..study.specs(&plan).len()).collect();
        let request = StudyRequest {
            measured: CellSet::from(&all),
            budget_ms,
            process: 3,
            protocol: PROTOCOL,
            outline: false,
            ..StudyRequest::for_outline("made up", plan)
        };
        let mut said = Vec::new();
        let mut say = |message: &Message| {
            said.push(message.clone());
            Ok(())
        };
        study.serve(&request, &mut say).unwrap();
        said
    }

    #[test]
    fn a_process_without_time_for_a_pilot_measures_nothing() {
        // What it would say is the time of two readings of the clock.
        let said = said(1);
        assert!(matches!(said.last(), Some(Message::End { .. })));
        assert!(!said.iter().any(|message| matches!(message, Message::Iteration(_))), "{said:?}");
    }

    /// Takes in messages, for as long as there are any.
    struct Hearer(Vec<Message>);

    impl Hear for Hearer {
        fn line(&mut self, line: &str) -> Result<bool, String> {
            self.0.extend(crate::study::protocol::parse(line));
            Ok(true)
        }

        fn is_complete(&self) -> bool {
            true
        }
    }

    /// What a worker of `study` with this budget logs of each iteration of the user's cells.
    fn iterations(study: &Study, budget: Duration) -> Vec<IterationLog> {
        let options =
            StudyOptions { budget: Some(budget), processes: Some(2), seed: Some(1), ..StudyOptions::default() };
        let plan = study.plan(&options, &[]).unwrap();
        let specs = study.specs(&plan);
        let budget_ms = budget.as_millis() as u64;
        let request = StudyRequest { outline: false, budget_ms, ..StudyRequest::for_outline(study.name(), plan) };
        let mut hearer = Hearer(Vec::new());
        let terms = Terms { limit: Limit::Each(Duration::MAX), padding: 0, cancelled: &|| false };
        let request = serde_json::to_string(&request).unwrap();
        study.in_this_process().converse(&request, &mut hearer, terms).unwrap();
        let of_user = |message| match message {
            Message::Iteration(log) if specs[log.cell].is_of_user() => Some(log),
            _ => None,
        };
        hearer.0.into_iter().filter_map(of_user).collect()
    }

    #[test]
    fn inputs_that_take_long_to_make_are_few() {
        let slow = || std::thread::sleep(Duration::from_millis(5));
        for mode in [Mode::AverageTime, Mode::SampleTime] {
            let study = Study::new("slow inputs").mode(mode).case("quick", move |b| b.iter_batched(slow, |()| ()));
            let found = iterations(&study, Duration::from_millis(100));
            assert!(!found.is_empty());
            for thread in found.iter().flat_map(|log| &log.threads) {
                let singles: u64 = thread.singles.iter().map(|(_, count)| count).sum();
                let batches = singles.max(thread.batches_ns.len() as u64);
                assert!(thread.operations / batches <= 20, "{mode:?}: {} in {batches}", thread.operations);
            }
        }
    }

    #[test]
    fn each_role_has_batches_of_its_own_length() {
        let slow = |bencher: &mut Bencher<'_>, (): &()| bencher.iter(|| std::thread::sleep(Duration::from_millis(1)));
        let group = Group::new(|_| ()).role("reader", 1, |b, ()| b.iter(|| 1)).role("writer", 1, slow);
        let found = iterations(&Study::new("unlike roles").group("group", group), Duration::from_millis(400));
        assert!(!found.is_empty());
        for log in &found {
            let per_batch =
                |thread: &ThreadLog| thread.operations / (thread.batches_ns.len() as u64 * thread.merged.max(1));
            let [reader, writer] = [0, 1].map(|at| per_batch(&log.threads[at]));
            assert!(reader >= 20 * writer, "{reader} and {writer}");
        }
    }

    #[test]
    fn results_that_take_long_to_drop_are_few() {
        struct Slow;
        impl Drop for Slow {
            fn drop(&mut self) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let study = Study::new("slow results").case("quick", |b| b.iter_batched(|| (), |()| Slow));
        let found = iterations(&study, Duration::from_millis(100));
        assert!(!found.is_empty());
        for thread in found.iter().flat_map(|log| &log.threads) {
            let batches = thread.batches_ns.len() as u64;
            assert!(thread.operations / batches <= 20, "{} in {batches}", thread.operations);
        }
    }

    #[test]
    fn as_many_rounds_are_chosen_as_were_asked_for() {
        for (rounds, chosen) in [(12, 12), (40, 10), (7, 4), (3, 3), (40, 4)] {
            let found: Vec<u32> = (0..rounds).filter_map(|round| spread(round, rounds, chosen)).collect();
            assert_eq!(found, (0..chosen).collect::<Vec<_>>(), "{chosen} of {rounds}");
        }
    }
}
