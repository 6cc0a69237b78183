use crate::record::study::StudyRecord;
use serde::{Deserialize, Serialize};

use super::Verdict;

/// The version of this document's shape that this build writes and reads.
pub const SELFTEST_SCHEMA_VERSION: u32 = 1;
/// The field by which the document is told from others.
pub const SELFTEST_SCHEMA_KEY: &str = "selftest_schema_version";

/// A self-test as it is saved: the verdict, and the studies that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelftestRun {
    /// The shape of this document; 1.
    pub selftest_schema_version: u32,
    pub selftest: Verdict,
    pub studies: Vec<StudyRecord>,
}
