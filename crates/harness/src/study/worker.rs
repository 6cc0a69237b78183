//! The worker process: iterations every cell at most once per round and reports what it measures. Calibration cells, and
//! cells with more threads than CPUs, are measured less often.

use std::collections::BTreeMap;
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
use super::schedule::{CellSpec, EMPTY, LAYOUTS, OVERSUBSCRIBED_ITERATION, order};
use super::study::Study;
use super::time_left::{TimeLeft, longest_iteration};
use crate::quantity::{length, ns};
use crate::record::Disturbance;
use crate::record::study::{Mode, StudyClock, StudyPlan};
use crate::worker::{Hear, Launch, STUDY, Terms, WorkerFailure, line, request, say, serve};

/// A batch takes this many times the clock's error, whose share is then 0.01 %.
const BATCH_ERRORS: f64 = 10_000.0;
/// Minimum batch length, in nanoseconds.
const SHORTEST_BATCH_NS: u64 = 100_000;
/// Maximum length of iterations of calibration cells; there is one for each layout, and more as long as together they take
/// no more than this share of a process's time.
const CALIBRATION_NS: u64 = 500_000;
const CALIBRATION_SHARE: f64 = 0.15;
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
        let is_served = serve(|| {
            if request.counter_faults {
                set_counter_access(CounterAccess::Faults).map_err(|unavailable| unavailable.to_string())?;
            }
            self.serve(&request, &mut say)
        });
        std::process::exit(i32::from(!is_served));
    }

    fn serve(&self, request: &StudyRequest, say: Say<'_>) -> Result<(), String> {
        if request.outline {
            say(&Message::Outline { cases: self.cases.iter().map(Case::outline).collect() })?;
            return say(&Message::End { disturbance: Disturbance::default() });
        }
        let mut worker = Worker::new(self, request, say)?;
        worker.pilots()?;
        worker.pilots_ns = worker.time.elapsed_ns();
        worker.rounds()?;
        (worker.say)(&Message::End { disturbance: worker.crew.end() })
    }
}

/// Itself a worker that is no process of its own, for a system that lets none start.
impl Launch for Study {
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
        match self.serve(&request, &mut say) {
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
    cells: Vec<Cell>,
    crew: Crew,
    time: TimeLeft,
    /// Time taken by the pilots.
    pilots_ns: u64,
    error_ns: f64,
    states: KeptStates,
    /// Calibration cells.
    of_calibration: u64,
    /// Cells that are measured, without calibration, to begin with; at least one.
    to_measure: u64,
}

/// A cell in this process.
struct Cell {
    spec: CellSpec,
    case: Case,
    /// It is not measured, or no longer.
    failed: bool,
    /// This process or an earlier one has measured it.
    measured: bool,
    /// Its operation uses threads of its own.
    own_threads: bool,
    /// Of a pilot: what the slowest thread of each role takes per operation, timed, and with what is not, such as making inputs.
    roles_ns: Vec<(f64, f64)>,
    /// Operations per batch.
    operations: u64,
}

impl Cell {
    /// What an operation takes; None without a pilot.
    fn own_ns(&self) -> Option<f64> {
        self.roles_ns.iter().map(|(own_ns, _)| *own_ns).reduce(f64::max)
    }

    /// The same with what is not timed.
    fn whole_ns(&self) -> Option<f64> {
        self.roles_ns.iter().map(|(_, whole_ns)| *whole_ns).reduce(f64::max)
    }
}

impl<'a> Worker<'a> {
    fn new(study: &Study, request: &'a StudyRequest, say: Say<'a>) -> Result<Self, String> {
        let plan = &request.plan;
        let specs = study.specs(plan);
        let empty = Case::alone(EMPTY.to_owned(), |bencher| bencher.iter(|| ()));
        let (failed, measured) = (request.failed.flags(specs.len()), request.measured.flags(specs.len()));
        let cell = |((spec, failed), measured): ((CellSpec, bool), bool)| Cell {
            case: study.cases.iter().find(|case| case.name == spec.case).unwrap_or(&empty).clone(),
            spec,
            failed,
            measured,
            own_threads: false,
            roles_ns: Vec::new(),
            operations: 1,
        };
        let cells: Vec<Cell> = specs.into_iter().zip(failed).zip(measured).map(cell).collect();
        let of_calibration = cells.iter().filter(|cell| cell.spec.case == EMPTY).count() as u64;
        let to_measure = cells.iter().filter(|cell| cell.spec.case != EMPTY && !cell.failed).count().max(1) as u64;
        let crew = Crew::start(cells.iter().map(|cell| cell.spec.threads).max().unwrap_or(1), &plan.cpus)?;
        let clock = Clock::or_system();
        let time = TimeLeft::new(clock, request.budget_ms);
        let error_ns = error_ns(clock).max(edges::in_a_row_ns(&crew)?);
        let batch_ns = error_ns.max(edges::apart_ns(&crew, time.budget_ns)?);
        let name = format!("ordered, {}", clock.trust().state);
        say(&Message::Clock(StudyClock { name, error_ns, batch_ns }))?;
        let states = KeptStates::default();
        let this = Self { request, say, cells, crew, time, pilots_ns: 0, error_ns, states, of_calibration, to_measure };
        too_coarse(error_ns, this.batch_ns(), longest_iteration(plan.budget_ms)).map(|()| this)
    }

    /// Measures every cell as often as it is due.
    fn rounds(&mut self) -> Result<(), String> {
        let groups = groups(&self.request.plan);
        let operations: Vec<u64> = self.cells.iter().map(|cell| self.operations(cell, &groups)).collect();
        self.cells.iter_mut().zip(operations).for_each(|(cell, operations)| cell.operations = operations);
        let is_first_whole = self.has_time_for_a_round();
        for round in 0..self.request.plan.rounds.max(1) {
            for cell in order(self.cells.len(), self.request.plan.seed, self.request.process, round) {
                let Some((length_ns, layout)) = self.is_due(&self.cells[cell], round, is_first_whole) else { continue };
                let assignments = self.assignments(cell, round, length_ns);
                if let Some(threads) = self.iteration(cell, Some(round), layout, assignments)? {
                    self.measured(IterationLog { cell, round, layout, threads })?;
                }
            }
        }
        Ok(())
    }

    fn measured(&mut self, log: IterationLog) -> Result<(), String> {
        self.cells[log.cell].measured = true;
        (self.say)(&Message::Iteration(log))
    }

    /// Measures roughly how long each cell's operation takes, while there is time to measure those that it knows. For one that leaves
    /// no time for more, that is its measurement.
    fn pilots(&mut self) -> Result<(), String> {
        let mut tried_ns = 0.0;
        for cell in order(self.cells.len(), self.request.plan.seed, self.request.process, 0) {
            let of = &self.cells[cell];
            if of.failed || self.fixed_operations(of).is_some() || of.measured && !self.time.fits(tried_ns) {
                continue;
            }
            let mut found = self.pilot(cell)?;
            if let Some((_, true)) = found {
                // Once more: threads of another operation may still have been ending.
                CpuTime::settle();
                found = self.pilot(cell)?;
            }
            let Some((threads, others)) = found else { continue };
            let of = &mut self.cells[cell];
            of.own_threads = others;
            of.roles_ns = vec![(0.0, 0.0); of.case.roles.len()];
            for (thread, log) in (0..).zip(&threads) {
                let (own_ns, whole_ns) = &mut of.roles_ns[of.case.role_at(thread)];
                let ns = log.batches_ns.last().copied().unwrap_or(0) as f64 / log.operations.max(1) as f64;
                (*own_ns, *whole_ns) = (own_ns.max(ns), whole_ns.max(ns).max(log.whole_ns));
            }
            if others {
                (self.say)(&Message::OwnThreads { cell })?;
            }
            tried_ns += self.first_ns(&self.cells[cell]).filter(|ns| self.time.fits(tried_ns + ns)).unwrap_or(0.0);
            if !self.time.fits(0.0) && self.cells[cell].spec.is_of_user() {
                self.measured(IterationLog { cell, round: 0, layout: 0, threads })?;
            }
        }
        Ok(())
    }

    /// Pilots a cell, and says whether threads other than the measuring ones were at work. None if it failed.
    fn pilot(&mut self, cell: usize) -> Result<Option<(Vec<ThreadLog>, bool)>, String> {
        let assignments = vec![Assignment::Pilot { target_ns: self.batch_ns() }; self.cells[cell].case.roles.len()];
        // Of this thread first: what it takes between the two readings is known then, not another thread's.
        let (own, before) = (CpuTime::of_thread(), CpuTime::of_process());
        let Some(threads) = self.iteration(cell, None, 0, assignments)? else { return Ok(None) };
        let crew: Duration = threads.iter().map(|log| Duration::from_nanos(log.cpu_ns)).sum();
        // This thread makes what the others share.
        let others = CpuTime::of_process().exceeds(before, crew + CpuTime::of_thread().since(own));
        Ok(Some((threads, others)))
    }

    /// Whether a round fits the time at all. The first is whole then, even if it ends late: models need every process at every
    /// cell, and the processes that follow have the less.
    fn has_time_for_a_round(&self) -> bool {
        self.cells.iter().filter_map(|cell| self.first_ns(cell)).sum::<f64>() <= self.time.budget_ns as f64
    }

    /// What the first iteration of a cell takes with what is about it; None if there is none, or there was no time to try it.
    fn first_ns(&self, cell: &Cell) -> Option<f64> {
        let (length_ns, _) = self.planned(cell, 0)?;
        Some(self.iteration_ns(cell, length_ns)? + ITERATION_OVERHEAD_NS as f64)
    }

    /// The length and layout of an iteration of `cell` in this round; None if there is no time for it, unless no process has
    /// measured it yet: then the shortest.
    fn is_due(&self, cell: &Cell, round: u32, is_first_whole: bool) -> Option<(u64, u32)> {
        let (length_ns, layout) = self.planned(cell, round)?;
        let fits = |ns: f64| round == 0 && is_first_whole || self.time.fits(ns);
        if self.iteration_ns(cell, length_ns).is_some_and(fits) {
            return Some((length_ns, layout));
        }
        (!cell.measured).then(|| (self.batch_ns(), layout))
    }

    /// How long an iteration takes at least. None for a cell that there was no time to try.
    fn iteration_ns(&self, cell: &Cell, length_ns: u64) -> Option<f64> {
        // Without a pilot: a fixed number of operations.
        let operation_ns = cell.whole_ns().or(self.fixed_operations(cell).map(|_| 0.0))?;
        Some((operation_ns * cell.operations as f64 * self.request.plan.fewest_batches()).max(length_ns as f64))
    }

    /// Operations per batch: as many as the fastest of the arms compared with each other needs, unless that makes this one's batches
    /// far too long, or what is not timed about them longer than an iteration.
    fn operations(&self, cell: &Cell, groups: &BTreeMap<&str, &str>) -> u64 {
        if let Some(fixed) = self.fixed_operations(cell) {
            return fixed;
        }
        let Some((own_ns, whole_ns)) = cell.own_ns().zip(cell.whole_ns()) else { return 1 };
        let group = |cell: &Cell| groups.get(cell.spec.case.as_str());
        let arms = self.cells.iter().filter(|arm| arm.spec.arena == cell.spec.arena && group(arm) == group(cell));
        let fastest_ns = arms.filter_map(Cell::own_ns).fold(own_ns, f64::min);
        let (batch_ns, longest_ns) = (self.batch_ns() as f64, self.batch_ns() as f64 * LONGEST_BATCHES);
        let iteration_ns = self.planned(cell, 0).map_or(0, |(length_ns, _)| length_ns) as f64;
        let affordable_ns = longest_ns.max(iteration_ns / self.request.plan.fewest_batches());
        let most = (longest_ns / own_ns.max(1e-3)).min(affordable_ns / whole_ns.max(1e-3));
        (batch_ns / fastest_ns.max(1e-3)).min(most).ceil().max(1.0) as u64
    }

    /// Operations per batch of a user's cell, where the study fixes them.
    fn fixed_operations(&self, cell: &Cell) -> Option<u64> {
        self.request.plan.fixed_operations().filter(|_| cell.spec.case != EMPTY)
    }

    /// The length and layout of an iteration of `cell` in this round; None if it is not to be measured.
    fn planned(&self, cell: &Cell, round: u32) -> Option<(u64, u32)> {
        let rounds = self.request.plan.rounds.max(1);
        let left_ns = self.time.budget_ns.saturating_sub(self.pilots_ns);
        let calibration_ns = self.of_calibration * (CALIBRATION_NS + ITERATION_OVERHEAD_NS);
        let affordable = left_ns as f64 * CALIBRATION_SHARE / calibration_ns.max(1) as f64;
        let calibrations = (affordable as u32).max(LAYOUTS).min(rounds);
        let left_ns = left_ns.saturating_sub(calibration_ns * u64::from(calibrations));
        let share_ns = left_ns / self.to_measure / u64::from(rounds);
        let warm_up_ns = self.batch_ns() * u64::from(self.request.plan.warm_up_batches);
        let mut length_ns = share_ns.saturating_sub(warm_up_ns + ITERATION_OVERHEAD_NS).max(self.batch_ns());
        let (mut nth, long_ns) = (Some(round), OVERSUBSCRIBED_ITERATION.as_nanos() as u64);
        if cell.spec.case == EMPTY {
            (length_ns, nth) = (CALIBRATION_NS, spread(round, rounds, calibrations));
        } else if self.request.plan.is_oversubscribed(&cell.spec) && length_ns < long_ns {
            // Fewer, longer iterations with the same total time, where that leaves at least two.
            let every = long_ns.div_ceil(length_ns.max(1)).min(u64::from(rounds / 2).max(1)) as u32;
            (length_ns, nth) = (long_ns, nth.filter(|round| round.is_multiple_of(every)));
        }
        nth.filter(|_| !cell.failed).map(|nth| (length_ns, (self.request.process + nth) % LAYOUTS))
    }

    /// What each role of a cell should do: one that is quicker than the slowest has more operations, as a batch of its own needs, but
    /// none that takes longer than the slowest one's.
    fn assignments(&self, cell: usize, round: u32, length_ns: u64) -> Vec<Assignment> {
        let of = &self.cells[cell];
        let (slowest, slowest_ns) = (of.operations, of.whole_ns().unwrap_or(0.0));
        let of_role = |role: usize| {
            let operations =
                of.roles_ns.get(role).filter(|_| of.case.roles.len() > 1).map_or(slowest, |(own_ns, whole_ns)| {
                    let needed = self.batch_ns() as f64 / own_ns.max(1e-3);
                    let as_long = slowest as f64 * slowest_ns / whole_ns.max(1e-3);
                    (needed.min(as_long).ceil() as u64).max(slowest)
                });
            self.assignment(cell, round, operations, length_ns)
        };
        (0..of.case.roles.len()).map(of_role).collect()
    }

    fn assignment(&self, cell: usize, round: u32, operations: u64, length_ns: u64) -> Assignment {
        let (plan, of) = (&self.request.plan, &self.cells[cell]);
        let lot = |draw: u32| lot(plan.seed, self.request.process, cell, 2 * round + draw);
        if plan.mode == Mode::SampleTime && of.spec.case != EMPTY {
            let wanted = 2.0 * self.error_ns / SINGLES_CLOCK_SHARE / of.own_ns().unwrap_or(1.0).max(0.1);
            // No more than an iteration has time for, with all that is not timed about them.
            let affordable = length_ns as f64 / of.whole_ns().unwrap_or(1.0).max(0.1);
            return Assignment::Singles { untimed_between: wanted.min(affordable).floor() as u64, length_ns };
        }
        // An operation that fills an iteration by itself needs no warm-up beyond its pilot.
        let slow = of.whole_ns().is_some_and(|ns| ns > length_ns as f64);
        let warm_up = if slow { plan.warm_up_batches.min(1) } else { plan.warm_up_batches };
        let untimed = operations.saturating_mul(warm_up.into());
        if plan.batches > 0 || self.fixed_operations(of).is_some() {
            let length_ns = if plan.batches > 0 { 0 } else { length_ns };
            return Assignment::Batches { operations, untimed, batches: plan.batches, length_ns };
        }
        let untimed = (untimed as f64 * lot(0)).ceil() as u64;
        let length = length_ns as f64 * lot(1);
        match of.whole_ns().filter(|ns| *ns > 0.0 && of.spec.threads == 1) {
            Some(whole_ns) => {
                let batches = (length / (whole_ns * operations as f64)).round().max(1.0) as u32;
                Assignment::Batches { operations, untimed, batches, length_ns: length_ns.saturating_mul(PATIENCE) }
            }
            // Threads that run at unlike paces are to end together.
            None => Assignment::Batches { operations, untimed, batches: 0, length_ns: length as u64 },
        }
    }

    /// Makes an iteration, or a pilot where it is of no round; None if the case failed.
    fn iteration(
        &mut self,
        cell: usize,
        round: Option<u32>,
        layout: u32,
        assignments: Vec<Assignment>,
    ) -> Result<Option<Vec<ThreadLog>>, String> {
        (self.say)(&Message::Begin { cell, round })?;
        let Cell { spec, case, own_threads, .. } = &self.cells[cell];
        let made = self.states.get(cell, case, &spec.parameters).and_then(|state| {
            self.crew.iteration(Iteration {
                case: case.clone(),
                parameters: spec.parameters.clone(),
                state,
                tokens: spec.tokens,
                oversubscribed: self.request.plan.is_oversubscribed(spec),
                is_bound: round.is_some() && !own_threads,
                layout,
                stack_steps: self.request.process.wrapping_mul(5).wrapping_add(round.unwrap_or(0).wrapping_mul(3)),
                assignments,
                rally: Rally::new(spec.threads),
            })
        });
        let Err(reason) = made else { return made.map(Some) };
        // After one failure it is not trusted at another backoff, but it is with other parameters.
        let spec = spec.clone();
        self.cells.iter_mut().for_each(|other| other.failed |= other.spec.is_sibling(&spec));
        (self.say)(&Message::Failed { cell, reason })?;
        Ok(None)
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

/// For each case, one that it is compared with directly or transitively, or itself: the same for all of them.
fn groups(plan: &StudyPlan) -> BTreeMap<&str, &str> {
    let mut groups: BTreeMap<&str, &str> = plan.cases.iter().map(|case| (case.as_str(), case.as_str())).collect();
    for (case, baseline) in &plan.comparisons {
        let (joins, joined) = (groups[case.as_str()], groups[baseline.as_str()]);
        groups.values_mut().filter(|group| **group == joins).for_each(|group| *group = joined);
    }
    groups
}

/// # Errors
/// That no operation can be timed by a clock with this error: a pilot ends at half a batch, and would be ended before that.
fn too_coarse(error_ns: f64, batch_ns: u64, limit: Duration) -> Result<(), String> {
    let (step, batch) = (ns(error_ns), Duration::from_nanos(batch_ns));
    if batch / 2 < limit {
        return Ok(());
    }
    let batch = length(batch);
    Err(format!(
        "the clock that times batches moves in steps of {step}: a batch of operations would have to last {batch}"
    ))
}

/// The smallest difference that two readings resolve: the mean difference of back-to-back readings, or the clock's step
/// if longer. The fastest of several series, since in the others something else ran.
fn error_ns(clock: Clock) -> f64 {
    const ROWS: u32 = 50;
    const READS: usize = 200;
    let row = |_| {
        let reads: Vec<i64> = (0..=READS).map(|_| clock.now().as_nanos()).collect();
        // A clock that did not advance at all has a step longer than the series.
        let step = reads.windows(2).map(|two| two[1] - two[0]).filter(|ns| *ns > 0).min()?;
        Some((reads[READS].saturating_sub(reads[0]) as f64 / READS as f64).max(step as f64))
    };
    let quickest = (0..ROWS).filter_map(row).reduce(f64::min);
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
    use super::*;
    use crate::study::hearing::hear;
    use crate::study::{Bencher, Group, StudyOptions};
    use crate::worker::Limit;

    #[test]
    fn a_clock_whose_batches_outlast_the_limit_is_refused() {
        let limit = longest_iteration(560);
        assert_eq!(limit, Duration::from_secs(10));
        assert_eq!(longest_iteration(60_000), Duration::from_secs(120));
        for error_ns in [30.0, 23_000.0, 1_900_000.0] {
            assert_eq!(too_coarse(error_ns, (error_ns * BATCH_ERRORS) as u64, limit), Ok(()));
        }
        let why = too_coarse(4e6, 40_000_000_000, limit).unwrap_err();
        assert!(["4.00", "40"].iter().all(|figure| why.contains(figure)), "{why}");
    }

    /// What a process says that has this long, of cells that others have measured.
    fn said(budget_ms: u64) -> Vec<Message> {
        let study = Study::new("made up").case("nothing", |b| b.iter(|| ()));
        let plan = study.plan(&StudyOptions::default(), &[0]).unwrap();
        let measured = (0..study.specs(&plan).len()).collect();
        let request = StudyRequest { measured, budget_ms, process: 3, ..StudyRequest::new("made up", plan) };
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

    /// What a worker of `study` with this budget logs of each iteration of the user's cells.
    fn iterations(study: &Study, budget: Duration) -> Vec<IterationLog> {
        let options =
            StudyOptions { budget: Some(budget), processes: Some(2), seed: Some(1), ..StudyOptions::default() };
        let plan = study.plan(&options, &[]).unwrap();
        let specs = study.specs(&plan);
        let budget_ms = budget.as_millis() as u64;
        let request = StudyRequest { budget_ms, ..StudyRequest::new(study.name(), plan) };
        let mut said = Vec::new();
        let terms = Terms { limit: Limit::Each(Duration::MAX), padding: 0, cancelled: &|| false };
        let take = |message| {
            said.push(message);
            Ok(())
        };
        hear(study, &request, terms, take).unwrap();
        let of_user = |message| match message {
            Message::Iteration(log) if specs[log.cell].is_of_user() => Some(log),
            _ => None,
        };
        said.into_iter().filter_map(of_user).collect()
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
    fn what_no_process_has_measured_is_measured_briefly_when_there_is_no_time() {
        let study = Study::new("too many").case("nothing", |b| b.iter(|| ())).threads([1, 2]);
        let plan = study.plan(&StudyOptions::default(), &[0]).unwrap();
        let request = StudyRequest { budget_ms: 0, ..StudyRequest::new("too many", plan) };
        let mut say = |_: &Message| Ok(());
        let mut worker = Worker::new(&study, &request, &mut say).unwrap();
        let shortest_ns = worker.batch_ns();
        for cell in worker.cells.iter().filter(|cell| cell.spec.is_of_user()) {
            let due = worker.is_due(cell, 0, false);
            assert_eq!(due.map(|(length_ns, _)| length_ns), Some(shortest_ns), "{}", cell.spec);
        }
        worker.cells.iter_mut().for_each(|cell| cell.measured = true);
        assert!(worker.cells.iter().all(|cell| worker.is_due(cell, 0, false).is_none()));
    }

    #[test]
    fn as_many_rounds_are_chosen_as_were_asked_for() {
        for (rounds, chosen) in [(12, 12), (40, 10), (7, 4), (3, 3), (40, 4)] {
            let found: Vec<u32> = (0..rounds).filter_map(|round| spread(round, rounds, chosen)).collect();
            assert_eq!(found, (0..chosen).collect::<Vec<_>>(), "{chosen} of {rounds}");
        }
    }
}
