use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::Bencher;
use super::case::{Case, Group};
use super::error::StudyError;
use super::options::StudyOptions;
use super::schedule::{self, CellSpec};
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
    pub(super) comparisons: Vec<(String, String)>,
    backoff: Vec<u64>,
    threads: Vec<u32>,
    parameters: Vec<Parameter>,
    mode: Mode,
    margin_pct: f64,
    processes: u32,
    batches: u32,
    warm_up_batches: u32,
    rounds: Option<u32>,
    budget: Option<Duration>,
}

impl Study {
    /// An empty study: no cases, no backoff, one thread, average time.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            cases: Vec::new(),
            comparisons: Vec::new(),
            backoff: vec![0],
            threads: vec![1],
            parameters: Vec::new(),
            mode: Mode::AverageTime,
            margin_pct: MARGIN_PCT,
            processes: PROCESSES,
            batches: 0,
            warm_up_batches: 1,
            rounds: None,
            budget: None,
        }
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
        self.backoff = tokens.into_iter().collect();
        self
    }

    /// Sets the thread counts. More threads than CPUs are allowed, and marked.
    #[must_use]
    pub fn threads(mut self, threads: impl IntoIterator<Item = u32>) -> Self {
        self.threads = threads.into_iter().collect();
        self
    }

    /// Sweeps a parameter, available to cases through [`Bencher::parameter`].
    #[must_use]
    pub fn parameter<V: fmt::Display>(mut self, name: impl Into<String>, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(|value| value.to_string()).collect();
        self.parameters.push(Parameter { name: name.into(), values });
        self
    }

    /// Sets what is measured.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
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
        self.comparisons.push((case.into(), baseline.into()));
        self
    }

    /// Differences within this many percent are ignored.
    #[must_use]
    pub fn margin_pct(mut self, margin_pct: f64) -> Self {
        self.margin_pct = margin_pct;
        self
    }

    /// Sets the number of worker processes.
    #[must_use]
    pub fn processes(mut self, processes: u32) -> Self {
        self.processes = processes;
        self
    }

    /// Sets the iterations of each cell per process; by default, chosen from the available time.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = Some(rounds);
        self
    }

    /// Sets the measured batches per iteration, and the unmeasured ones before them; 0 measured batches for as many as time
    /// allows.
    #[must_use]
    pub fn iterations(mut self, warm_up: u32, measured: u32) -> Self {
        (self.warm_up_batches, self.batches) = (warm_up, measured);
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
        let backoff_tokens = rising(options.backoff.as_ref().unwrap_or(&self.backoff));
        let threads = rising(options.threads.as_ref().unwrap_or(&self.threads));
        check_sweeps(&backoff_tokens, &threads)?;
        let processes = options.processes.unwrap_or(self.processes);
        if !(FEWEST_PROCESSES..=1000).contains(&processes) {
            return refuse(format!("{processes} processes are out of range ({FEWEST_PROCESSES}–1000)"));
        }
        let cases = self.chosen(options)?;
        let comparisons = self.comparisons.iter().filter(|(a, b)| cases.contains(a) && cases.contains(b));
        let mut plan = StudyPlan {
            comparisons: comparisons.cloned().collect(),
            cases,
            backoff_tokens,
            threads,
            parameters: self.parameters.clone(),
            mode: self.mode,
            budget_ms: 0,
            processes,
            rounds: self.rounds.unwrap_or(0),
            batches: if self.mode == Mode::SingleShot { 1 } else { self.batches },
            warm_up_batches: if self.mode == Mode::SingleShot { 0 } else { self.warm_up_batches },
            cpus: schedule::cpus(options.cpus.as_deref(), allowed)?,
            margin_pct: options.margin_pct.unwrap_or(self.margin_pct),
            confidence: crate::stats::CONFIDENCE,
            seed: options.seed.unwrap_or_else(rand_seed),
        };
        let cells = self.cell_count(&plan)?;
        check_margin(plan.margin_pct)?;
        let builds = 1 + u32::from(options.against.is_some());
        let depth = if options.depth > 0.0 { options.depth } else { 1.0 };
        let chosen = (CELL_BUDGET * processes * builds).mul_f64(cells as f64).clamp(BUDGETS.0, BUDGETS.1);
        let budget = options.budget.unwrap_or_else(|| self.budget.unwrap_or(chosen).mul_f64(depth));
        plan.budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX).max(1);
        if options.against.is_some() && options.processes.is_none() {
            plan.processes = schedule::pairs(budget, cells, processes);
        } else if options.processes.is_none() && !plan.comparisons.is_empty() {
            // Processes that compare everything decide more than others that have no time for it.
            plan.processes = schedule::whole_processes(budget, cells).clamp(FEWEST_PROCESSES.min(processes), processes);
        }
        if plan.rounds == 0 {
            plan.rounds = schedule::rounds(budget, plan.processes * builds, cells);
        }
        Ok(plan)
    }

    /// Whether the study is valid by itself.
    fn check(&self) -> Result<(), StudyError> {
        if self.cases.is_empty() {
            return refuse(format!("study {} has no cases; add one with .case(…)", self.name));
        }
        let mut names = BTreeSet::new();
        for case in &self.cases {
            if !names.insert(case.name.as_str()) {
                return refuse(format!("duplicate case name {}; case names must be unique", case.name));
            }
            if case.roles.is_empty() || case.roles.iter().any(|role| role.threads == Some(0)) {
                return refuse(format!("group {} needs a role, and every role a thread", case.name));
            }
        }
        for (case, baseline) in &self.comparisons {
            if let Some(unknown) = [case, baseline].into_iter().find(|name| !names.contains(name.as_str())) {
                return refuse(format!("cannot compare {case} with {baseline}: there is no case {unknown}"));
            }
            if case == baseline {
                return refuse(format!(
                    "cannot compare {case} with itself; every comparison includes that as its control"
                ));
            }
        }
        if let Some(empty) = self.parameters.iter().find(|parameter| parameter.values.is_empty()) {
            return refuse(format!("parameter {} has no values", empty.name));
        }
        if matches!(self.mode, Mode::Batch(0)) {
            return refuse("batch size must be at least 1");
        }
        Ok(())
    }

    /// How many comparisons `plan` makes.
    fn compared(&self, plan: &StudyPlan) -> usize {
        let specs = self.specs(plan);
        let cells = |case: &str| specs.iter().filter(|spec| spec.case == case && !spec.control).count();
        plan.comparisons.iter().map(|(case, _)| cells(case)).sum()
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
        let compared = self.compared(plan);
        let needed = schedule::processes_for_verdicts(compared);
        let cells = self.cell_count(plan).ok()?;
        let time =
            |processes: u32| schedule::whole_processes(Duration::from_millis(plan.budget_ms), cells) >= processes;
        if compared == 0 || time(needed) && plan.processes >= needed {
            return None;
        }
        let seconds =
            (1..).find(|seconds| schedule::whole_processes(Duration::from_secs(*seconds), cells) >= needed)?;
        let of = if compared == 1 { "1 comparison".to_owned() } else { format!("{compared} comparisons") };
        Some(format!(
            "too short for verdicts: {of} at once take {needed} processes, and these {seconds} s or more (--duration, --processes)"
        ))
    }

    /// The names of the cases that `options` select.
    fn chosen(&self, options: &StudyOptions) -> Result<Vec<String>, StudyError> {
        let names = || self.cases.iter().map(|case| case.name.as_str());
        let cases: Vec<String> =
            names().filter(|name| options.filter.selects(&self.name, name)).map(str::to_owned).collect();
        if cases.is_empty() {
            let names = names().collect::<Vec<_>>().join(", ");
            return refuse(format!("no case matches {}; cases: {names}", options.filter));
        }
        Ok(cases)
    }

    /// How many cells there are. They are counted before any is made: a slip in a sweep asks for more than memory holds.
    fn cell_count(&self, plan: &StudyPlan) -> Result<usize, StudyError> {
        let counted = schedule::cell_count(plan, &self.cases);
        if let Some(cells) = counted.filter(|cells| *cells <= MOST_CELLS) {
            return Ok(cells);
        }
        let cells = counted.map_or_else(|| format!("more than {}", usize::MAX), |cells| cells.to_string());
        refuse(format!("{cells} combinations exceed the limit of {MOST_CELLS}; sweep fewer values"))
    }

    pub(super) fn specs(&self, plan: &StudyPlan) -> Vec<CellSpec> {
        schedule::cells(plan, &self.cases)
    }
}

impl fmt::Debug for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Study").field("name", &self.name).field("cases", &self.cases).finish_non_exhaustive()
    }
}

fn check_sweeps(backoff_tokens: &[u64], threads: &[u32]) -> Result<(), StudyError> {
    if backoff_tokens.is_empty() {
        return refuse("the list of backoffs is empty; use 0 for no backoff");
    }
    if threads.is_empty() {
        return refuse("the list of thread counts is empty; use 1 for a single thread");
    }
    match threads.iter().find(|threads| !(1..=MOST_THREADS).contains(*threads)) {
        Some(wrong) => refuse(format!("{wrong} threads are out of range (1–{MOST_THREADS})")),
        None => Ok(()),
    }
}

fn check_margin(margin_pct: f64) -> Result<(), StudyError> {
    match margin_pct > 0.0 && margin_pct.is_finite() {
        true => Ok(()),
        false => refuse(format!("margin must be greater than 0 %, not {margin_pct} %")),
    }
}

fn refuse<T>(what: impl Into<String>) -> Result<T, StudyError> {
    Err(StudyError::usage(what.into()))
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
            prop_assert_eq!(schedule::cell_count(&plan, &swept.cases), Some(swept.specs(&plan).len()));
        }
    }
}
