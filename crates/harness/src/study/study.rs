use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::Bencher;
use super::case::{Case, Group};
use super::error::StudyError;
use super::options::StudyOptions;
use super::schedule::{self, CellSpec};
use super::words::list;
use crate::record::study::{Mode, Parameter, Parameters, StudyPlan};
use crate::worker::{Head, request};

/// Default number of processes: at 99.9 % the interval of the median leaves out the three fastest and the three slowest.
pub const PROCESSES: u32 = 24;
/// Fewer processes give no interval.
pub(super) const FEWEST_PROCESSES: u32 = 2;
/// More than any target machine can start.
const MOST_THREADS: u32 = 4096;
/// Maximum cells in one study.
const MOST_CELLS: usize = 100_000;
/// Default budget for one cell in one process.
pub const CELL_BUDGET: Duration = Duration::from_millis(25);
/// Range of default budgets.
pub const BUDGETS: (Duration, Duration) = (Duration::from_secs(4), Duration::from_secs(42));
/// Default margin, in percent: smaller differences are ignored.
const MARGIN_PCT: f64 = 1.0;

/// Operations to measure: their cost as a function of backoff and threads.
///
/// # Examples
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use chronoscope_harness::Study;
///
/// let publish = Study::new("publish")
///     .backoff(0..=40)
///     .threads([1, 2])
///     .case("relaxed", |b| {
///         let word = AtomicU64::new(0);
///         b.iter(|| word.store(1, Ordering::Relaxed));
///     })
///     .case("seq_cst", |b| {
///         let word = AtomicU64::new(0);
///         b.iter(|| word.store(1, Ordering::SeqCst));
///     })
///     .compare("seq_cst", "relaxed");
/// assert_eq!(publish.name(), "publish");
/// ```
#[derive(Clone)]
pub struct Study {
    pub(super) name: String,
    pub(super) cases: Vec<Case>,
    /// What does not depend on the options.
    pub(super) plan: StudyPlan,
    pub(super) budget: Option<Duration>,
}

impl Study {
    /// An empty study: no cases, no backoff, one thread, average time.
    pub fn new(name: impl Into<String>) -> Self {
        let plan = StudyPlan {
            backoff_tokens: vec![0],
            threads: vec![1],
            margin_pct: MARGIN_PCT,
            processes: PROCESSES,
            warm_up_batches: 1,
            confidence: crate::stats::CONFIDENCE,
            ..StudyPlan::default()
        };
        Self { name: name.into(), cases: Vec::new(), plan, budget: None }
    }

    /// The name of the study that this process was started to work for. None if it is no such worker.
    pub fn requested() -> Option<String> {
        serde_json::from_str::<Head>(&request()?).ok()?.study
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the tokens of [`consume_cpu`](crate::consume_cpu) before each operation. 0 is a loop without the call.
    #[must_use]
    pub fn backoff(mut self, tokens: impl IntoIterator<Item = u64>) -> Self {
        self.plan.backoff_tokens = tokens.into_iter().collect();
        self
    }

    /// Sets the thread counts. More threads than CPUs are allowed, and marked.
    #[must_use]
    pub fn threads(mut self, threads: impl IntoIterator<Item = u32>) -> Self {
        self.plan.threads = threads.into_iter().collect();
        self
    }

    /// Sweeps a parameter, available to cases through [`Bencher::parameter`].
    #[must_use]
    pub fn parameter<V: fmt::Display>(mut self, name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(|value| value.to_string()).collect();
        self.plan.parameters.push(Parameter { name: name.into(), values });
        self
    }

    /// Sets what is measured.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.plan.mode = mode;
        self
    }

    /// Adds an operation. `body` is called once per iteration on each thread: anything created before `iter` belongs to
    /// that thread.
    #[must_use]
    pub fn case(mut self, name: impl Into<String>, body: impl Fn(&mut Bencher<'_>) + Send + Sync + 'static) -> Self {
        self.cases.push(Case::alone(name.into(), body));
        self
    }

    /// Adds an operation on state shared by all threads of a cell, created by `setup` once per process and cell.
    #[must_use]
    pub fn case_shared<S: Send + Sync + 'static>(
        mut self,
        name: impl Into<String>,
        setup: impl Fn(&Parameters) -> S + Send + Sync + 'static,
        body: impl Fn(&mut Bencher<'_>, &S) + Send + Sync + 'static,
    ) -> Self {
        self.cases.push(Case::shared(name.into(), setup, body));
        self
    }

    /// Adds threads that do different things concurrently. The group sets the thread count; [`threads`](Self::threads)
    /// does not apply.
    #[must_use]
    pub fn group<S: Send + Sync + 'static>(mut self, name: impl Into<String>, group: Group<S>) -> Self {
        self.cases.push(group.into_case(name.into()));
        self
    }

    /// Compares a case directly with another, in pairs from the same round, and compares the other with itself as a
    /// control.
    #[must_use]
    pub fn compare(mut self, case: impl Into<String>, baseline: impl Into<String>) -> Self {
        self.plan.comparisons.push((case.into(), baseline.into()));
        self
    }

    /// Differences within this many percent are ignored.
    #[must_use]
    pub fn margin_pct(mut self, margin_pct: f64) -> Self {
        self.plan.margin_pct = margin_pct;
        self
    }

    /// Sets the number of worker processes.
    #[must_use]
    pub fn processes(mut self, processes: u32) -> Self {
        self.plan.processes = processes;
        self
    }

    /// Sets the iterations of each cell per process; by default, chosen from the available time.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.plan.rounds = rounds;
        self
    }

    /// Sets the measured batches per iteration, and the unmeasured ones before them; 0 measured batches for as many as time
    /// allows. Where another thread had the CPU after a set-up of more than 1 ms, an iteration with unmeasured batches has as many of
    /// them as take 1 ms, if that is more.
    #[must_use]
    pub fn iterations(mut self, warm_up: u32, measured: u32) -> Self {
        (self.plan.warm_up_batches, self.plan.batches) = (warm_up, measured);
        self
    }

    /// Time for all processes together. Unless said, 25 ms per cell and process, between 4 s and 42 s.
    #[must_use]
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Every combination to be measured, in words: case, parameters, backoff, threads. Empty for an invalid plan.
    pub fn cells(&self) -> Vec<String> {
        self.cells_with(&StudyOptions::default())
    }

    /// Those measured with `options`.
    pub fn cells_with(&self, options: &StudyOptions) -> Vec<String> {
        let options = StudyOptions { cpus: None, ..options.clone() };
        let specs = self.plan(&options, &[0]).map(|plan| self.specs(&plan)).unwrap_or_default();
        specs.iter().filter(|spec| spec.is_of_user()).map(ToString::to_string).collect()
    }

    /// The plan for `options` on the CPUs `allowed`.
    ///
    /// # Errors
    /// [`StudyError`] for no cases, duplicate names, 0 threads, an empty sweep, a filter that matches nothing, CPUs that are
    /// not allowed, or no margin.
    pub fn plan(&self, options: &StudyOptions, allowed: &[u32]) -> Result<StudyPlan, StudyError> {
        self.check()?;
        let names = || self.cases.iter().map(|case| case.name.clone());
        let cases: Vec<String> = names().filter(|name| options.filter.selects(&self.name, name)).collect();
        ensure(!cases.is_empty(), || {
            format!("no case matches {}; cases: {}", options.filter, list(self.cases.iter().map(|case| &*case.name)))
        })?;
        let comparisons = self.plan.comparisons.iter().filter(|(a, b)| cases.contains(a) && cases.contains(b));
        let mut plan = StudyPlan {
            comparisons: comparisons.cloned().collect(),
            cases,
            backoff_tokens: rising(options.backoff.as_ref().unwrap_or(&self.plan.backoff_tokens)),
            threads: rising(options.threads.as_ref().unwrap_or(&self.plan.threads)),
            processes: options.processes.unwrap_or(self.plan.processes),
            cpus: cpus(options.cpus.as_deref(), allowed)?,
            margin_pct: options.margin_pct.unwrap_or(self.plan.margin_pct),
            seed: options.seed.unwrap_or_else(rand_seed),
            ..self.plan.clone()
        };
        if plan.mode == Mode::SingleShot {
            (plan.batches, plan.warm_up_batches) = (1, 0);
        }
        let (processes, margin_pct) = (plan.processes, plan.margin_pct);
        ensure(!plan.backoff_tokens.is_empty(), || "the list of backoffs is empty; use 0 for no backoff".to_owned())?;
        ensure(!plan.threads.is_empty(), || {
            "the list of thread counts is empty; use 1 for a single thread".to_owned()
        })?;
        for threads in &plan.threads {
            ensure((1..=MOST_THREADS).contains(threads), || {
                format!("{threads} threads are out of range (1–{MOST_THREADS})")
            })?;
        }
        ensure((FEWEST_PROCESSES..=1000).contains(&processes), || {
            format!("{processes} processes are out of range ({FEWEST_PROCESSES}–1000)")
        })?;
        ensure(margin_pct > 0.0 && margin_pct.is_finite(), || {
            format!("margin must be greater than 0 %, not {margin_pct} %")
        })?;
        // They are counted before any is made: a slip in a sweep asks for more than memory holds.
        let cells = schedule::cell_count(&plan, &self.cases);
        ensure(cells <= MOST_CELLS, || {
            format!("at least {cells} combinations exceed the limit of {MOST_CELLS}; sweep fewer values")
        })?;
        let builds = 1 + u32::from(options.against.is_some());
        let depth = if options.depth > 0.0 { options.depth } else { 1.0 };
        let chosen = (CELL_BUDGET * processes * builds).mul_f64(cells as f64).clamp(BUDGETS.0, BUDGETS.1);
        let budget = options.budget.unwrap_or_else(|| self.budget.unwrap_or(chosen).mul_f64(depth));
        plan.budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX).max(1);
        if options.against.is_some() && options.processes.is_none() {
            plan.processes = schedule::pairs(budget, cells, processes);
        } else if options.processes.is_none() && !plan.comparisons.is_empty() {
            // Processes that compare everything decide more than others that have no time for it; if even two have none, all take turns.
            let whole = schedule::whole_processes(budget, &plan, &self.specs(&plan));
            plan.processes = if whole < FEWEST_PROCESSES { processes } else { whole.min(processes) };
        }
        if plan.rounds == 0 {
            plan.rounds = schedule::rounds(budget, plan.processes * builds, cells);
        }
        Ok(plan)
    }

    /// Whether the study is valid by itself.
    fn check(&self) -> Result<(), StudyError> {
        ensure(!self.cases.is_empty(), || format!("study {} has no cases; add one with .case(…)", self.name))?;
        let mut names = BTreeSet::new();
        for case in &self.cases {
            ensure(names.insert(case.name.as_str()), || {
                format!("duplicate case name {}; case names must be unique", case.name)
            })?;
            ensure(!case.roles.is_empty() && case.roles.iter().all(|role| role.threads != Some(0)), || {
                format!("group {} needs a role, and every role a thread", case.name)
            })?;
        }
        for (case, baseline) in &self.plan.comparisons {
            for name in [case, baseline] {
                ensure(names.contains(name.as_str()), || {
                    format!("cannot compare {case} with {baseline}: there is no case {name}")
                })?;
            }
            ensure(case != baseline, || {
                format!("cannot compare {case} with itself; every comparison includes that as its control")
            })?;
        }
        for parameter in &self.plan.parameters {
            ensure(!parameter.values.is_empty(), || format!("parameter {} has no values", parameter.name))?;
        }
        ensure(self.plan.mode != Mode::Batch(0), || "batch size must be at least 1".to_owned())
    }

    /// Why `plan` has too little time for a verdict on every comparison, in words; None if it has enough, or compares nothing.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use chronoscope_harness::{Study, StudyOptions};
    ///
    /// let study = Study::new("two").case("a", |b| b.iter(|| 1)).case("b", |b| b.iter(|| 2)).compare("b", "a");
    /// let warned = |ms| {
    ///     let options = StudyOptions { budget: Some(Duration::from_millis(ms)), ..StudyOptions::default() };
    ///     study.too_short_for_verdicts(&study.plan(&options, &[0]).unwrap())
    /// };
    /// assert!(warned(300).unwrap().contains("6 processes") && warned(3_000).is_none());
    /// ```
    pub fn too_short_for_verdicts(&self, plan: &StudyPlan) -> Option<String> {
        let specs = self.specs(plan);
        let comparisons = |spec: &CellSpec| plan.comparisons.iter().filter(|(case, _)| *case == spec.case).count();
        let compared: usize = specs.iter().filter(|spec| !spec.control).map(comparisons).sum();
        let needed = schedule::processes_for_verdicts(compared);
        let whole = |budget: Duration| schedule::whole_processes(budget, plan, &specs);
        if compared == 0 || whole(Duration::from_millis(plan.budget_ms)).min(plan.processes) >= needed {
            return None;
        }
        let seconds = (1..).find(|seconds| whole(Duration::from_secs(*seconds)) >= needed)?;
        let of = if compared == 1 { "1 comparison".to_owned() } else { format!("{compared} comparisons") };
        Some(format!(
            "too short for verdicts: {of} at once take {needed} processes, and these {seconds} s or more (--duration, --processes)"
        ))
    }

    pub(super) fn specs(&self, plan: &StudyPlan) -> Vec<CellSpec> {
        schedule::cells(plan, &self.cases)
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases: Vec<&str> = self.cases.iter().map(|case| case.name.as_str()).collect();
        f.debug_struct("Study").field("name", &self.name).field("cases", &cases).finish_non_exhaustive()
    }
}

/// Refuses the study if this does not hold.
fn ensure(holds: bool, why_not: impl FnOnce() -> String) -> Result<(), StudyError> {
    if holds { Ok(()) } else { Err(StudyError::usage(why_not())) }
}

/// The CPUs to use.
fn cpus(wanted: Option<&[u32]>, allowed: &[u32]) -> Result<Vec<u32>, StudyError> {
    let Some(wanted) = wanted else { return Ok(allowed.to_vec()) };
    for cpu in wanted {
        ensure(allowed.contains(cpu), || {
            format!("CPU {cpu} is not available to this process (available: {allowed:?})")
        })?;
    }
    ensure(!wanted.is_empty(), || "the list of CPUs is empty; name one, such as 0".to_owned())?;
    Ok(rising(wanted))
}

/// `values` in ascending order, without duplicates.
fn rising<T: Ord + Copy>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values
}

/// A different number in each run.
fn rand_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Group;
    use proptest::prelude::*;

    fn study() -> Study {
        let group = Group::new(|_| ()).role("one", 1, |b, ()| b.iter(|| ())).role("two", 2, |b, ()| b.iter(|| ()));
        let study = Study::new("sweep").case("a", |b| b.iter(|| 1)).case("b", |b| b.iter(|| 2)).group("group", group);
        study.compare("b", "a").compare("group", "a")
    }

    #[test]
    fn a_sweep_beyond_memory_is_refused() {
        let wide = |study: Study| study.backoff(0..100_000).threads(1..=4096);
        let huge = (0..12).fold(wide(study()), |study, i| study.parameter(format!("p{i}"), 0..1000));
        let uncounted = usize::MAX.to_string();
        for (study, count) in [(wide(study()), "1228900011"), (huge, uncounted.as_str())] {
            let refused = study.plan(&StudyOptions::default(), &[0]).unwrap_err().to_string();
            assert!(refused.contains(count) && refused.contains("100000"), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn cells_are_counted_as_they_are_made(
            backoff in prop::collection::vec(0_u64..9, 1..5),
            threads in prop::collection::vec(1_u32..5, 1..4),
            values in prop::collection::vec(1_usize..4, 0..3),
        ) {
            let swept = study().backoff(backoff).threads(threads);
            let of = |(study, name): (Study, usize), values: &usize| (study.parameter(name.to_string(), 0..*values), name + 1);
            let (swept, _) = values.iter().fold((swept, 0), of);
            let plan = swept.plan(&StudyOptions::default(), &[0]).unwrap();
            prop_assert_eq!(schedule::cell_count(&plan, &swept.cases), swept.specs(&plan).len());
        }
    }

    #[test]
    fn cpus_that_are_not_allowed_are_refused() {
        assert!(cpus(Some(&[3]), &[0, 1]).is_err() && cpus(Some(&[]), &[0]).is_err());
        assert_eq!(cpus(Some(&[1, 0, 1]), &[0, 1]).unwrap(), [0, 1]);
        assert_eq!(cpus(None, &[2, 4]).unwrap(), [2, 4]);
    }
}
