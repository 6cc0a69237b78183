use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::quantity::count;

/// The plan of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyPlan {
    /// The cases by name, in the order given.
    pub cases: Vec<String>,
    /// Tokens of backoff before each operation.
    pub backoff_tokens: Vec<u64>,
    /// Numbers of threads; a group of roles has its own.
    pub threads: Vec<u32>,
    /// Other sweeps.
    pub parameters: Vec<Parameter>,
    /// Pairs of cases that are compared: the operation, then what it is compared with.
    pub comparisons: Vec<(String, String)>,
    /// What is measured.
    pub mode: Mode,
    /// Time for all processes together, in milliseconds.
    pub budget_ms: u64,
    /// Worker processes.
    pub processes: u32,
    /// Iterations of each cell per process.
    pub rounds: u32,
    /// Measured batches per iteration; 0 for as many as time allows.
    pub batches: u32,
    /// Unmeasured batches before them in each iteration.
    pub warm_up_batches: u32,
    /// The CPUs that threads are pinned to, in turn.
    pub cpus: Vec<u32>,
    /// Differences within this many percent are ignored.
    pub margin_pct: f64,
    /// Confidence of every interval.
    pub confidence: f64,
    /// Seed for environment padding and resampling.
    pub seed: u64,
}

impl StudyPlan {
    /// Whether there is backoff at all: without it, no page mentions any.
    pub fn has_backoff(&self) -> bool {
        self.backoff_tokens.iter().any(|tokens| *tokens > 0)
    }

    /// Whether the number of threads says something: it does unless everything runs on one.
    pub fn names_threads(&self, threads: u32) -> bool {
        self.threads != [1] || threads != 1
    }

    /// Identifies one combination of a case: `size 64, 1 token, 2 threads`. Backoff and threads are left out where there is
    /// nothing to tell apart; empty if nothing is left.
    ///
    /// # Examples
    /// ```
    /// # let text = include_str!("../../../tests/fixtures/study.json");
    /// # let record: chronoscope_harness::record::study::StudyRecord = serde_json::from_str(text)?;
    /// let mut plan = record.study().plan.clone();
    /// assert_eq!(plan.place(&Default::default(), 0, 1), "0 tokens, 1 thread");
    /// assert_eq!(plan.place(&Default::default(), 4_096, 2), "4\u{202f}096 tokens, 2 threads");
    /// (plan.backoff_tokens, plan.threads) = (vec![0], vec![1]);
    /// assert_eq!(plan.place(&Default::default(), 0, 1), "");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn place(&self, parameters: &Parameters, tokens: u64, threads: u32) -> String {
        let parameters = parameters.iter().map(|(name, value)| format!("{name} {value}"));
        let backoff = self.has_backoff().then(|| some(tokens, "token"));
        let threads = self.names_threads(threads).then(|| some(threads.into(), "thread"));
        parameters.chain(backoff).chain(threads).collect::<Vec<_>>().join(", ")
    }
}

fn some(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

/// The parameter values of one cell, by name, in words.
pub type Parameters = BTreeMap<String, String>;

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its values, in words.
    pub values: Vec<String>,
}

/// What is measured of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The time of an operation, from batches timed as a whole.
    #[default]
    AverageTime,
    /// Operations per second of all threads, from the same batches.
    Throughput,
    /// Single operations, timed rarely enough that the clock is not the bottleneck.
    SampleTime,
    /// One operation per iteration, cold.
    SingleShot,
    /// Batches of exactly this many operations.
    Batch(u64),
}
