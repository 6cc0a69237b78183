//! Advice as data: drawn by pure rules, rendered from here.

use chronoscope_harness::record::Estimate;
use chronoscope_probes::RuntimeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user asked, with the answer from the rest of the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// How to measure an interval within an error.
    Interval(IntervalAdvice),
    /// Which findings answer a symptom.
    Symptom(SymptomAdvice),
}

/// What to measure, and how accurately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalQuestion {
    /// The length of the interval, about.
    pub interval_ns: f64,
    /// The largest error accepted, in percent of the interval.
    pub error_pct: f64,
    /// Threads that measure at once.
    pub threads: u32,
    /// The only clock to consider; null for every clock that suits.
    pub clock: Option<String>,
    /// The language runtime whose clocks to use; null for native code.
    pub runtime: Option<RuntimeKind>,
    /// Time from the start of one repetition to that of the next; null if unknown.
    pub every_ns: Option<f64>,
}

/// How to measure an interval within an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalAdvice {
    pub asked: IntervalQuestion,
    /// CPUs that the run could use.
    pub cpus: u64,
    /// The method to choose; null if none reaches the error.
    pub choose: Option<Method>,
    /// The answer, in a sentence.
    pub answer: String,
    /// Every method, with its verdict.
    pub methods: Vec<MethodAdvice>,
    /// What limits or spoils the answer.
    pub reservations: Vec<String>,
    /// The figures of the document behind it.
    pub evidence: Vec<Figure>,
}

/// A way to measure an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A pair of reads around each operation.
    Direct,
    /// A pair of reads around many operations.
    Batch,
    /// The mean of many single readings.
    Repetitions,
    /// A benchmark that varies the work between operations and the number of threads, timed from outside.
    BackoffModel,
}

impl Method {
    /// Its name on pages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Direct => "one reading",
            Self::Batch => "a batch",
            Self::Repetitions => "repetitions",
            Self::BackoffModel => "a backoff model",
        }
    }
}

/// Whether a method reaches the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Yes, as trials of known work confirm.
    Confirmed,
    /// Yes, by calculation from the measured figures.
    Expected,
    No,
}

/// What one method achieves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodAdvice {
    pub method: Method,
    /// Whether it reaches the error.
    pub fit: Fit,
    /// The clock to read.
    pub clock: Option<String>,
    /// Operations in a batch, or readings to average.
    pub count: Option<u64>,
    /// The time from the first read to the last, or of all repetitions together.
    pub takes_ns: Option<f64>,
    /// The error to expect, in percent of the interval.
    pub error_pct: Option<f64>,
    /// The verdict in words.
    pub says: String,
    /// The formula, with the numbers inserted.
    pub formula: Option<String>,
    /// What to do: one sentence or command each.
    pub advice: Vec<String>,
}

/// A figure of the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What it is.
    pub name: String,
    pub clock: Option<String>,
    /// Its value, with its interval if it has one.
    pub ns: Estimate,
    /// How it was found.
    pub basis: String,
}

/// The row of the table of symptoms that a text is of, looked up in the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymptomAdvice {
    /// The user's words.
    pub asked: String,
    /// The symptom that they were taken for.
    pub symptom: String,
    /// What is usually behind it.
    pub usually: String,
    /// The sections that measure it, by name.
    pub runs: Vec<String>,
    /// The findings about it that this document has: their ids.
    pub found: Vec<String>,
    /// The findings about it that were looked for and not found: their ids.
    pub absent: Vec<String>,
}
