use chronoscope_harness::record::study::StudyReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Check;
use super::machine::MachineState;

/// A self-test: the verdict, and the studies behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Selftest {
    pub verdict: Verdict,
    pub studies: Vec<StudyReport>,
}

/// The result of the self-test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    pub checks: Vec<Check>,
    pub machine: MachineState,
    /// What disturbed it, most severe first.
    pub faults: Vec<String>,
    /// Whether every claim that could be tested is right.
    pub passed: bool,
    /// The studies measured twice because a claim could not be judged the first time.
    pub repeated: Vec<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}
