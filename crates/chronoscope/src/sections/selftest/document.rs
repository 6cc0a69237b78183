use chronoscope_harness::record::study::StudyReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Verdict;

/// A self-test: the verdict, and the studies that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Selftest {
    pub verdict: Verdict,
    pub studies: Vec<StudyReport>,
}
