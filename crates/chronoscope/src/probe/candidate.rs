use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use super::answer::Answer;
use super::ask::{ProbeRun, ProbeRunner};
use super::find::{Place, Surroundings};
use super::protocol::{ProbeRequest, Task};
use super::recipe::{Launch, prepare};
use crate::private_file;
use crate::probe::probe_process::ProbeProcess;
use crate::probe::runtime::Runtime;
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::rest;
use chronoscope_harness::watch::Watch;
use chronoscope_probes::RuntimeKind;

/// Counted system calls, by clock and by request.
pub type CountedCalls = BTreeMap<String, BTreeMap<String, u64>>;

/// A runtime's process occasionally fails on a busy machine; after this many failures it is not asked again.
const MOST_FAILURES: u32 = 3;

/// A runtime being measured, before it enters the record.
pub struct Candidate {
    pub place: Place,
    pub runtime: Runtime,
    launch: Option<Launch>,
    /// The process whose system calls were counted, if possible.
    counted: Option<ProbeRun>,
    /// Why they were not counted, or not for every clock.
    not_counted: Option<String>,
    /// Completed processes, by task.
    pub clocks: Vec<ProbeProcess>,
    pub pauses: Vec<ProbeProcess>,
    pub latches: Vec<ProbeProcess>,
    pub sweeps: Vec<ProbeProcess>,
    starts_ms: Vec<f64>,
    failures: u32,
    /// What disturbed the machine while it was asked.
    pub disturbance: Disturbance,
}

impl Candidate {
    pub fn new(place: Place) -> Self {
        let executable = Some(place.program.display().to_string());
        let version = place.version.clone();
        Self {
            runtime: Runtime { executable, version, ..unasked(place.kind) },
            place,
            launch: None,
            counted: None,
            not_counted: None,
            clocks: Vec::new(),
            pauses: Vec::new(),
            latches: Vec::new(),
            sweeps: Vec::new(),
            starts_ms: Vec::new(),
            failures: 0,
            disturbance: Disturbance::default(),
        }
    }

    /// Everything that its processes said.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> + Clone {
        let measured = [&self.clocks, &self.pauses, &self.latches, &self.sweeps].into_iter().flatten();
        self.counted.iter().map(|run| &run.answer).chain(measured.map(|process| &process.answer))
    }

    /// Compiles its probe, and asks it to identify itself while its system calls are counted.
    fn get_ready(
        &mut self,
        directory: &Path,
        surroundings: &Surroundings,
        runner: &ProbeRunner<'_>,
        reads: u32,
        stop: &dyn Fn() -> bool,
    ) {
        let made = private_file::create_folder(directory).map_err(|error| format!("no folder for its probe: {error}"));
        let launch =
            match made.and_then(|()| prepare(&self.place, directory, surroundings, runner.patience * 3 / 2, stop)) {
                Ok(launch) => launch,
                Err(reason) => return self.runtime.reason_unavailable = Some(reason),
            };
        let request = ProbeRequest::new(Task::Count { reads }, 0);
        let (asked, not_counted) = match runner.ask_and_count(&launch, &request, stop) {
            Ok(asked) => (asked, None),
            // It identifies itself all the same.
            Err(reason) => (runner.ask(&launch, &request, stop), Some(reason)),
        };
        // A count can fail where a measurement does not: each call is held until it is counted.
        if asked.failure.is_some() && (stop() || asked.answer.identity.is_none()) {
            self.runtime.reason_unavailable.clone_from(&asked.failure);
            return;
        }
        self.launch = Some(launch);
        self.introduce(&asked);
        let was_counted = not_counted.is_none();
        let incomplete = asked.failure.as_ref().map(|failure| format!("system calls could not be counted: {failure}"));
        self.not_counted = not_counted.or(incomplete);
        self.counted = was_counted.then_some(asked);
    }

    fn introduce(&mut self, asked: &ProbeRun) {
        let Some(identity) = &asked.answer.identity else { return };
        self.runtime.name.clone_from(&identity.runtime);
        self.runtime.version = Some(identity.version.clone());
        // The compiled files are in a folder about to be deleted.
        let is_ours =
            self.launch.as_ref().is_some_and(|launch| Path::new(&identity.executable).starts_with(&launch.directory));
        if !identity.executable.is_empty() && !is_ours {
            self.runtime.executable = Some(identity.executable.clone());
        }
        self.runtime.parallel = identity.parallel;
        self.runtime.notes.clone_from(&identity.notes);
    }

    /// Whether it is still asked: not after too many failures.
    pub fn is_asked(&self) -> bool {
        self.failures < MOST_FAILURES
    }

    /// Has a new process of it answer `task` in round number `round`, and counts the time stolen from `cpus` meanwhile.
    pub fn ask(
        &mut self,
        task: Task,
        round: u32,
        runner: &ProbeRunner<'_>,
        cpus: &[u32],
        cancelled: &dyn Fn() -> bool,
    ) {
        let Some(launch) = self.launch.as_ref().filter(|_| self.is_asked()) else { return };
        let watch = Watch::over(cpus);
        let request = ProbeRequest::new(task, round);
        let asked = runner.ask(launch, &request, cancelled);
        self.disturbance.merge(&watch.finish());
        if cancelled() {
            return;
        }
        if let Some(reason) = asked.failure {
            self.failures += 1;
            if !self.runtime.reasons_incomplete.contains(&reason) {
                self.runtime.reasons_incomplete.push(reason);
            }
            return;
        }
        self.starts_ms.extend(asked.start_ms);
        let processes = match request.task {
            Task::Count { .. } | Task::Clocks { .. } => &mut self.clocks,
            Task::Pause { .. } => &mut self.pauses,
            Task::Latch { .. } => &mut self.latches,
            Task::Sweep { .. } | Task::Experiment { .. } => &mut self.sweeps,
        };
        processes.push(ProbeProcess { round, answer: asked.answer });
    }

    /// The system calls of the process in which they were counted.
    pub fn counted_calls(&self) -> Option<(&super::Answer, &CountedCalls)> {
        self.counted.as_ref().map(|asked| (&asked.answer, &asked.calls))
    }

    /// Why its system calls were not counted, or not those of every clock.
    pub fn take_reason_not_counted(&mut self) -> Option<String> {
        self.not_counted.take()
    }

    /// The median time from a process's start until it identified itself.
    pub fn start_ms(&self) -> Option<f64> {
        chronoscope_harness::stats::median(self.starts_ms.clone())
    }
}

/// A runtime about which nothing is known yet.
pub fn unasked(kind: RuntimeKind) -> Runtime {
    Runtime {
        kind,
        name: kind.title().to_owned(),
        version: None,
        executable: None,
        available: false,
        reason_unavailable: None,
        out_of_time: false,
        reasons_incomplete: Vec::new(),
        processes: 0,
        start_ms: None,
        parallel: None,
        notes: Vec::new(),
        loop_overhead_ns: None,
        clocks: Vec::new(),
        pause: None,
        latch: None,
    }
}

/// Prepares all of `candidates`, some concurrently, since nothing is timed meanwhile. Duplicates of the same runtime
/// under another name are dropped.
pub fn get_ready(
    candidates: Vec<Candidate>,
    directory: &Path,
    runner: &ProbeRunner<'_>,
    reads: u32,
    at_once: usize,
    goes_on: &mut dyn FnMut(f64) -> bool,
) -> Vec<Candidate> {
    let surroundings = Surroundings::of_this_process();
    let (next, done, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let slots: Vec<Mutex<Candidate>> = candidates.into_iter().map(Mutex::new).collect();
    let work = || {
        while let Some((at, slot)) = Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, slots.get(at)?))) {
            if let Ok(mut candidate) = slot.lock() {
                let folder = directory.join(at.to_string());
                candidate.get_ready(&folder, &surroundings, runner, reads, &|| stop.load(Relaxed));
            }
            done.fetch_add(1, Relaxed);
        }
    };
    thread::scope(|scope| {
        let started = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (0..at_once.max(1)).map_while(started).collect();
        if workers.is_empty() {
            // Where no thread can be started, this one does the work.
            work();
        }
        while workers.iter().any(|worker| !worker.is_finished()) {
            if !goes_on(done.load(Relaxed) as f64 / slots.len().max(1) as f64) {
                stop.store(true, Relaxed);
            }
            rest(Duration::from_millis(10));
        }
    });
    let mut ready: Vec<Candidate> = Vec::new();
    for candidate in slots.into_iter().filter_map(|slot| slot.into_inner().ok()) {
        let is_known = |known: &Candidate| {
            let same = (known.place.kind, &known.runtime.executable, &known.runtime.version)
                == (candidate.place.kind, &candidate.runtime.executable, &candidate.runtime.version);
            same && known.launch.is_some() && candidate.launch.is_some()
        };
        if !ready.iter().any(is_known) {
            ready.push(candidate);
        }
    }
    ready
}
