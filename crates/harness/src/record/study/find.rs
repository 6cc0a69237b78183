//! Lookups in a study record.

use super::{Cell, Comparison, ComparisonPoint, StudyRecord};

impl StudyRecord {
    /// The cell of `case` at this backoff and thread count.
    ///
    /// # Examples
    /// ```
    /// # let text = include_str!("../../../tests/fixtures/study.json");
    /// # let record: chronoscope_harness::record::study::StudyRecord = serde_json::from_str(text)?;
    /// assert!(record.cell("seq_cst", 0, 1).is_some_and(|cell| cell.time_ns.is_some()));
    /// assert!(record.cell("seq_cst", 0, 999).is_none());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn cell(&self, case: &str, tokens: u64, threads: u32) -> Option<&Cell> {
        let is = |cell: &&Cell| cell.case == case && cell.backoff_tokens == tokens && cell.threads == threads;
        self.study().cells.iter().find(is)
    }

    /// The cell of `case` with this parameter value and thread count.
    pub fn cell_with(&self, case: &str, parameter: &str, value: &str, threads: u32) -> Option<&Cell> {
        let is_value = |cell: &Cell| cell.parameters.get(parameter).is_some_and(|found| found == value);
        self.study().cells.iter().find(|cell| cell.case == case && cell.threads == threads && is_value(cell))
    }

    /// The comparison of `case` with `baseline`.
    pub fn comparison(&self, case: &str, baseline: &str, threads: u32) -> Option<&Comparison> {
        let is = |found: &&Comparison| found.case == case && found.baseline == baseline && found.threads == threads;
        self.study().comparisons.iter().find(is)
    }

    /// The comparison of `case` with `baseline` at this backoff.
    ///
    /// # Examples
    /// ```
    /// # let text = include_str!("../../../tests/fixtures/study.json");
    /// # let record: chronoscope_harness::record::study::StudyRecord = serde_json::from_str(text)?;
    /// assert!(record.point("seq_cst", "relaxed", 0, 1).is_some());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn point(&self, case: &str, baseline: &str, tokens: u64, threads: u32) -> Option<&ComparisonPoint> {
        let points = &self.comparison(case, baseline, threads)?.points;
        points.iter().find(|point| point.backoff_tokens == tokens)
    }

    /// How many CPUs the threads had; at least one.
    pub fn cpus(&self) -> u32 {
        u32::try_from(self.study().plan.cpus.len()).unwrap_or(u32::MAX).max(1)
    }
}
