use std::path::Path;
use std::time::{Duration, Instant};

use super::lanes::Lanes;
use super::plan::{COUNTED_READS, ClocksWork, RuntimesPlan, pause_and_latch_ms};
use crate::clock_id::ClockId;
use crate::engine::latency_study::{case_of, study};
use crate::engine::session::Session;
use crate::engine::stages::{Found, StageError};
use crate::probe::protocol::Task;
use crate::probe::rates::{forget, wrong_rate, wrong_timer};
use crate::probe::runtime::{Runtime, RuntimeClock, TimeKind};
use crate::probe::{Candidate, ON_LINUX_ONLY, ProbeRunner, RunFolder, Surroundings, get_ready, places, unasked};
use crate::sections::runtimes::estimate as runtimes_estimate;
use crate::sections::runtimes::estimate::{NATIVE_THREAD_CPU, NativeRounds, native_clock};
use crate::sections::runtimes::plan::RUNTIMES;
use chronoscope_harness::estimators::tick::{READINGS, SPREAD_NS};
use chronoscope_probes::RuntimeKind;

/// Time allowed for a process beyond its task, in seconds, by depth. A virtual machine that compiles a source file on a
/// busy machine takes five.
const PATIENCE_S: [u64; 3] = [8, 20, 40];
/// The same in a check, which has little time.
const PATIENCE_IN_CHECK_S: u64 = 2;
/// Maximum versions of one kind measured without being named.
const MOST_OF_A_KIND: usize = 4;
const MOST_OF_A_KIND_IN_CHECK: usize = 1;
/// A started round may overrun the available time by this much, or by half that time if longer; in a check only by that.
const GRACE: Duration = Duration::from_secs(2);
/// Changes of a clock to wait for.
const STEPS: u32 = 2_000;
/// The time of a process that reads the system's own clocks, in milliseconds.
const NATIVE_MS: u64 = 120;
/// Share of the displayed progress for compiling and counting.
const READY_SHARE: f64 = 0.15;

/// Rounds beyond those planned, for runtimes in which a process saw no quiet moment.
const SPARE_ROUNDS: u32 = 3;

/// Measures the machine's runtimes in turn, one process each per round, together with one of native code.
pub fn run(session: &mut Session<'_>, plan: &Option<RuntimesPlan>) -> Found<Vec<Runtime>> {
    let Some(plan) = plan else {
        return Err(StageError::Skipped("no runtime was requested".to_owned()));
    };
    if cfg!(not(target_os = "linux")) {
        return Err(StageError::Skipped(ON_LINUX_ONLY.to_owned()));
    }
    if let Some(reason) = &session.reason_no_workers {
        return Err(StageError::Skipped(reason.clone()));
    }
    let began = Instant::now();
    let budget = Duration::from_millis(session.budget_ms(RUNTIMES));
    let launcher = session.launcher().map_err(StageError::from)?.clone();
    let runner = ProbeRunner {
        launcher: &launcher,
        counter_faults: session.counter_faults(),
        patience: Duration::from_secs(if plan.quick_starters {
            PATIENCE_IN_CHECK_S
        } else {
            PATIENCE_S[session.plan.depth as usize]
        }),
    };
    let directory =
        RunFolder::new(&launcher).map_err(|error| StageError::Failed(format!("no folder for probes: {error}")))?;
    let (candidates, missing) = candidates(plan);
    let at_once = session.plan.cpus.len().clamp(1, 4);
    let mut candidates = get_ready(candidates, directory.path(), &runner, COUNTED_READS, at_once, &mut |share| {
        session.goes_on(RUNTIMES, share * READY_SHARE);
        !session.observer.cancelled()
    });
    // Except in a check, the time for compilers, which keep nothing from run to run, is not that for measuring.
    let began = if plan.quick_starters { began } else { Instant::now() };
    if plan.clocks && !plan.quick_starters {
        let rounds = plan.rounds.max(1);
        // Without it, latencies of an earlier part are the reference, if there are any.
        let _ = session.begin_study(RUNTIMES, study(&native_clocks(session)), rounds, NATIVE_MS * u64::from(rounds));
    }
    take_rounds(&mut candidates, plan, &runner, (began, budget), session);
    let native = native_rounds(session);
    candidates.iter().for_each(|candidate| session.suffer(&candidate.disturbance));
    let stopped = session.observer.cancelled();
    let mut runtimes: Vec<Runtime> =
        candidates.into_iter().map(|candidate| concluded(candidate, plan, &native, stopped)).collect();
    runtimes.extend(missing);
    // In place: runtimes named by the user, or first on the path, come first of their kind.
    runtimes.sort_by_key(|runtime| runtime.kind);
    let ended = match runtimes.iter().any(|runtime| runtime.available) {
        true => Ok(()),
        false => Err(StageError::Skipped("no runtime could be measured; see each one's reason".to_owned())),
    };
    Ok((runtimes, session.uninterrupted("").and(ended)))
}

/// Rounds of one process of every runtime each, as many as planned and time allows; then a few for those that lack one.
fn take_rounds(
    candidates: &mut [Candidate],
    plan: &RuntimesPlan,
    runner: &ProbeRunner<'_>,
    (began, budget): (Instant, Duration),
    session: &mut Session<'_>,
) {
    let grace = if plan.quick_starters { budget / 2 } else { (budget / 2).max(GRACE) };
    let mut longest = Duration::ZERO;
    let wanted = plan.rounds.max(1);
    for round in 0..wanted + SPARE_ROUNDS {
        if round >= wanted && (plan.quick_starters || candidates.iter().all(|found| has_enough(found, wanted))) {
            break;
        }
        if session.observer.cancelled() || (round > 0 && began.elapsed() + longest > budget) {
            break;
        }
        let round_began = Instant::now();
        session.run_one(RUNTIMES, round, NATIVE_MS);
        let count = candidates.len();
        for turn in 0..count {
            // A started round is completed, but not at any cost.
            if session.observer.cancelled() || began.elapsed() > budget + grace {
                break;
            }
            let candidate = &mut candidates[(round as usize + turn) % count];
            if round < wanted || !has_enough(candidate, wanted) {
                ask(candidate, plan, round, runner, session);
            }
            let done = (f64::from(round) + (turn + 1) as f64 / count as f64) / f64::from(wanted);
            let spent = began.elapsed().as_secs_f64() / budget.as_secs_f64().max(1e-3);
            session.goes_on(RUNTIMES, done.max(spent).clamp(READY_SHARE, 1.0));
        }
        longest = longest.max(round_began.elapsed());
    }
}

/// Whether as many processes say something of every clock. A runtime that answers nothing gains nothing by more of them.
fn has_enough(candidate: &Candidate, wanted: u32) -> bool {
    candidate.clocks.is_empty()
        || !candidate.is_asked()
        || Lanes::of(&candidate.clocks).fewest_processes() >= wanted as usize
}

/// The runtimes to measure, and a line for each kind that is absent.
fn candidates(plan: &RuntimesPlan) -> (Vec<Candidate>, Vec<Runtime>) {
    let surroundings = Surroundings::of_this_process();
    let (mut candidates, mut missing) = (Vec::new(), Vec::new());
    for kind in RuntimeKind::all() {
        let is_usual = plan.kinds.contains(&kind);
        let found = places(kind, &plan.added, &surroundings, is_usual);
        if found.is_empty() && is_usual {
            missing.push(without(kind, "not found in the usual places; name it with --runtime"));
        }
        if plan.quick_starters && !kind.row().starts_quickly && !found.is_empty() {
            missing.push(too_slow_for_a_check(kind, &found[0].program));
            continue;
        }
        let most = if plan.quick_starters { MOST_OF_A_KIND_IN_CHECK } else { MOST_OF_A_KIND };
        let most = most.max(found.iter().filter(|place| place.is_named).count());
        for (at, place) in found.into_iter().enumerate() {
            let candidate = Candidate::new(place);
            if at < most {
                candidates.push(candidate);
            } else {
                let place = candidate.place.program.display();
                let reason =
                    format!("{place}: more than {most} of its kind found; name it with --runtime to measure it");
                missing.push(without(kind, &reason));
            }
        }
    }
    (candidates, missing)
}

fn too_slow_for_a_check(kind: RuntimeKind, program: &Path) -> Runtime {
    Runtime {
        executable: Some(program.display().to_string()),
        out_of_time: true,
        ..without(kind, "takes too long for a check: run chronoscope runtimes")
    }
}

fn without(kind: RuntimeKind, reason: &str) -> Runtime {
    Runtime { reason_unavailable: Some(reason.to_owned()), ..unasked(kind) }
}

fn ask(candidate: &mut Candidate, plan: &RuntimesPlan, round: u32, runner: &ProbeRunner<'_>, session: &Session<'_>) {
    let (pause_ms, latch_ms) = pause_and_latch_ms(session.plan.depth);
    let pauses = || Task::Pause { lengths_ns: plan.pause_lengths_ns.clone(), budget_ms: pause_ms };
    let tasks = [
        plan.clocks.then(|| clocks_task(candidate, &plan.clocks_work(&session.plan))),
        (!plan.pause_lengths_ns.is_empty()).then(pauses),
        plan.latch_threads.map(|threads| Task::Latch { threads, budget_ms: latch_ms }),
    ];
    for task in tasks.into_iter().flatten() {
        candidate.ask(task, round, runner, &session.plan.cpus, &|| session.observer.cancelled());
    }
}

fn clocks_task(candidate: &Candidate, plan: &ClocksWork) -> Task {
    // Anything that one process shows as well as many is examined once.
    let first = u64::from(candidate.clocks.is_empty());
    Task::Clocks {
        batch_ns: BATCH_NS,
        warm_ms: if candidate.place.kind.row().warms_up { plan.warm_ms } else { plan.warm_ms / 5 },
        lanes_ms: plan.lanes_ms,
        steps: STEPS * first as u32,
        steps_ms: plan.steps_ms * first,
        reads: plan.reads * first as u32,
        readings: READINGS as u32 * first as u32,
        spread_ns: SPREAD_NS,
        threads: plan.threads,
        concurrent_ms: plan.concurrent_ms,
    }
}

/// The shortest batch.
const BATCH_NS: u64 = 250_000;

/// The record of a runtime, given everything there was time for.
fn concluded(mut candidate: Candidate, plan: &RuntimesPlan, native: &NativeRounds, stopped: bool) -> Runtime {
    let mut clocks = runtimes_estimate::runtime_clocks(&candidate.clocks, candidate.counted_calls(), native);
    let is_timer_wrong = believe_rates(&mut clocks, &candidate);
    let pause = runtimes_estimate::runtime_pause(&candidate.pauses).filter(|_| !is_timer_wrong);
    let latch = plan.latch_threads.and_then(|threads| runtimes_estimate::runtime_latch(&candidate.latches, threads));
    let latch = latch.filter(|_| !is_timer_wrong);
    let no_latch = candidate.latches.iter().find_map(|process| process.answer.latch_unavailable.clone());
    let processes = candidate.clocks.len().max(candidate.pauses.len()).max(candidate.latches.len());
    let start_ms = candidate.start_ms();
    let loop_overhead_ns = runtimes_estimate::runtime_loop(&candidate.clocks).filter(|_| !is_timer_wrong);
    let not_counted = candidate.take_reason_not_counted();
    let mut runtime = candidate.runtime;
    runtime.available = processes > 0;
    if !runtime.available && runtime.reason_unavailable.is_none() {
        let untold = if stopped { "the run was interrupted" } else { "no time left" };
        let first = (!runtime.reasons_incomplete.is_empty()).then(|| runtime.reasons_incomplete.remove(0));
        runtime.out_of_time = first.is_none() && !stopped;
        runtime.reason_unavailable = Some(first.unwrap_or_else(|| untold.to_owned()));
    }
    runtime.reasons_incomplete.extend(not_counted);
    runtime.reasons_incomplete.extend(no_latch);
    if runtime.available {
        runtime.clocks = clocks;
    }
    Runtime { processes: processes as u32, start_ms, loop_overhead_ns, pause, latch, ..runtime }
}

/// Drops what clocks measured that do not run at the rate of this machine's; whether that is so of the one that times batches.
fn believe_rates(clocks: &mut [RuntimeClock], candidate: &Candidate) -> bool {
    let is_timer_wrong = wrong_timer(candidate.answers()).is_some();
    let named = candidate.answers().find(|answer| !answer.clocks.is_empty());
    for clock in clocks {
        let known = named.and_then(|answer| answer.clocks.iter().find(|known| known.clock == clock.name));
        clock.wrong_rate = known.and_then(|known| wrong_rate(known, candidate.answers()));
        forget(clock, is_timer_wrong);
    }
    is_timer_wrong
}

/// The system's own clocks, which native code reads in turn with the runtimes.
fn native_clocks(session: &Session<'_>) -> Vec<ClockId> {
    let [monotonic, wall, cpu] = [TimeKind::Monotonic, TimeKind::Wall, TimeKind::Cpu].map(native_clock);
    session.available(&[monotonic, wall, cpu, NATIVE_THREAD_CPU].map(ClockId::Known))
}

/// What each process measured of them; without any, what an earlier part of the run did.
fn native_rounds(session: &Session<'_>) -> NativeRounds {
    let Ok(report) = session.study(RUNTIMES) else {
        let known = session.latencies().into_iter();
        return [(0, known.filter_map(|(id, latency)| Some((id.known()?, latency.per_read.estimate))).collect())]
            .into();
    };
    let mut rounds = NativeRounds::new();
    for id in native_clocks(session) {
        let Some(cell) = report.cells.iter().find(|cell| cell.case == case_of(&id, false)) else { continue };
        for (process, of_cell) in report.processes.iter().zip(&cell.processes) {
            if let (Some(known), Some(ns)) = (id.known(), of_cell.typical_ns) {
                rounds.entry(process.process).or_default().insert(known, ns);
            }
        }
    }
    rounds
}
