//! A comparison of documents: plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use chronoscope_harness::finding::Severity;
use chronoscope_harness::record::{Estimate, Tool};

use crate::figures::figure::{Better, FigureKind};

/// Documents compared with the first of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The base: the first document.
    pub base: ComparedRun,
    /// Each other document, compared with it.
    pub runs: Vec<RunCompared>,
}

/// Where a compared document is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRun {
    /// The file, or the number in the history.
    pub source: String,
    /// What was run.
    pub command: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Its machine, if it has a name.
    pub hostname: Option<String>,
}

/// A document compared with the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunCompared {
    /// The document.
    pub run: ComparedRun,
    /// What else differs: processor, machine, kernel, clocksource, version, depth.
    pub differences: Vec<Difference>,
    /// Figures that both have.
    pub figures: Vec<FigureCompared>,
    /// Figures that only the base has, in words.
    pub only_base: Vec<String>,
    /// Figures that only this document has, in words.
    pub only_this: Vec<String>,
    /// Findings that only this document has, or that are less severe in the base, of those that the base looked for.
    pub findings_appeared: Vec<FindingName>,
    /// Findings that only the base has, or that are less severe in this document, of those that this document looked for.
    pub findings_vanished: Vec<FindingName>,
    /// What the verdicts rest on, a sentence each.
    pub assumptions: Vec<String>,
}

/// A difference between two documents that is no figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// What the base has.
    pub base: String,
    /// What this document has.
    pub this: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingName {
    /// The kind of finding.
    pub id: String,
    /// The clock, CPUs or part concerned.
    pub subject: Option<String>,
    /// How severe it is.
    pub severity: Severity,
    /// How severe it is in the other document; null if that lacks it.
    pub severity_in_other: Option<Severity>,
}

/// A figure of two documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureCompared {
    /// What it is.
    pub kind: &'static FigureKind,
    /// The clock, the case or the method that it is about.
    pub subject: String,
    /// Which direction is better.
    pub better: Better,
    /// The base's value: nanoseconds, or events per second.
    pub base: Estimate,
    /// This document's.
    pub this: Estimate,
    /// This document's over the base's; null if it cannot be computed. The interval is that of both estimates; it leaves out what
    /// differs between runs.
    pub ratio: Option<Estimate>,
    /// How far runs of an unchanged machine may differ.
    pub noise: Noise,
    pub verdict: FigureVerdict,
}

/// How far two runs of an unchanged machine may differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noise {
    /// In percent: a ratio between 1/(1 + this) and 1 + this is noise.
    pub band_pct: f64,
    /// The runs from which this is known; 0 where the usual noise is assumed.
    pub runs: u32,
}

impl Noise {
    /// The factor, either way, within which a ratio is noise.
    pub fn factor(self) -> f64 {
        1.0 + self.band_pct / 100.0
    }
}

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FigureVerdict {
    /// Worse by more than the noise between runs.
    Regression,
    /// Better by more than that.
    Improvement,
    /// Different by more than that, and neither is better.
    Changed,
    /// Within the noise.
    Noise,
    /// The interval allows both.
    Unresolved,
}

impl FigureVerdict {
    /// Worst first.
    pub const ALL: [Self; 5] = [Self::Regression, Self::Changed, Self::Improvement, Self::Unresolved, Self::Noise];

    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Changed => "changed",
            Self::Noise => "noise",
            Self::Unresolved => "inconclusive",
        }
    }
}

impl FigureCompared {
    /// By how much it got worse, in percent, by the estimate of the ratio; negative if it got better. None if there is no ratio, or
    /// neither direction is better.
    pub fn worse_by_pct(&self) -> Option<f64> {
        let ratio = self.ratio?.estimate;
        match self.better {
            Better::Lower => Some(100.0 * (ratio - 1.0)),
            Better::Neither => None,
        }
    }
}

impl RunCompared {
    /// How many figures have this verdict.
    pub fn count(&self, verdict: FigureVerdict) -> usize {
        self.figures.iter().filter(|figure| figure.verdict == verdict).count()
    }
}
