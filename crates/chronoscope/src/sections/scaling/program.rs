use std::time::{Duration, Instant};

use crate::arguments::ScalingOptions;
use crate::clock_id::ClockId;
use crate::plan::Depth;
use chronoscope_bench::{Failure, StudyProgress};
use chronoscope_harness::quantity::length;
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::record::{Tool, TscAccess};
use chronoscope_harness::{Start, Study, StudyObserver, StudyOptions};

use super::clock::{NOTHING, Read, ScaledClock};
use super::grid::{self, Pass, Threads};
use super::{conclude, merge};

/// The study's name, shared by all its passes so that a worker process recognizes itself in any pass.
const STUDY: &str = "scaling";
/// Worker processes of each pass.
const FORKS: u32 = 12;
const FORKS_QUICK: u32 = 8;
/// The shortest and longest run.
const DURATIONS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(24 * 3600));
/// The share of the time available to the first passes, if second ones are planned.
const FIRST_SHARE: f64 = 0.65;
/// With less time left, no optional pass is started.
const SHORTEST_PASS: Duration = Duration::from_millis(1500);

/// Passes over clocks, ready to run.
pub struct Program {
    clocks: Vec<ScaledClock>,
    threads: Threads,
    cpus: Option<Vec<u32>>,
    depth: Depth,
    budget: Duration,
}

/// A part of the run.
#[derive(Clone, Copy)]
struct Stage {
    deadline: Instant,
    /// Where in the whole run it begins and ends, as shares.
    shares: (f64, f64),
    /// Whether its passes are skipped if time is short; those of the first stage only get shorter.
    is_extra: bool,
}

impl Program {
    /// In a worker process of any pass: serves, then exits the process. Otherwise builds the program.
    pub fn new(start: &Start, options: &ScalingOptions) -> Result<Self, Failure> {
        let clocks = ScaledClock::all(start.counter_access() == TscAccess::Allowed);
        everything(&clocks, |_| true).serve_if_worker();
        let clocks = chosen(clocks, &options.clock)?;
        let depth = match (options.run.quick, options.run.thorough) {
            (true, _) => Depth::Quick,
            (_, true) => Depth::Thorough,
            _ => Depth::Normal,
        };
        let budget = options.run.duration.unwrap_or_else(|| budget(depth));
        let (shortest, longest) = DURATIONS;
        if !(shortest..=longest).contains(&budget) {
            return Err(Failure::usage(format!(
                "duration {} is out of range ({}–{})",
                length(budget),
                length(shortest),
                length(longest)
            )));
        }
        // The plan reports invalid threads and CPUs.
        let threads = options.threads.clone().map(|list| list.0);
        let cpus = options.run.cpus.clone().map(|list| list.0);
        let wish = StudyOptions { cpus: cpus.clone(), threads: threads.clone(), ..StudyOptions::default() };
        let probe = everything(&clocks, |_| true);
        let plan = probe.plan(&wish, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
        let threads = Threads::new(threads.as_deref(), plan.cpus.len() as u32);
        let clocks = clocks.into_iter().map(ScaledClock::probed).collect();
        Ok(Self { clocks, threads, cpus, depth, budget })
    }

    /// Runs all passes; everything measured before the user stops it counts.
    pub fn run(&self, tool: &Tool, progress: &mut StudyProgress) -> Result<StudyRecord, Failure> {
        let began = Instant::now();
        let mut records = Vec::new();
        let share = if self.depth == Depth::Quick { 1.0 } else { FIRST_SHARE };
        let first = grid::first(&self.clocks, &self.threads, self.depth);
        let deadline = began + self.budget.mul_f64(share);
        let stage = Stage { deadline, shares: (0.0, share), is_extra: false };
        self.run_all(first, stage, tool, progress, &mut records)?;
        let Some(record) = merge::merged(records) else {
            return Err(Failure::run("nothing was measured: the run was interrupted at once"));
        };
        let second = grid::second(&self.clocks, &conclude(&record), &self.threads, self.depth);
        let mut records = vec![record];
        let stage = Stage { deadline: began + self.budget, shares: (share, 1.0), is_extra: true };
        self.run_all(second, stage, tool, progress, &mut records)?;
        let mut record = merge::merged(records).ok_or_else(|| Failure::run("nothing was measured"))?;
        record.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        record.interrupted |= progress.cancelled();
        Ok(record)
    }

    /// Runs passes one after another until the stage ends; if one overruns, the others get less time.
    fn run_all(
        &self,
        passes: Vec<Pass>,
        stage: Stage,
        tool: &Tool,
        progress: &mut StudyProgress,
        records: &mut Vec<StudyRecord>,
    ) -> Result<(), Failure> {
        let Stage { deadline, shares: (from, to), is_extra } = stage;
        let whole: f64 = passes.iter().map(|pass| pass.weight).sum();
        let mut done = 0.0;
        for pass in passes {
            let left = deadline.saturating_duration_since(Instant::now());
            if progress.cancelled() || (is_extra && left < SHORTEST_PASS) {
                break;
            }
            let share = pass.weight / (whole - done).max(pass.weight);
            let at = |done: f64| from + (to - from) * done / whole.max(1.0);
            progress.enters(at(done), at(done + pass.weight));
            progress.goes_on(0.0, pass.title);
            done += pass.weight;
            let wish = StudyOptions {
                budget: Some(left.mul_f64(share).max(SHORTEST_PASS / 4)),
                forks: Some(if self.depth == Depth::Quick { FORKS_QUICK } else { FORKS }),
                cpus: self.cpus.clone(),
                ..StudyOptions::default()
            };
            let study = self.study(&pass);
            let record = study.run(&wish, tool.clone(), progress);
            records.push(record.map_err(|error| Failure::usage(error.to_string()))?);
        }
        Ok(())
    }

    fn study(&self, pass: &Pass) -> Study {
        let holds = |case: &str| pass.cases.iter().any(|name| name == case) || (pass.compared && case == NOTHING);
        let study =
            everything(&self.clocks, holds).backoff(pass.backoff.iter().copied()).threads(pass.threads.iter().copied());
        if !pass.compared {
            return study;
        }
        pass.cases.iter().fold(study, |study, clock| study.compare(clock.as_str(), NOTHING))
    }
}

/// Time for all passes together, excluding process start-up.
const fn budget(depth: Depth) -> Duration {
    match depth {
        Depth::Quick => Duration::from_secs(12),
        Depth::Normal => Duration::from_secs(46),
        Depth::Thorough => Duration::from_secs(540),
    }
}

/// A study of the cases for which `holds` is true, always in the same order.
fn everything(clocks: &[ScaledClock], holds: impl Fn(&str) -> bool) -> Study {
    let mut study = Study::new(STUDY);
    if holds(NOTHING) {
        study = study.case(NOTHING, |b| b.iter(|| ()));
    }
    for clock in clocks {
        for (name, read) in [(clock.name.clone(), Read::InARow), (clock.ticks(), Read::UntilChange)] {
            if holds(&name) {
                study = clock.add_case(study, name, read);
            }
        }
    }
    study
}

/// The clocks with these names; all clocks if there are none.
fn chosen(clocks: Vec<ScaledClock>, names: &[String]) -> Result<Vec<ScaledClock>, Failure> {
    let names: Vec<ClockId> = names.iter().map(|name| name.as_str().into()).collect();
    let is_named = |clock: &ScaledClock, name: &ClockId| clock.name == name.name();
    if let Some(unknown) = names.iter().find(|name| !clocks.iter().any(|clock| is_named(clock, name))) {
        let known: Vec<&str> = clocks.iter().map(|clock| clock.name.as_str()).collect();
        return Err(Failure::usage(format!("unknown clock \"{unknown}\"; readable here: {}", known.join(", "))));
    }
    Ok(clocks.into_iter().filter(|clock| names.is_empty() || names.iter().any(|name| is_named(clock, name))).collect())
}
