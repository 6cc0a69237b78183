use chronoscope_harness::record::study::StudyReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Check;
use super::machine::MachineState;

/// A self-test: the verdict, and the studies that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Selftest {
    pub verdict: Verdict,
    pub studies: Vec<StudyReport>,
}

/// What the self-test found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub checks: Vec<Check>,
    pub machine: MachineState,
    /// What disturbed it, the gravest first.
    pub faults: Vec<String>,
    /// Whether every claim that could be tried is right.
    pub passed: bool,
    /// The studies that were measured twice, since a claim of theirs could not be judged the first time.
    pub repeated: Vec<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}
