//! Clocks of language runtimes: their probes sweep work and threads, and the harness estimates.

use std::time::{Duration, Instant};

use chronoscope_bench::StudyProgress;
use chronoscope_harness::quantity::RATIO;
use chronoscope_harness::record::study::{StudyClock, StudyProcess, StudyRecord};
use chronoscope_harness::record::{Tool, TscAccess};
use chronoscope_harness::{ExternalIteration, ExternalStudy, Start, StudyObserver};

use super::choice::OfRuntime;
use super::clock::NOTHING;
use super::grid::{self, Threads};
use crate::plan::{Depth, MOST_THREADS};
use crate::probe::probe_process::ProbeProcess;
use crate::probe::protocol::{ProbeRequest, Sweep, Task};
use crate::probe::rates::wrong_timer;
use crate::probe::runtime::Runtime;
use crate::probe::{Candidate, ON_LINUX_ONLY, ProbeRunner, RunFolder, Surroundings, get_ready, places, unasked};
use chronoscope_probes::RuntimeKind;

/// Processes of each runtime, by depth.
const PROCESSES: [u32; 3] = [6, 8, 16];
/// Fewer give no interval that decides anything: whoever starts slowly gets at least so many if time allows.
const FEWEST_PROCESSES: u32 = 6;
/// Maximum versions of one kind, by depth.
const MOST_OF_A_KIND: [usize; 3] = [1, 1, 4];
/// The shortest batch, and how long an iteration takes.
const BATCH_NS: u64 = 20_000;
const ITERATION_NS: u64 = 1_000_000;
/// The most work between reads where an interpreter does it, which takes milliseconds for so much.
const MOST_INTERPRETED: u64 = 1 << 16;
/// Rounds that a process makes at least.
const FEWEST_ROUNDS: u64 = 3;
/// How long a process measures at most.
const LONGEST_MS: u64 = 2_000;
/// Warm-up of a runtime that compiles while it runs, by depth, and of any other.
const WARM_MS: [u64; 3] = [60, 120, 400];
const WARM_COMPILED_MS: u64 = 10;
/// Time for its end, and for threads to start, beyond the start-up.
const ASIDE_MS: u64 = 30;
/// The start-up time that is assumed before the first.
const START_MS: f64 = 150.0;
/// Time allowed for a process beyond its task.
const PATIENCE: Duration = Duration::from_secs(8);
/// The share of the time in which compilers must have finished.
const READY_SHARE: f64 = 0.6;
/// By what share of their time runtimes may overrun it: a process that is still under way is then stopped, and is lost.
const OVERRUN: f64 = 0.1;
/// What a probe's process says if it was told to stop.
const STOPPED: &str = "the run was interrupted";
const LATE: &str = "no time left; a longer --duration may suffice";
const SERIAL: &str = "its threads run one at a time, so that only one read its clock";

/// What to measure of runtimes.
#[derive(Clone, Debug)]
pub struct RuntimesPlan {
    pub of: Vec<OfRuntime>,
    pub threads: Vec<u32>,
    pub tokens: Vec<u64>,
    /// The CPUs that their threads may use, and whether that is a choice of the user's.
    pub cpus: Vec<u32>,
    pub is_bound: bool,
    pub depth: Depth,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Swept {
    /// A study for each runtime.
    pub studies: Vec<StudyRecord>,
    pub runtimes: Vec<Runtime>,
}

impl RuntimesPlan {
    pub fn new(of: Vec<OfRuntime>, threads: &Threads, cpus: Vec<u32>, is_bound: bool, depth: Depth) -> Self {
        let tokens = std::iter::once(0).chain(grid::coarse(depth)).collect();
        Self { of, threads: grid::within(threads, depth), tokens, cpus, is_bound, depth }
    }

    /// No runtime, and why.
    pub fn left_out(&self, reason: &str) -> Swept {
        let without = |of: &OfRuntime| Runtime { reason_unavailable: Some(reason.to_owned()), ..unasked(of.kind) };
        Swept { studies: Vec::new(), runtimes: self.of.iter().map(without).collect() }
    }

    /// Measures the runtimes in turn until `deadline`, one process each per round.
    pub fn run(&self, deadline: Instant, start: &Start, tool: &Tool, progress: &mut StudyProgress) -> Swept {
        if cfg!(not(target_os = "linux")) {
            return self.left_out(ON_LINUX_ONLY);
        }
        let measured = std::thread::scope(|scope| {
            // A thread of its own, since processes inherit the CPUs of the thread that starts them.
            let measure = || {
                if self.is_bound {
                    chronoscope_harness::pin(&self.cpus)?;
                }
                self.measure(deadline, start, tool, progress)
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, measure);
            let thread = started.map_err(|error| format!("no thread can be started: {error}"))?;
            thread.join().unwrap_or_else(|_| Err("the thread that measures them ended".to_owned()))
        });
        measured.unwrap_or_else(|reason| self.left_out(&reason))
    }

    fn measure(
        &self,
        deadline: Instant,
        start: &Start,
        tool: &Tool,
        progress: &mut StudyProgress,
    ) -> Result<Swept, String> {
        let began = Instant::now();
        let launcher = start.launcher().map_err(|failure| failure.to_string())?;
        let counter_faults = start.counter_access() == TscAccess::Faults;
        let runner = ProbeRunner { launcher, counter_faults, patience: PATIENCE };
        let folder = RunFolder::new(launcher).map_err(|error| format!("no folder for probes: {error}"))?;
        let (candidates, missing) = self.candidates();
        let time = deadline.saturating_duration_since(began);
        let ready_by = began + time.mul_f64(READY_SHARE);
        let at_once = self.cpus.len().clamp(1, 4);
        let ready = get_ready(candidates, folder.path(), &runner, 1, at_once, &mut |share| {
            progress.goes_on(share * READY_SHARE / 2.0, "compiling probes of runtimes");
            !progress.cancelled() && Instant::now() < ready_by
        });
        let mut turns: Vec<Turn> = ready.into_iter().map(Turn::new).collect();
        self.rounds(&mut turns, deadline, &runner, progress);
        let stopped = progress.cancelled();
        let (mut studies, mut labels, mut runtimes) = (Vec::new(), Vec::new(), Vec::new());
        for turn in turns {
            let label = label(&turn.candidate.runtime, &labels);
            let (study, runtime) = turn.concluded(&label, &self.cpus, stopped);
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
            let found = places(of.kind, &[], &surroundings, true);
            if found.is_empty() {
                let reason_unavailable = Some("not found in the usual places".to_owned());
                missing.push(Runtime { reason_unavailable, ..unasked(of.kind) });
            }
            let most = MOST_OF_A_KIND[self.depth as usize];
            missing.extend(found.iter().skip(most).map(|place| {
                let reason =
                    format!("{}: not the first of its kind; --thorough measures more", place.program.display());
                Runtime { reason_unavailable: Some(reason), ..unasked(of.kind) }
            }));
            candidates.extend(found.into_iter().take(most).map(Candidate::new));
        }
        (candidates, missing)
    }

    /// One process of each per round. A runtime that has used up its share of the time sits out, and gets its rounds later if
    /// there is time left.
    fn rounds(&self, turns: &mut [Turn], deadline: Instant, runner: &ProbeRunner<'_>, progress: &mut StudyProgress) {
        let planned = PROCESSES[self.depth as usize];
        let began = Instant::now();
        let able = turns.iter().filter(|turn| turn.is_able()).count().max(1) as u32;
        let time = deadline.saturating_duration_since(began);
        let (slot, stop_at) = (time / (able * planned), deadline + time.mul_f64(OVERRUN));
        for round in 0..2 * planned {
            for turn in turns.iter_mut().filter(|turn| turn.is_able()) {
                let is_late = round < planned && turn.used > slot * (round + 1);
                let is_enough = round >= planned && turn.processes() >= FEWEST_PROCESSES;
                let task = self.task(turn, slot);
                let left = deadline.saturating_duration_since(Instant::now());
                let is_in_time = is_in_time(left, turn.longest, turn.planned(&task, round));
                if progress.cancelled() || !is_in_time || is_late || is_enough {
                    continue;
                }
                let spent = 1.0
                    - deadline.saturating_duration_since(Instant::now()).as_secs_f64() / time.as_secs_f64().max(1e-3);
                let share = READY_SHARE / 2.0 + (1.0 - READY_SHARE / 2.0) * spent.clamp(0.0, 1.0);
                progress.goes_on(share, &format!("clocks of {}", turn.candidate.runtime.title()));
                turn.ask(task, round, runner, &self.cpus, &|| progress.cancelled() || Instant::now() >= stop_at);
            }
        }
    }

    /// As long a sweep as fits into `slot`, and no shorter than one with the fewest rounds.
    fn task(&self, turn: &Turn, slot: Duration) -> Task {
        let kind = turn.candidate.place.kind;
        let clocks = self.of.iter().find(|of| of.kind == kind).map(|of| of.clocks.clone()).unwrap_or_default();
        // Threads that take turns under a lock tell how it is passed on, and nothing about a clock.
        let threads_list = if turn.candidate.runtime.parallel == Some(false) { vec![1] } else { self.threads.clone() };
        let tokens: Vec<u64> = self.tokens.iter().copied().filter(|tokens| *tokens <= most_tokens(kind)).collect();
        let loops = if clocks.is_empty() { kind.row().clocks.len() } else { clocks.len() } + 1;
        let iterations = (loops * tokens.len() * threads_list.len()) as u64;
        let shortest_ms = FEWEST_ROUNDS * iterations * ITERATION_NS / 1_000_000;
        let warm_ms = if kind.row().warms_up { WARM_MS[self.depth as usize] } else { WARM_COMPILED_MS };
        let aside_ms = turn.candidate.start_ms().unwrap_or(START_MS) as u64 + warm_ms + ASIDE_MS;
        let slot_ms = u64::try_from(slot.as_millis()).unwrap_or(u64::MAX);
        let budget_ms = slot_ms.saturating_sub(aside_ms).clamp(shortest_ms, LONGEST_MS.max(shortest_ms));
        Task::Sweep { tokens, threads_list, clocks, batch_ns: BATCH_NS, iteration_ns: ITERATION_NS, warm_ms, budget_ms }
    }
}

/// A runtime whose turn comes once per round.
struct Turn {
    candidate: Candidate,
    /// Of each completed process, in milliseconds.
    elapsed_ms: Vec<u64>,
    used: Duration,
    longest: Duration,
}

impl Turn {
    fn new(mut candidate: Candidate) -> Self {
        // That its system calls could not be counted matters elsewhere.
        candidate.runtime.reasons_incomplete.clear();
        Self { candidate, elapsed_ms: Vec::new(), used: Duration::ZERO, longest: Duration::ZERO }
    }

    /// Whether it could be prepared.
    fn is_able(&self) -> bool {
        self.candidate.runtime.reason_unavailable.is_none()
    }

    fn processes(&self) -> u32 {
        self.candidate.sweeps.len() as u32
    }

    /// How long a process with this task should take.
    fn planned(&self, task: &Task, round: u32) -> Duration {
        let start_ms = self.candidate.start_ms().unwrap_or(START_MS) as u64;
        Duration::from_millis(start_ms + ProbeRequest::new(task.clone(), round).takes_ms())
    }

    fn ask(&mut self, task: Task, round: u32, runner: &ProbeRunner<'_>, cpus: &[u32], cancelled: &dyn Fn() -> bool) {
        let (began, before) = (Instant::now(), self.candidate.sweeps.len());
        self.candidate.ask(task, round, runner, cpus, cancelled);
        let took = began.elapsed();
        self.used += took;
        self.longest = self.longest.max(took);
        if self.candidate.sweeps.len() > before {
            self.elapsed_ms.push(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        }
        // What one process refuses, all do.
        let refused = self.candidate.sweeps.last().and_then(|process| process.answer.sweep_unavailable.clone());
        self.candidate.runtime.reason_unavailable = refused;
    }

    /// Its study, if it has any, and what is to be said about it.
    fn concluded(self, label: &str, cpus: &[u32], stopped: bool) -> (Option<ExternalStudy>, Runtime) {
        let wrong_rate = wrong_timer(self.candidate.answers());
        let study = study(label, &self.candidate.sweeps, &self.elapsed_ms, cpus).filter(|_| wrong_rate.is_none());
        let (processes, start_ms) = (self.processes(), self.candidate.start_ms());
        let mut runtime = Runtime { processes, start_ms, available: study.is_some(), ..self.candidate.runtime };
        if runtime.available {
            let is_serial = runtime.parallel == Some(false);
            runtime.reasons_incomplete.extend(is_serial.then(|| SERIAL.to_owned()));
            return (study, runtime);
        }
        // A compiler that was told to stop says so, whoever told it.
        let reason = runtime.reason_unavailable.take().filter(|reason| reason != STOPPED);
        let unbelieved =
            wrong_rate.map(|rate| format!("its timer runs at {} the rate of this machine's clock", RATIO.value(rate)));
        let reason = unbelieved.or(reason);
        let reason =
            reason.or_else(|| (!runtime.reasons_incomplete.is_empty()).then(|| runtime.reasons_incomplete.remove(0)));
        runtime.out_of_time = reason.is_none() && !stopped;
        let untold = if stopped { STOPPED } else { LATE };
        runtime.reason_unavailable = Some(reason.unwrap_or_else(|| untold.to_owned()));
        (None, runtime)
    }
}

/// The most work between reads of a runtime.
const fn most_tokens(kind: RuntimeKind) -> u64 {
    match kind {
        RuntimeKind::Java | RuntimeKind::Dotnet | RuntimeKind::Mono | RuntimeKind::Go | RuntimeKind::C => u64::MAX,
        _ => MOST_INTERPRETED,
    }
}

/// Whether a process ends within the time `left` if it takes as long as the runtime's longest so far, or as planned if it is the
/// first.
fn is_in_time(left: Duration, longest: Duration, planned: Duration) -> bool {
    left > if longest.is_zero() { planned } else { longest }
}

/// A runtime's name before those of its clocks: with its version, and its program, if another has the shorter name.
fn label(runtime: &Runtime, taken: &[String]) -> String {
    let row = runtime.kind.row();
    let version = runtime.title().replacen(row.title, row.word, 1);
    let program = format!("{version} {}", runtime.executable.as_deref().unwrap_or_default());
    let names = [row.word.to_owned(), version, program.clone()];
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or(program)
}

/// The sweeps of a runtime's processes as a study; None if nothing was visited.
pub fn study(label: &str, processes: &[ProbeProcess], elapsed_ms: &[u64], cpus: &[u32]) -> Option<ExternalStudy> {
    let identity = processes.first()?.answer.identity.as_ref()?;
    let case = |clock: &str| format!("{label} {clock}");
    let iterations: Vec<ExternalIteration> =
        (0..).zip(processes).flat_map(|(at, process)| iterations(at, process, &case)).collect();
    let mut comparisons: Vec<(String, String)> = Vec::new();
    for iteration in iterations.iter().filter(|iteration| iteration.case != case(NOTHING)) {
        if !comparisons.iter().any(|(known, _)| *known == iteration.case) {
            comparisons.push((iteration.case.clone(), case(NOTHING)));
        }
    }
    // Nothing else is known of the timer in a loop of that runtime.
    let tick_ns = 1e9 / identity.timer_hz.max(1) as f64;
    let clock = StudyClock { name: case(&identity.timer), error_ns: tick_ns, batch_ns: tick_ns };
    let process = |(process, elapsed_ms): (u32, &u64)| StudyProcess {
        process,
        elapsed_ms: *elapsed_ms,
        ..StudyProcess::default()
    };
    let processes = (0..).zip(elapsed_ms).map(process).collect();
    let is_any = !comparisons.is_empty();
    is_any.then(|| ExternalStudy {
        name: "scaling".to_owned(),
        cpus: cpus.to_vec(),
        comparisons,
        clock,
        processes,
        iterations,
    })
}

fn iterations(at: u32, process: &ProbeProcess, case: &dyn Fn(&str) -> String) -> Vec<ExternalIteration> {
    let answer = &process.answer;
    let hz = answer.identity.as_ref().map_or(1, |identity| identity.timer_hz.max(1));
    // Ticks have any origin; nanoseconds count from the first.
    let origin = answer.sweeps.iter().flat_map(|sweep| &sweep.batches).map(|(_, begin, _)| *begin).min().unwrap_or(0);
    let ns = |ticks: u64| {
        let ns = u128::from(ticks.saturating_sub(origin)) * 1_000_000_000 / u128::from(hz);
        u64::try_from(ns).unwrap_or(u64::MAX)
    };
    let iteration = |sweep: &Sweep| {
        let of = |thread: u32| sweep.batches.iter().filter(move |batch| batch.0 == thread);
        ExternalIteration {
            case: case(&sweep.clock),
            tokens: sweep.tokens,
            threads: sweep.threads,
            process: at,
            round: sweep.round,
            operations: sweep.operations,
            batches_ns: (0..sweep.threads)
                .map(|thread| of(thread).map(|batch| (ns(batch.1), ns(batch.2))).collect())
                .collect(),
        }
    };
    // More threads than were asked for are no answer.
    answer.sweeps.iter().filter(|sweep| sweep.threads <= MOST_THREADS).map(iteration).collect()
}

/// Whether any program of this kind is found here that can be measured.
pub fn is_installed(kind: RuntimeKind) -> bool {
    cfg!(target_os = "linux") && !places(kind, &[], &Surroundings::of_this_process(), true).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::report::Scales;
    use super::super::{conclude, merge, rules};
    use super::*;
    use crate::command::study_run;
    use crate::probe::Answer;

    const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"now","timer_hz":10000000,"parallel":true,"notes":[]}"#;
    const CLOCK: &str = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":10000000,"declared_hz":null,"declared_resolution_ns":1,"high_resolution":null}"#;

    /// A process whose operations take this many ticks: three rounds of ten batches of 1 000 operations.
    fn process(at: u32, ticks: impl Fn(&str, u64, u32) -> u64) -> ProbeProcess {
        let mut lines = vec![IDENTITY.to_owned(), CLOCK.to_owned()];
        for round in 0..3 {
            for (clock, tokens) in
                [NOTHING, "now"].into_iter().flat_map(|clock| [0, 16, 256, 4096].map(|of| (clock, of)))
            {
                for threads in [1, 2] {
                    // Processes differ by a percent.
                    let took = ticks(clock, tokens, threads) * 1_000 * u64::from(100 + at) / 100;
                    let batch = |thread: u32, at: u64| format!("[{thread},{},{}]", 7 + at * took, 7 + (at + 1) * took);
                    let batches: Vec<String> =
                        (0..threads).flat_map(|thread| (0..10).map(move |at| batch(thread, at))).collect();
                    lines.push(format!(
                        r#"{{"type":"sweep","clock":"{clock}","tokens":{tokens},"threads":{threads},"round":{round},"operations":1000,"batches":[{}]}}"#,
                        batches.join(",")
                    ));
                }
            }
        }
        ProbeProcess { round: at, answer: Answer::of(&lines.join("\n")).unwrap() }
    }

    /// A token takes a tick, a read three; with less than 100 tokens between them, a second thread costs ten more.
    fn contended(clock: &str, tokens: u64, threads: u32) -> u64 {
        let read = if clock == NOTHING { 0 } else { 3 };
        1 + tokens + read + if read > 0 && threads > 1 && tokens < 100 { 10 + tokens } else { 0 }
    }

    fn recorded(processes: &[ProbeProcess]) -> StudyRecord {
        let elapsed = vec![5; processes.len()];
        let study = study("java", processes, &elapsed, &[0, 1]).unwrap();
        study.record(&Start::of_this_process(), study_run::tool())
    }

    #[test]
    fn planted_contention_is_bracketed() {
        let processes: Vec<ProbeProcess> = (0..8).map(|at| process(at, contended)).collect();
        let text = include_str!("../../../tests/fixtures/study.json");
        let native: StudyRecord = chronoscope_render::study::parse(text).unwrap();
        let both = merge::merged(vec![native, recorded(&processes)]).unwrap();
        let found = conclude(&both).into_iter().find(|one| one.clock == "java now").unwrap();
        let Some((raised, flat)) = found.front.raised.zip(found.front.flat) else { panic!("{:?}", found.front) };
        assert_eq!((raised.tokens, flat.tokens), (16, 256));
        // A tick is 100 ns.
        assert!((flat.ns / 25_700.0 - 1.0).abs() < 0.1 && (raised.ns / 1_700.0 - 1.0).abs() < 0.1, "{:?}", found.front);
        assert!(
            found.confidence().is_some_and(|sure| (0.95..0.99).contains(&sure)),
            "eight processes, some combinations"
        );
        let added = both.comparison("java now", "java nothing", 2).unwrap();
        assert!((added.points[0].difference_ns.estimate / 1_300.0 - 1.0).abs() < 0.1, "{added:?}");
        let findings = chronoscope_harness::rule::conclude(rules::RULES, &conclude(&both));
        let of_java = findings.iter().find(|finding| finding.subject.as_deref() == Some("java now")).unwrap();
        assert!(of_java.is(rules::FRONT_BETWEEN), "{of_java:?}");
    }

    #[test]
    fn the_work_of_a_runtime_is_its_own() {
        // Its own loop slows down on two threads, and its clock does not.
        let slow_work = |clock: &str, tokens: u64, threads: u32| {
            (1 + tokens) * u64::from(threads) + if clock == NOTHING { 0 } else { 3 }
        };
        let processes: Vec<ProbeProcess> = (0..8).map(|at| process(at, slow_work)).collect();
        let found = conclude(&recorded(&processes)).remove(0);
        assert!(found.front.scales == Scales::Everywhere, "{:?}", found.front);
    }

    #[test]
    fn runtimes_of_one_kind_have_names_of_their_own() {
        let of = |version: &str, program: &str| Runtime {
            version: Some(version.to_owned()),
            executable: Some(program.to_owned()),
            ..unasked(RuntimeKind::Java)
        };
        let mut taken = Vec::new();
        for runtime in [of("17.0.1+8", "/a"), of("25.0.3", "/b"), of("25.0.3", "/c")] {
            taken.push(label(&runtime, &taken));
        }
        assert_eq!(taken, ["java", "java 25.0.3", "java 25.0.3 /c"]);
    }

    #[test]
    fn no_process_starts_that_would_end_late() {
        let starts = |left: u64, longest: u64, planned: u64| {
            let [left, longest, planned] = [left, longest, planned].map(Duration::from_millis);
            is_in_time(left, longest, planned)
        };
        assert!(starts(501, 0, 500) && !starts(499, 0, 500), "the first, which no other foretells");
        assert!(starts(501, 300, 900) && !starts(3_000, 4_000, 500), "a slow start is known from the one before");
        assert!(!starts(0, 0, 0));
    }

    #[test]
    fn few_processes_decide_nothing_and_none_are_no_study() {
        let processes: Vec<ProbeProcess> = (0..5).map(|at| process(at, contended)).collect();
        let found = conclude(&recorded(&processes)).remove(0);
        assert!(found.front.scales == Scales::Unresolved && found.front.raised.is_none(), "{:?}", found.front);
        assert_eq!(study("java", &[], &[], &[0]), None);
    }
}
