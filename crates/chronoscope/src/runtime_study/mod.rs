//! Studies in language runtimes: their probes repeat operations between amounts of work and on numbers of threads, and the harness
//! estimates. [`Operations`] says what they repeat, a [`Turn`] is a runtime that is asked once per round, and [`mod@external`] makes a
//! study of what its processes said.

mod external;
mod operations;
mod turn;

use std::time::{Duration, Instant};

use chronoscope_bench::StudyProgress;
use chronoscope_examples::RuntimeOperations;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::record::{Tool, TscAccess};
use chronoscope_harness::{Start, StudyObserver};

use crate::plan::Depth;
use crate::probe::protocol::Task;
use crate::probe::runtime::Runtime;
use crate::probe::{
    Candidate, ON_LINUX_ONLY, ProbeRunner, RunFolder, RuntimePlace, Surroundings, get_ready, places, unasked,
};
use chronoscope_probes::RuntimeKind;
use external::label;
#[cfg(test)]
pub use external::study;
pub use operations::Operations;
use turn::{START_MS, Turn};

/// Processes of each runtime, by depth.
const PROCESSES: [u32; 3] = [6, 8, 16];
/// Fewer give no interval that decides anything: whoever starts slowly gets at least so many if time allows.
const FEWEST_PROCESSES: u32 = 6;
/// The shortest batch, and how long an iteration takes.
const BATCH_NS: u64 = 20_000;
const ITERATION_NS: u64 = 1_000_000;
/// The most work between reads where an interpreter does it, which takes milliseconds for so much.
const MOST_INTERPRETED: u64 = 1 << 16;
/// Rounds that a process makes at least.
const FEWEST_ROUNDS: u64 = 3;
/// Rounds that tell all that a process can tell; more would only lengthen the document.
const MOST_ROUNDS: u64 = 60;
/// How long a process measures at most.
const LONGEST_MS: u64 = 2_000;
/// Warm-up of a runtime that compiles while it runs, by depth, and of any other.
const WARM_MS: [u64; 3] = [60, 120, 400];
const WARM_COMPILED_MS: u64 = 10;
/// Time for its end, and for threads to start, beyond the start-up.
const ASIDE_MS: u64 = 30;
/// Time allowed for a process beyond its task, and somewhat more for a compiler; where nothing else waits to be measured, the longer one.
const PATIENCE: Duration = Duration::from_secs(8);
const LONG_PATIENCE: Duration = Duration::from_secs(40);
/// The share of the time in which compilers must have finished.
const READY_SHARE: f64 = 0.6;
/// By what share of their time runtimes may overrun it: a process that is still under way is then stopped, and is lost.
const OVERRUN: f64 = 0.1;

/// What to measure of runtimes.
#[derive(Clone, Debug)]
pub struct RuntimesPlan {
    /// The name of the studies.
    pub name: String,
    pub of: Vec<OfRuntime>,
    /// The programs that the user named; where there are any, no others are looked for.
    pub named: Vec<RuntimePlace>,
    pub threads: Vec<u32>,
    pub tokens: Vec<u64>,
    /// The CPUs that their threads may use, and whether that is a choice of the user's.
    pub cpus: Vec<u32>,
    pub is_bound: bool,
    /// How many versions of one kind.
    pub most_of_a_kind: usize,
    pub depth: Depth,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Swept {
    /// A study for each runtime.
    pub studies: Vec<StudyRecord>,
    pub runtimes: Vec<Runtime>,
}

/// How long runtimes may take.
#[derive(Clone, Copy, Debug)]
pub enum Allowed {
    /// Until then, compilers included: other measurements wait.
    Until(Instant),
    /// So long once their probes are compiled: there is nothing else to measure, and how long a compiler takes is no choice of the
    /// user's.
    OnceReady(Duration),
}

impl Allowed {
    /// When compilers are stopped that began at `began`; None if only their own patience ends them.
    fn ready_by(self, began: Instant) -> Option<Instant> {
        match self {
            Self::Until(deadline) => Some(began + deadline.saturating_duration_since(began).mul_f64(READY_SHARE)),
            Self::OnceReady(_) => None,
        }
    }

    fn patience(self) -> Duration {
        match self {
            Self::Until(_) => PATIENCE,
            Self::OnceReady(_) => LONG_PATIENCE,
        }
    }

    /// Whether a runtime's first process ends however late, since without it nothing is measured at all.
    fn keeps_first(self) -> bool {
        matches!(self, Self::OnceReady(_))
    }

    /// When the last process should end if the first can start at `ready`.
    fn deadline(self, ready: Instant) -> Instant {
        match self {
            Self::Until(deadline) => deadline,
            Self::OnceReady(time) => ready + time,
        }
    }
}

/// A kind of runtime, and what its processes repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfRuntime {
    pub kind: RuntimeKind,
    pub operations: Operations,
}

impl RuntimesPlan {
    /// No runtime, and why.
    pub fn left_out(&self, reason: &str) -> Swept {
        let without = |of: &OfRuntime| Runtime { reason_unavailable: Some(reason.to_owned()), ..unasked(of.kind) };
        Swept { studies: Vec::new(), runtimes: self.of.iter().map(without).collect() }
    }

    /// Measures the runtimes in turn for the time `allowed`, one process each per round.
    pub fn run(&self, allowed: Allowed, start: &Start, tool: &Tool, progress: &mut StudyProgress) -> Swept {
        if cfg!(not(target_os = "linux")) {
            return self.left_out(ON_LINUX_ONLY);
        }
        let measured = std::thread::scope(|scope| {
            // A thread of its own, since processes inherit the CPUs of the thread that starts them.
            let measure = || {
                if self.is_bound {
                    chronoscope_harness::pin(&self.cpus)?;
                }
                self.measure(allowed, start, tool, progress)
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, measure);
            let thread = started.map_err(|error| format!("no thread can be started: {error}"))?;
            thread.join().unwrap_or_else(|_| Err("the thread that measures them ended".to_owned()))
        });
        measured.unwrap_or_else(|reason| self.left_out(&reason))
    }

    fn measure(
        &self,
        allowed: Allowed,
        start: &Start,
        tool: &Tool,
        progress: &mut StudyProgress,
    ) -> Result<Swept, String> {
        let launcher = start.launcher().map_err(|failure| failure.to_string())?;
        let counter_faults = start.counter_access() == TscAccess::Faults;
        let runner = ProbeRunner { launcher, counter_faults, patience: allowed.patience() };
        let folder = RunFolder::new(launcher).map_err(|error| format!("no folder for probes: {error}"))?;
        let (candidates, missing) = self.candidates();
        let ready_by = allowed.ready_by(Instant::now());
        let at_once = self.cpus.len().clamp(1, 4);
        let ready = get_ready(candidates, folder.path(), &runner, 1, at_once, &mut |share| {
            progress.goes_on(share * READY_SHARE / 2.0, "compiling probes of runtimes");
            !progress.cancelled() && ready_by.is_none_or(|by| Instant::now() < by)
        });
        let turn = |candidate: Candidate| {
            let of = self.of.iter().find(|of| of.kind == candidate.place.kind)?;
            Some(Turn::new(candidate, of.operations.clone()))
        };
        let mut turns: Vec<Turn> = ready.into_iter().filter_map(turn).collect();
        self.rounds(&mut turns, allowed, &runner, progress);
        let stopped = progress.cancelled();
        let (mut studies, mut labels, mut runtimes) = (Vec::new(), Vec::new(), Vec::new());
        for turn in turns {
            let label = label(&turn.candidate.runtime, &labels);
            let (study, runtime) = turn.concluded(&self.name, &label, &self.cpus, stopped);
            if let Some(study) = study {
                studies.push(study.record(start, tool.clone()));
                labels.push(label);
            }
            runtimes.push(runtime);
        }
        runtimes.extend(missing);
        runtimes.sort_by_key(|runtime| runtime.kind);
        Ok(Swept { studies, runtimes })
    }

    /// The programs to ask, and the kinds that are absent.
    fn candidates(&self) -> (Vec<Candidate>, Vec<Runtime>) {
        let surroundings = Surroundings::of_this_process();
        let (mut candidates, mut missing) = (Vec::new(), Vec::new());
        for of in &self.of {
            let found = places(of.kind, &self.named, &surroundings, self.named.is_empty());
            if found.is_empty() {
                let reason_unavailable = Some("not found in the usual places".to_owned());
                missing.push(Runtime { reason_unavailable, ..unasked(of.kind) });
            }
            let most = self.most_of_a_kind;
            missing.extend(found.iter().skip(most).map(|place| {
                let reason = format!("{}: not the first of its kind", place.program.display());
                Runtime { reason_unavailable: Some(reason), ..unasked(of.kind) }
            }));
            candidates.extend(found.into_iter().take(most).map(Candidate::new));
        }
        (candidates, missing)
    }

    /// One process of each per round. A runtime that has used up its share of the time sits out, and gets its rounds later if
    /// there is time left.
    fn rounds(&self, turns: &mut [Turn], allowed: Allowed, runner: &ProbeRunner<'_>, progress: &mut StudyProgress) {
        let planned = PROCESSES[self.depth as usize];
        let began = Instant::now();
        let deadline = allowed.deadline(began);
        let able = turns.iter().filter(|turn| turn.is_able()).count().max(1) as u32;
        let time = deadline.saturating_duration_since(began);
        let (slot, stop_at) = (time / (able * planned), deadline + time.mul_f64(OVERRUN));
        for round in 0..2 * planned {
            for turn in turns.iter_mut().filter(|turn| turn.is_able()) {
                let is_late = round < planned && turn.used > slot * (round + 1);
                let is_enough = round >= planned && turn.processes() >= FEWEST_PROCESSES;
                let task = self.task(turn, slot);
                let left = deadline.saturating_duration_since(Instant::now());
                let is_only_one = allowed.keeps_first() && turn.used.is_zero();
                let is_in_time = is_only_one || turn.is_in_time(left, &task, round);
                if progress.cancelled() || !is_in_time || is_late || is_enough {
                    continue;
                }
                let spent = 1.0
                    - deadline.saturating_duration_since(Instant::now()).as_secs_f64() / time.as_secs_f64().max(1e-3);
                let share = READY_SHARE / 2.0 + (1.0 - READY_SHARE / 2.0) * spent.clamp(0.0, 1.0);
                progress.goes_on(share, &turn.title());
                let is_over = || !is_only_one && Instant::now() >= stop_at;
                turn.ask(task, round, runner, &self.cpus, &|| progress.cancelled() || is_over());
            }
        }
    }

    /// As long a sweep as fits into `slot`, and no shorter than one with the fewest rounds.
    fn task(&self, turn: &Turn, slot: Duration) -> Task {
        let kind = turn.candidate.place.kind;
        // Threads that take turns under a lock tell how it is passed on, and nothing about an operation.
        let threads_list = if turn.candidate.runtime.parallel == Some(false) { vec![1] } else { self.threads.clone() };
        let tokens: Vec<u64> = self.tokens.iter().copied().filter(|tokens| *tokens <= most_tokens(kind)).collect();
        let iterations = (turn.operations.loops(kind) * tokens.len() * threads_list.len()) as u64;
        let rounds_ms = |rounds: u64| rounds * iterations * ITERATION_NS / 1_000_000;
        let (shortest_ms, longest_ms) = (rounds_ms(FEWEST_ROUNDS), rounds_ms(MOST_ROUNDS));
        let warm_ms = if kind.row().warms_up { WARM_MS[self.depth as usize] } else { WARM_COMPILED_MS };
        let aside_ms = turn.candidate.start_ms().unwrap_or(START_MS) as u64 + warm_ms + ASIDE_MS;
        let slot_ms = u64::try_from(slot.as_millis()).unwrap_or(u64::MAX);
        let budget_ms =
            slot_ms.saturating_sub(aside_ms).clamp(shortest_ms, LONGEST_MS.min(longest_ms).max(shortest_ms));
        let (batch_ns, iteration_ns) = (BATCH_NS, ITERATION_NS);
        match &turn.operations {
            Operations::Clocks(clocks) => {
                let clocks = clocks.clone();
                Task::Sweep { tokens, threads_list, clocks, batch_ns, iteration_ns, warm_ms, budget_ms }
            }
            Operations::Experiment(RuntimeOperations { experiment, .. }) => {
                Task::Experiment { experiment, tokens, threads_list, batch_ns, iteration_ns, warm_ms, budget_ms }
            }
        }
    }
}

/// The most work between reads of a runtime.
const fn most_tokens(kind: RuntimeKind) -> u64 {
    match kind {
        RuntimeKind::Java | RuntimeKind::Dotnet | RuntimeKind::Mono | RuntimeKind::Go | RuntimeKind::C => u64::MAX,
        _ => MOST_INTERPRETED,
    }
}

/// Whether any program of this kind is found here that can be measured.
pub fn is_installed(kind: RuntimeKind) -> bool {
    cfg!(target_os = "linux") && !places(kind, &[], &Surroundings::of_this_process(), true).is_empty()
}
