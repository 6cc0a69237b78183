use std::time::{Duration, Instant};

use crate::engine::read_case::Read;
use crate::plan::{Depth, within};
use crate::probe::runtime::Runtime;
use crate::runtime_study::{Allowed, RuntimesPlan, Swept, is_installed};
use chronoscope_bench::{Failure, StudyProgress};
use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::record::{Tool, TscAccess};
use chronoscope_harness::{Start, Study, StudyObserver, StudyOptions};

use super::choice::{Choice, choose};
use super::clock::{NOTHING, ScaledClock};
use super::front::conclude;
use super::grid::{self, Pass, Threads};
use super::merge;
use super::options::Options;

/// The study's name, shared by all its passes so that a worker process recognizes itself in any pass.
const STUDY: &str = "scaling";
/// Worker processes of each pass: some see no quiet moment, and 99.9 % takes eleven.
const PROCESSES: u32 = 15;
const PROCESSES_QUICK: u32 = 8;
/// The shortest and longest run.
const DURATIONS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(24 * 3600));
/// The time of native clocks and that of runtimes, by depth.
const NATIVE_S: [u64; 3] = [12, 46, 540];
const RUNTIMES_S: [u64; 3] = [11, 26, 180];
/// Maximum versions of one kind, by depth.
const MOST_OF_A_KIND: [usize; 3] = [1, 1, 4];
/// With less time, runtimes are left out: their compilers alone take seconds.
const LEAST_FOR_RUNTIMES: Duration = Duration::from_secs(6);
/// The share of the time available to the first passes, if second ones are planned.
const FIRST_SHARE: f64 = 0.65;
/// With less time left, no optional pass is started.
const SHORTEST_PASS: Duration = Duration::from_millis(1500);

/// Passes over clocks, ready to run.
pub struct Program {
    clocks: Vec<ScaledClock>,
    runtimes: RuntimesPlan,
    threads: Threads,
    cpus: Option<Vec<u32>>,
    depth: Depth,
    /// The time of the runtimes, and of everything together.
    budgets: (Duration, Duration),
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
    pub fn new(start: &Start, options: &Options) -> Result<Self, Failure> {
        let clocks = ScaledClock::all(start.counter_access() == TscAccess::Allowed);
        let all = everything(&clocks, |_| true);
        all.serve_if_worker();
        let depth = Depth::of(&options.run);
        let Choice { native: clocks, runtimes } =
            choose(clocks, &options.clock, depth == Depth::Thorough, &is_installed)?;
        let runtimes = if options.no_runtimes { Vec::new() } else { runtimes };
        if clocks.is_empty() && runtimes.is_empty() {
            return Err(Failure::usage("--no-runtimes leaves out every clock that --clock names"));
        }
        let budgets = budgets(depth, options.run.duration, !clocks.is_empty(), !runtimes.is_empty())?;
        // The plan reports invalid threads and CPUs.
        let threads = options.threads.clone().map(|list| list.0);
        let cpus = options.run.cpus.clone().map(|list| list.0);
        let options = StudyOptions { cpus: cpus.clone(), threads: threads.clone(), ..StudyOptions::default() };
        let plan = all.plan(&options, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
        let threads = Threads::new(threads.as_deref(), plan.cpus.len() as u32);
        let runtimes = RuntimesPlan {
            name: STUDY.to_owned(),
            of: runtimes,
            named: Vec::new(),
            threads: grid::within(&threads, depth),
            tokens: std::iter::once(0).chain(grid::coarse(depth)).collect(),
            cpus: plan.cpus,
            is_bound: cpus.is_some(),
            most_of_a_kind: MOST_OF_A_KIND[depth as usize],
            depth,
        };
        let clocks = clocks.into_iter().map(ScaledClock::probed).collect();
        Ok(Self { clocks, runtimes, threads, cpus, depth, budgets })
    }

    /// Runs everything; whatever was measured before the user stops it counts.
    pub fn run(
        &self,
        start: &Start,
        tool: &Tool,
        progress: &mut StudyProgress,
    ) -> Result<(StudyRecord, Vec<Runtime>), Failure> {
        let began = Instant::now();
        progress.expects(self.budgets.1);
        let share = self.budgets.0.as_secs_f64() / self.budgets.1.as_secs_f64();
        progress.enters(0.0, share);
        // First, since the passes that follow can use exactly the time that is left.
        let Swept { studies, runtimes } = if share > 0.0 {
            self.runtimes.run(Allowed::Until(began + self.budgets.0), start, tool, progress)
        } else {
            self.runtimes.left_out("no time: runtimes need a longer --duration")
        };
        let mut records = Vec::new();
        self.passes(began + self.budgets.1, share, tool, progress, &mut records)?;
        records.extend(studies);
        let Some(mut record) = merge::merged(records) else {
            let reasons = runtimes.iter().filter_map(|runtime| {
                Some(format!("; {}: {}", runtime.title(), runtime.reason_unavailable.as_deref()?))
            });
            let reasons: String = reasons.collect();
            return Err(Failure::run(match progress.cancelled() {
                true => "nothing was measured: the run was interrupted at once".to_owned(),
                false => format!("nothing was measured{reasons}"),
            }));
        };
        record.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        record.interrupted |= progress.cancelled();
        Ok((record, runtimes))
    }

    /// The passes over native clocks.
    fn passes(
        &self,
        deadline: Instant,
        from: f64,
        tool: &Tool,
        progress: &mut StudyProgress,
        records: &mut Vec<StudyRecord>,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        let share = if self.depth == Depth::Quick { 1.0 } else { FIRST_SHARE };
        let middle = from + (1.0 - from) * share;
        let first = grid::first(&self.clocks, &self.threads, self.depth);
        let first_deadline = began + deadline.saturating_duration_since(began).mul_f64(share);
        let stage = Stage { deadline: first_deadline, shares: (from, middle), is_extra: false };
        self.run_all(first, stage, tool, progress, records)?;
        let Some(record) = merge::merged(std::mem::take(records)) else { return Ok(()) };
        let second = grid::second(&self.clocks, &conclude(&record), &self.threads, self.depth);
        records.push(record);
        let stage = Stage { deadline, shares: (middle, 1.0), is_extra: true };
        self.run_all(second, stage, tool, progress, records)
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
            let options = StudyOptions {
                budget: Some(left.mul_f64(share).max(SHORTEST_PASS / 4)),
                processes: Some(if self.depth == Depth::Quick { PROCESSES_QUICK } else { PROCESSES }),
                cpus: self.cpus.clone(),
                ..StudyOptions::default()
            };
            let study = self.study(&pass);
            match study.run(&options, tool.clone(), progress) {
                Ok(record) => records.push(record),
                // What was measured before is not lost.
                Err(_) if !records.is_empty() => break,
                Err(error) => return Err(Failure::usage(error.to_string())),
            }
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

/// The time of the runtimes, and of everything together, excluding the start-up of native processes.
fn budgets(
    depth: Depth,
    asked: Option<Duration>,
    has_native: bool,
    has_runtimes: bool,
) -> Result<(Duration, Duration), Failure> {
    let native = if has_native { NATIVE_S[depth as usize] } else { 0 };
    let of_runtimes = if has_runtimes { RUNTIMES_S[depth as usize] } else { 0 };
    let whole = within(asked.unwrap_or(Duration::from_secs(native + of_runtimes)), DURATIONS, "duration")?;
    let runtimes = whole.mul_f64(of_runtimes as f64 / (native + of_runtimes) as f64);
    // Beside native clocks, too little time for runtimes is none.
    let is_enough = !has_native || runtimes >= LEAST_FOR_RUNTIMES;
    Ok((if is_enough { runtimes } else { Duration::ZERO }, whole))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_take_their_share_of_the_time() {
        let seconds = |depth, asked: Option<u64>, has_native, has_runtimes| {
            let (runtimes, whole) = budgets(depth, asked.map(Duration::from_secs), has_native, has_runtimes).unwrap();
            (runtimes.as_secs(), whole.as_secs())
        };
        assert_eq!(seconds(Depth::Normal, None, true, true), (26, 72));
        assert_eq!(seconds(Depth::Normal, None, true, false), (0, 46));
        assert_eq!(seconds(Depth::Quick, None, false, true), (11, 11));
        assert_eq!(seconds(Depth::Normal, Some(36), true, true), (13, 36));
        assert_eq!(seconds(Depth::Normal, Some(8), true, true), (0, 8), "too short to compile probes");
        assert_eq!(seconds(Depth::Normal, Some(8), false, true), (8, 8), "named alone, they get all of it");
        budgets(Depth::Normal, Some(Duration::from_secs(1)), true, true).unwrap_err();
    }
}
