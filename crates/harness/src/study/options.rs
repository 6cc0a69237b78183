use std::time::Duration;

use super::case_filter::CaseFilter;
use super::other_build::OtherBuild;

/// Options that override a study's own settings, usually from the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyOptions {
    /// Time for all processes together; None for the study's own.
    pub budget: Option<Duration>,
    /// Multiplies budgets: 0.2 for a quick look, 4 for a thorough one. 0 counts as 1.
    pub depth: f64,
    /// Worker processes; None for the study's own number, or as many more as the time allows with another build.
    pub processes: Option<u32>,
    /// Numbers of threads; None for the study's own.
    pub threads: Option<Vec<u32>>,
    /// Tokens of backoff; None for the study's own.
    pub backoff: Option<Vec<u64>>,
    /// CPUs to use; None for all that are allowed.
    pub cpus: Option<Vec<u32>>,
    /// The cases to measure; all by default.
    pub filter: CaseFilter,
    /// Seed for all randomness; None for a fresh one in each run.
    pub seed: Option<u64>,
    /// Differences within this many percent are ignored; None for the study's own margin.
    pub margin_pct: Option<f64>,
    /// Another build to compare with; its processes share the budget.
    pub against: Option<OtherBuild>,
}
