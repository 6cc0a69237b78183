//! The plan: plain data that says everything that will be done.

use std::fmt;
use std::time::Duration;

use chronoscope_clock::os::OsClock;
use chronoscope_clock::{Guarantee, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{Part, PauseWay};

pub use crate::sections::runtimes::plan::{RuntimeClocksPlan, RuntimePlace, RuntimesPlan, RuntimesWish};

/// What a run will do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// How deep it looks.
    pub depth: Depth,
    /// The time that it may take altogether, in milliseconds.
    pub budget_ms: u64,
    /// The CPUs that it may use.
    pub cpus: Vec<u32>,
    /// The CPU on which single-threaded measurements run; null if threads cannot be bound.
    pub measuring_cpu: Option<u32>,
    /// The clocks that it looks at, by name.
    pub clocks: Vec<String>,
    /// The parts that it does, each with its time.
    pub parts: Vec<PartBudget>,
    /// Worker processes per latency estimate.
    pub latency_forks: u32,
    /// The timer's largest share of a batch.
    pub batch_timer_error: f64,
    /// Clocks whose consecutive reads are looked at.
    pub reads_clocks: Vec<String>,
    /// Consecutive reads of each.
    pub reads_per_clock: u64,
    /// Empty start-stop pairs of each.
    pub empty_intervals_per_clock: u64,
    /// Pairs of CPUs whose offset is looked at.
    pub pairs: Vec<(u32, u32)>,
    /// Messages there and back per pair and clock.
    pub pair_rounds: u64,
    /// Clocks whose offsets are looked at.
    pub pair_clocks: Vec<String>,
    /// Pairs of CPUs, writer first, between which the litmus runs.
    pub litmus_pairs: Vec<(u32, u32)>,
    /// Clocks that the litmus looks at.
    pub litmus_clocks: Vec<String>,
    /// Worker processes per confirmed interval.
    pub interval_forks: u32,
    /// Intervals that the user asks about, in nanoseconds.
    pub questions_ns: Vec<f64>,
    /// Granularities of the causal clock that many threads read; empty where that is not asked for.
    #[serde(default)]
    pub monotime_granularities_ns: Vec<u64>,
    /// Numbers of threads that read it; 1 is always among them, since the others are compared with it.
    #[serde(default)]
    pub monotime_threads: Vec<u32>,
    /// Rounds of this, each in a worker process of its own.
    #[serde(default)]
    pub monotime_rounds: u32,
    /// Threads that are released together, each to call once; null where that is not asked for.
    #[serde(default)]
    pub latch_threads: Option<u32>,
    /// The clocks that they read, beside a control that reads nothing.
    #[serde(default)]
    pub latch_clocks: Vec<String>,
    /// Rounds of this, each in a worker process of its own.
    #[serde(default)]
    pub latch_rounds: u32,
    /// Ways to pause that are tried.
    #[serde(default)]
    pub pause_ways: Vec<PauseWay>,
    /// Lengths of pauses, in nanoseconds.
    #[serde(default)]
    pub pause_lengths_ns: Vec<u64>,
    /// Rounds of this, each in a worker process of its own.
    #[serde(default)]
    pub pause_rounds: u32,
    /// Whether a thread that never sleeps runs on the same CPU all the while.
    #[serde(default)]
    pub pause_load: bool,
    /// What is asked of language runtimes; null where nothing is.
    #[serde(default)]
    pub runtimes: Option<RuntimesPlan>,
}

/// The time that a part of the plan may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartBudget {
    /// Which part.
    pub part: Part,
    /// Milliseconds.
    pub budget_ms: u64,
}

/// How deep a run looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// A few seconds: wide intervals.
    Quick,
    /// Well under half a minute.
    #[default]
    Normal,
    /// A minute: narrow intervals, up to 4096 pairs of CPUs.
    Thorough,
}

impl Depth {
    /// The time that a check of this depth takes.
    pub const fn budget(self) -> Duration {
        match self {
            Self::Quick => Duration::from_secs(4),
            Self::Normal => Duration::from_secs(14),
            Self::Thorough => Duration::from_secs(60),
        }
    }

    const fn reads(self) -> (u64, u64) {
        match self {
            Self::Quick => (300_000, 1_000_000),
            Self::Normal => (1_000_000, 10_000_000),
            Self::Thorough => (10_000_000, 100_000_000),
        }
    }

    /// Order statistics need 11 processes for 99.9 %; more of them narrow the interval.
    pub const fn latency_forks(self) -> u32 {
        match self {
            Self::Quick | Self::Normal => 11,
            Self::Thorough => 31,
        }
    }

    const fn most_pairs(self) -> usize {
        match self {
            Self::Quick => 8,
            Self::Normal => 64,
            Self::Thorough => 4096,
        }
    }
}

/// What a user wants of a run; what is left open is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wish {
    /// How deep to look.
    pub depth: Depth,
    /// The time to take; None for the depth's own.
    pub budget: Option<Duration>,
    /// The CPUs to use; None for all that are allowed.
    pub cpus: Option<Vec<u32>>,
    /// The parts to do; empty for all of them.
    pub parts: Vec<Part>,
    /// Intervals to answer for.
    pub questions: Vec<Duration>,
    /// Granularities of the causal clock that many threads read; empty for the usual ones.
    pub granularities: Vec<Duration>,
    /// Numbers of threads that read it; empty for powers of two up to the number of CPUs.
    pub threads: Vec<u32>,
    /// Threads that are released together, each to call once; None for the usual number.
    pub latch_threads: Option<u32>,
    /// Lengths of pauses; empty for the usual ones.
    pub pause_lengths: Vec<Duration>,
    /// Whether pauses are tried beside a thread that never sleeps.
    pub pause_load: bool,
    /// Whether they are also tried under the real-time policy.
    pub pause_real_time: bool,
    /// What is asked of language runtimes.
    pub runtimes: RuntimesWish,
}

/// The parts' shares of a check's time.
const fn weight(part: Part) -> u64 {
    match part {
        Part::Paths => 2,
        Part::Latency => 34,
        Part::Granularity => 12,
        Part::Reads => 16,
        Part::Offsets => 6,
        Part::Litmus => 30,
        Part::Intervals => 36,
        Part::Pause => 8,
        Part::Runtimes => 14,
        Part::Monotime | Part::Latch => 39,
    }
}

/// A part that is asked for alone gets so many times its share of a check.
const ALONE_FACTOR: u32 = 2;
/// Pauses that are asked for alone get so many times a check's time: a hundred of 10 ms take a second.
const PAUSE_FACTOR: f64 = 1.5;
/// Runtimes that are asked alone get this time: ten of them or so have to be started, compiled and warmed up.
const RUNTIMES_BUDGETS_S: [u64; 3] = [20, 75, 240];
/// Budgets outside these bounds are refused: too short for an estimate, too long to be meant.
const BUDGET_BOUNDS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(3600));
/// Intervals that can be asked about.
const QUESTION_BOUNDS: (Duration, Duration) = (Duration::from_nanos(1), Duration::from_secs(86_400));
/// Granularities of the causal clock that are looked at unless others are asked for.
const GRANULARITIES_NS: [u64; 3] = [0, 100, 1_000];
/// A clock that moves once a second or less often is none that this is about.
const LONGEST_GRANULARITY: Duration = Duration::from_secs(1);
/// Pauses of these lengths are looked at unless others are asked for, in nanoseconds: those of the article.
pub const PAUSE_LENGTHS_NS: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// And in a check, by these ways.
const PAUSE_LENGTHS_IN_CHECK_NS: [u64; 3] = [1_000, 100_000, 1_000_000];
const PAUSE_WAYS_IN_CHECK: [PauseWay; 4] = [PauseWay::StdSleep, PauseWay::Sleep, PauseWay::Pauser, PauseWay::Spin];
const PAUSE_ROUNDS_IN_CHECK: u32 = 3;
/// Pauses that can be measured.
const PAUSE_BOUNDS: (Duration, Duration) = (Duration::from_nanos(100), Duration::from_secs(1));
/// Threads that a process can be expected to start.
pub const MOST_THREADS: u32 = 1024;
/// Threads that are released together unless another number is asked for: as many as in the article.
const LATCH_THREADS: u32 = 100;
/// These need no CPU each, since they do next to nothing.
pub const MOST_LATCH_THREADS: u32 = 4096;
/// Granularities or numbers of threads in one run: they are multiplied with each other.
const LONGEST_LIST: usize = 32;

impl Plan {
    /// The plan that fulfils `wish` on a machine where the process may use the CPUs `allowed`.
    ///
    /// # Errors
    /// [`PlanError`] for CPUs that are not allowed and for absurd times.
    pub fn new(wish: &Wish, allowed: &[u32]) -> Result<Self, PlanError> {
        let cpus = cpus(wish, allowed)?;
        let parts = Part::ALL
            .into_iter()
            .filter(|part| wish.parts.contains(part) || wish.parts.is_empty() && part.is_of_check());
        let parts: Vec<Part> = parts.collect();
        let budget = budget(wish, &parts)?;
        let questions_ns = wish.questions.iter().map(question_ns).collect::<Result<_, _>>()?;
        let (monotime_granularities_ns, monotime_threads) = if parts.contains(&Part::Monotime) {
            (granularities_ns(wish)?, threads(wish, cpus.len())?)
        } else {
            <_>::default()
        };
        let latch_threads = parts.contains(&Part::Latch).then(|| latch_threads(wish)).transpose()?;
        let pause_lengths_ns = if parts.contains(&Part::Pause) { pause_lengths_ns(wish)? } else { Vec::new() };
        let pause_ways = if pause_lengths_ns.is_empty() { Vec::new() } else { pause_ways(wish) };
        let measuring_cpu = cpus.last().copied();
        let (reads_per_clock, empty_intervals_per_clock) = wish.depth.reads();
        let pairs = pairs(&cpus, wish.depth.most_pairs());
        let litmus_pairs = match wish.depth {
            Depth::Thorough => pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).take(8).collect(),
            _ => pairs.first().copied().into_iter().collect(),
        };
        let alone = !wish.parts.is_empty();
        let names = |pick: &dyn Fn(SourceId) -> bool| {
            SourceId::all().filter(|id| pick(*id)).map(|id| id.name().to_owned()).collect::<Vec<_>>()
        };
        let counter_and_monotonic =
            |id: SourceId| matches!(id, SourceId::CounterOrdered | SourceId::Os(OsClock::Monotonic));
        let monotonic_wall_and_own = |id: SourceId| {
            matches!(id, SourceId::Os(OsClock::Monotonic | OsClock::Realtime) | SourceId::Clock(Guarantee::Ordered))
        };
        let on_one_timeline = |id: SourceId| id.facts().is_shared_timeline && !id.facts().traps_under_hypervisor;
        Ok(Self {
            depth: wish.depth,
            budget_ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
            measuring_cpu,
            clocks: names(&|_| true),
            parts: shares(&parts, budget),
            latency_forks: wish.depth.latency_forks(),
            batch_timer_error: 0.001,
            reads_clocks: if alone { names(&on_one_timeline) } else { names(&counter_and_monotonic) },
            reads_per_clock,
            empty_intervals_per_clock,
            pairs,
            pair_rounds: 20_000,
            pair_clocks: names(&counter_and_monotonic),
            litmus_pairs,
            litmus_clocks: names(&on_one_timeline),
            interval_forks: 3,
            questions_ns,
            monotime_rounds: if monotime_threads.is_empty() { 0 } else { wish.depth.latency_forks() },
            monotime_granularities_ns,
            monotime_threads,
            latch_threads,
            latch_clocks: latch_threads.map(|_| names(&monotonic_wall_and_own)).unwrap_or_default(),
            latch_rounds: latch_threads.map_or(0, |_| wish.depth.latency_forks()),
            pause_rounds: match (pause_lengths_ns.is_empty(), alone) {
                (true, _) => 0,
                (false, true) => wish.depth.latency_forks(),
                (false, false) => PAUSE_ROUNDS_IN_CHECK,
            },
            pause_ways,
            pause_lengths_ns,
            pause_load: wish.pause_load,
            runtimes: parts
                .contains(&Part::Runtimes)
                .then(|| crate::sections::runtimes::plan::planned(wish, cpus.len()))
                .transpose()?,
            cpus,
        })
    }

    /// The time that `part` may take, if it is to be done.
    pub fn budget_ms_of(&self, part: Part) -> Option<u64> {
        self.parts.iter().find(|budget| budget.part == part).map(|budget| budget.budget_ms)
    }
}

fn cpus(wish: &Wish, allowed: &[u32]) -> Result<Vec<u32>, PlanError> {
    let Some(wanted) = &wish.cpus else { return Ok(allowed.to_vec()) };
    if wanted.is_empty() {
        return Err(PlanError::new(Kind::NoCpu));
    }
    if let Some(cpu) = wanted.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(PlanError::new(Kind::CpuNotAllowed { cpu: *cpu, allowed: allowed.to_vec() }));
    }
    let mut cpus = wanted.clone();
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

fn budget(wish: &Wish, parts: &[Part]) -> Result<Duration, PlanError> {
    let whole: u64 = Part::ALL.into_iter().filter(|part| part.is_of_check()).map(weight).sum();
    let wanted: u64 = parts.iter().copied().map(weight).sum();
    let (shortest, longest) = BUDGET_BOUNDS;
    match wish.budget {
        Some(budget) if budget < shortest || budget > longest => Err(PlanError::new(Kind::Budget(budget))),
        Some(budget) => Ok(budget),
        None if wish.parts.is_empty() => Ok(wish.depth.budget()),
        None if parts == [Part::Runtimes] => Ok(Duration::from_secs(RUNTIMES_BUDGETS_S[wish.depth as usize])),
        None if parts == [Part::Pause] => Ok(wish.depth.budget().mul_f64(PAUSE_FACTOR)),
        None => Ok(wish.depth.budget().mul_f64(wanted as f64 / whole as f64) * ALONE_FACTOR),
    }
}

fn shares(parts: &[Part], budget: Duration) -> Vec<PartBudget> {
    let whole: u64 = parts.iter().copied().map(weight).sum::<u64>().max(1);
    let share = |part| budget.mul_f64(weight(part) as f64 / whole as f64).as_millis() as u64;
    parts.iter().map(|part| PartBudget { part: *part, budget_ms: share(*part).max(1) }).collect()
}

/// The granularities that `wish` names, rising, or the usual ones.
fn granularities_ns(wish: &Wish) -> Result<Vec<u64>, PlanError> {
    if wish.granularities.is_empty() {
        return Ok(GRANULARITIES_NS.to_vec());
    }
    if let Some(granularity) = wish.granularities.iter().find(|granularity| **granularity > LONGEST_GRANULARITY) {
        return Err(PlanError::new(Kind::Granularity(*granularity)));
    }
    // Not above a second, so it fits.
    bounded_list(wish.granularities.iter().map(|granularity| granularity.as_nanos() as u64).collect(), "granularities")
}

/// The numbers of threads that `wish` names, rising, or powers of two up to the number of CPUs and that number itself;
/// with 1 among them, as what the others are compared with.
fn threads(wish: &Wish, cpus: usize) -> Result<Vec<u32>, PlanError> {
    if let Some(threads) = wish.threads.iter().find(|threads| !(1..=MOST_THREADS).contains(*threads)) {
        return Err(PlanError::new(Kind::Threads(*threads)));
    }
    let mut threads = wish.threads.clone();
    if threads.is_empty() {
        let cpus = u32::try_from(cpus).unwrap_or(MOST_THREADS).clamp(1, MOST_THREADS);
        threads = std::iter::successors(Some(1_u32), |threads| threads.checked_mul(2))
            .take_while(|threads| *threads < cpus)
            .chain([cpus])
            .collect();
    }
    threads.push(1);
    bounded_list(threads, "numbers of threads")
}

/// The number of threads that are released together.
fn latch_threads(wish: &Wish) -> Result<u32, PlanError> {
    let threads = wish.latch_threads.unwrap_or(LATCH_THREADS);
    if !(1..=MOST_LATCH_THREADS).contains(&threads) {
        return Err(PlanError::new(Kind::LatchThreads(threads)));
    }
    Ok(threads)
}

/// The lengths of pauses that `wish` names, rising, or the usual ones.
fn pause_lengths_ns(wish: &Wish) -> Result<Vec<u64>, PlanError> {
    if wish.pause_lengths.is_empty() {
        let usual: &[u64] = if wish.parts.is_empty() { &PAUSE_LENGTHS_IN_CHECK_NS } else { &PAUSE_LENGTHS_NS };
        return Ok(usual.to_vec());
    }
    let (shortest, longest) = PAUSE_BOUNDS;
    if let Some(length) = wish.pause_lengths.iter().find(|length| !(shortest..=longest).contains(*length)) {
        return Err(PlanError::new(Kind::Pause(*length)));
    }
    // Not above a second, so they fit.
    bounded_list(wish.pause_lengths.iter().map(|length| length.as_nanos() as u64).collect(), "lengths of pauses")
}

/// The ways to pause: all, but for the real-time policy where it was not asked for; in a check a few.
fn pause_ways(wish: &Wish) -> Vec<PauseWay> {
    if wish.parts.is_empty() {
        return PAUSE_WAYS_IN_CHECK.to_vec();
    }
    PauseWay::ALL.into_iter().filter(|way| wish.pause_real_time || *way != PauseWay::PauserRealTime).collect()
}

/// `values` rising, each once.
fn bounded_list<T: Ord>(mut values: Vec<T>, what: &'static str) -> Result<Vec<T>, PlanError> {
    values.sort_unstable();
    values.dedup();
    if values.len() > LONGEST_LIST {
        return Err(PlanError::new(Kind::LongList { what, length: values.len() }));
    }
    Ok(values)
}

fn question_ns(interval: &Duration) -> Result<f64, PlanError> {
    let (shortest, longest) = QUESTION_BOUNDS;
    if *interval < shortest || *interval > longest {
        return Err(PlanError::new(Kind::Question(*interval)));
    }
    Ok(interval.as_nanos() as f64)
}

/// All pairs of `cpus`, or where that is more than `most`: each CPU with its neighbour and with the last, evenly thinned.
fn pairs(cpus: &[u32], most: usize) -> Vec<(u32, u32)> {
    let all = cpus.iter().enumerate().flat_map(|(i, a)| cpus[i + 1..].iter().map(move |b| (*a, *b)));
    if cpus.len() * cpus.len().saturating_sub(1) / 2 <= most {
        return all.collect();
    }
    let last = cpus[cpus.len() - 1];
    let neighbours = cpus.windows(2).map(|pair| (pair[0], pair[1]));
    let star = cpus[..cpus.len() - 2].iter().map(|cpu| (*cpu, last));
    let candidates: Vec<_> = star.chain(neighbours).collect();
    let chosen = most.min(candidates.len());
    (0..chosen).map(|i| candidates[i * candidates.len() / chosen]).collect()
}

/// A wish that cannot be planned for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    NoCpu,
    CpuNotAllowed { cpu: u32, allowed: Vec<u32> },
    Budget(Duration),
    Question(Duration),
    Threads(u32),
    LatchThreads(u32),
    Pause(Duration),
    Granularity(Duration),
    LongList { what: &'static str, length: usize },
}

impl PlanError {
    pub fn new(kind: Kind) -> Self {
        Self { kind }
    }

    /// Whether the CPUs are at fault.
    #[cfg(test)]
    pub fn is_about_cpus(&self) -> bool {
        matches!(self.kind, Kind::NoCpu | Kind::CpuNotAllowed { .. })
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = |(shortest, longest)| {
            format!("{} to {}", humantime::format_duration(shortest), humantime::format_duration(longest))
        };
        match &self.kind {
            Kind::NoCpu => f.write_str("no CPU is named; name at least one"),
            Kind::CpuNotAllowed { cpu, allowed } => {
                let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
                write!(
                    f,
                    "CPU {cpu} is not among the CPUs that this process may run on; choose from {}",
                    list.join(",")
                )
            }
            Kind::Budget(budget) => write!(
                f,
                "{} is no time that a run can take; choose {}",
                humantime::format_duration(*budget),
                bounds(BUDGET_BOUNDS)
            ),
            Kind::Threads(threads) => {
                write!(f, "{threads} is no number of threads that can be tried; choose 1 to {MOST_THREADS}")
            }
            Kind::LatchThreads(threads) => write!(
                f,
                "{threads} is no number of threads that can be released together; choose 1 to {MOST_LATCH_THREADS}"
            ),
            Kind::Pause(length) => write!(
                f,
                "{} is no pause that can be measured; choose {}",
                humantime::format_duration(*length),
                bounds(PAUSE_BOUNDS)
            ),
            Kind::Granularity(granularity) => write!(
                f,
                "{} is no granularity for a clock; choose 0ns to {}",
                humantime::format_duration(*granularity),
                humantime::format_duration(LONGEST_GRANULARITY)
            ),
            Kind::LongList { what, length } => {
                write!(f, "{length} {what} are too many for one run; choose {LONGEST_LIST} at most")
            }
            Kind::Question(interval) => write!(
                f,
                "{} is no interval that can be judged; choose {}",
                humantime::format_duration(*interval),
                bounds(QUESTION_BOUNDS)
            ),
        }
    }
}

impl std::error::Error for PlanError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_check_fits_its_budget() {
        let plan = Plan::new(&Wish::default(), &[0, 1]).unwrap();
        let parts: u64 = plan.parts.iter().map(|part| part.budget_ms).sum();
        assert!(parts <= plan.budget_ms && parts + 10 >= plan.budget_ms);
        assert_eq!(plan.measuring_cpu, Some(1));
    }

    #[test]
    fn one_cpu_has_no_pairs() {
        let plan = Plan::new(&Wish::default(), &[3]).unwrap();
        assert!(plan.pairs.is_empty() && plan.litmus_pairs.is_empty());
        assert_eq!(Plan::new(&Wish::default(), &[]).unwrap().measuring_cpu, None);
    }

    #[test]
    fn absurd_wishes_are_refused() {
        let refused = |wish: Wish| Plan::new(&wish, &[0, 1]).unwrap_err();
        assert!(refused(Wish { cpus: Some(vec![]), ..Wish::default() }).is_about_cpus());
        assert!(refused(Wish { cpus: Some(vec![1, 2]), ..Wish::default() }).is_about_cpus());
        for seconds in [0, 1, 4000] {
            refused(Wish { budget: Some(Duration::from_secs(seconds)), ..Wish::default() });
        }
        refused(Wish { questions: vec![Duration::ZERO], ..Wish::default() });
    }

    fn monotime(wish: Wish, cpus: &[u32]) -> Result<Plan, PlanError> {
        Plan::new(&Wish { parts: vec![Part::Monotime], ..wish }, cpus)
    }

    #[test]
    fn a_check_leaves_out_what_must_be_asked_for() {
        let check = Plan::new(&Wish::default(), &[0, 1]).unwrap();
        assert!(check.monotime_threads.is_empty() && check.budget_ms_of(Part::Monotime).is_none());
        let asked = monotime(Wish::default(), &[0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(asked.monotime_threads, [1, 2, 4, 6]);
        assert_eq!(asked.monotime_granularities_ns, GRANULARITIES_NS);
        assert!(asked.monotime_rounds >= 9);
    }

    #[test]
    fn threads_and_granularities_are_put_in_order() {
        let wish = Wish {
            threads: vec![8, 2, 8],
            granularities: vec![Duration::from_secs(1), Duration::ZERO],
            ..Wish::default()
        };
        let plan = monotime(wish, &[0, 1]).unwrap();
        assert_eq!(plan.monotime_threads, [1, 2, 8]);
        assert_eq!(plan.monotime_granularities_ns, [0, 1_000_000_000]);
    }

    #[test]
    fn absurd_threads_and_granularities_are_refused() {
        for threads in [vec![0], vec![1, 1025], (1..=33).collect()] {
            monotime(Wish { threads, ..Wish::default() }, &[0, 1]).unwrap_err();
        }
        let granularities = vec![Duration::from_nanos(1_000_000_001)];
        monotime(Wish { granularities, ..Wish::default() }, &[0, 1]).unwrap_err();
    }

    #[test]
    fn a_latch_is_planned_where_it_is_asked_for() {
        let latch =
            |latch_threads| Plan::new(&Wish { parts: vec![Part::Latch], latch_threads, ..Wish::default() }, &[0, 1]);
        let usual = latch(None).unwrap();
        assert_eq!((usual.latch_threads, usual.latch_clocks.len()), (Some(100), 3));
        assert!(usual.latch_rounds >= 11 && usual.budget_ms <= 10_000);
        for threads in [1, 4096] {
            assert_eq!(latch(Some(threads)).unwrap().latch_threads, Some(threads));
        }
        for threads in [0, 4097, u32::MAX] {
            assert!(latch(Some(threads)).unwrap_err().to_string().contains("choose 1 to 4096"));
        }
        let check = Plan::new(&Wish { latch_threads: Some(0), ..Wish::default() }, &[0, 1]).unwrap();
        assert_eq!((check.latch_threads, check.latch_clocks.len(), check.latch_rounds), (None, 0, 0));
    }

    proptest! {
        #[test]
        fn pairs_are_of_two_cpus_each_once(count in 0_u32..300, most in 1_usize..200) {
            let cpus: Vec<u32> = (0..count).map(|cpu| cpu * 2).collect();
            let found = pairs(&cpus, most);
            prop_assert!(found.len() <= most);
            let mut unique = found.clone();
            unique.sort_unstable();
            unique.dedup();
            prop_assert_eq!(unique.len(), found.len());
            prop_assert!(found.iter().all(|(a, b)| a < b && cpus.contains(a) && cpus.contains(b)));
        }
    }
}
