//! A figure of a document by name, so that documents can be compared and followed over time.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limit::{FindBounds, Limit};
use chronoscope_harness::record::Estimate;

/// The figures that a section declares, read from its report `R`.
pub struct Figures<R: ?Sized + 'static> {
    pub kinds: &'static [&'static FigureKind],
    /// Those of a report.
    pub of: fn(&R) -> Vec<Figure>,
    pub limits: &'static [Limit<FindBounds<R>>],
}

/// One number of a document that another document may have too.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub kind: &'static FigureKind,
    /// The clock, the case or the method that it is about.
    pub subject: String,
    /// Its value in nanoseconds: above 0, except that a lateness may be 0 or negative.
    pub value: Estimate,
}

impl Figure {
    /// The figure; None unless it is finite, and above 0 where its kind has to be. An interval that makes no sense is left out.
    pub fn new(kind: &'static FigureKind, subject: impl Into<String>, value: Estimate) -> Option<Self> {
        let Estimate { estimate, low, high, confidence } = value;
        let is_sound = estimate.is_finite() && (estimate > 0.0 || kind.floor.is_some());
        let has_interval = low.is_finite() && high.is_finite() && (low..=high).contains(&estimate) && confidence > 0.0;
        let value = if has_interval { value } else { Estimate::without_interval(estimate) };
        is_sound.then(|| Self { kind, subject: subject.into(), value })
    }

    /// The same without an interval.
    pub fn bare(kind: &'static FigureKind, subject: impl Into<String>, value: f64) -> Option<Self> {
        Self::new(kind, subject, Estimate::without_interval(value))
    }

    /// Its value and interval for a ratio, which needs them above 0: those of a lateness are raised to its floor.
    pub fn level(&self) -> Estimate {
        self.kind.floor.map_or(self.value, |floor| self.value.map(|value| value.max(floor)))
    }

    /// What makes it the same figure as one of another run.
    pub fn identity(&self) -> (&'static str, &'static str, &str) {
        (self.kind.name, self.kind.what, &self.subject)
    }
}

/// The figures of a run by their identity: documents may have ten thousand.
pub struct FigureIndex<'a>(HashMap<(&'static str, &'static str, &'a str), &'a Figure>);

impl<'a> FigureIndex<'a> {
    pub fn of(figures: &'a [Figure]) -> Self {
        // Of two that are alike, the first.
        Self(figures.iter().rev().map(|figure| (figure.identity(), figure)).collect())
    }

    /// The same figure of this run.
    pub fn find(&self, figure: &Figure) -> Option<&'a Figure> {
        self.0.get(&figure.identity()).copied()
    }
}

/// What a figure is: a row in the file of the section that measures it.
#[derive(Debug, PartialEq)]
pub struct FigureKind {
    /// Its name in documents and in the history.
    pub name: &'static str,
    /// In words, for a table.
    pub words: &'static str,
    /// What it is, as a sentence for the schema.
    pub what: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// How far two runs of an unchanged machine may differ, in percent, until there are runs to tell.
    pub usual_noise_pct: f64,
    /// The smallest value that enters a ratio, for kinds that may be 0: without it, a run that was never late could not be compared.
    pub floor: Option<f64>,
    /// The smallest factor that counts as a change, even where the noise between runs is smaller; 1 if noise alone decides.
    pub least_factor: f64,
    /// Whether it is an upper bound.
    pub is_bound: bool,
    /// Whether the document gives an interval for it. Where it gives none, the noise alone decides.
    pub has_interval: bool,
}

// The usual noise of figures for which a check was tried: 18 checks of one idle KVM guest with 2 vCPUs within 22 minutes, all 153
// pairs of them (2026-11-25).
impl FigureKind {
    /// The noise of a latency in a check, which has a tenth of a second for each clock: 99.8 % of all pairs were within 10 %, and of
    /// those in a language runtime 95 %.
    pub const CHECKED_PCT: f64 = 10.0;
    /// The floor of a lateness, which is recorded in whole nanoseconds.
    pub const FLOOR_OF_LATENESS: Option<f64> = Some(1.0);

    /// The factor by which a figure that jumps by itself must change.
    pub const FACTOR_OF_JUMPS: f64 = 100.0;

    /// An estimate with an interval. The noise is as in `cargo bench`: runs of one program were seen to differ by 2.8 %.
    pub const fn level(name: &'static str, words: &'static str, what: &'static str) -> Self {
        let (better, usual_noise_pct) = (Better::Lower, 5.0);
        Self {
            name,
            words,
            what,
            better,
            usual_noise_pct,
            floor: None,
            least_factor: 1.0,
            is_bound: false,
            has_interval: true,
        }
    }

    /// A bound, an extreme or a shortest interval: these are found on a grid, or made by a single event.
    pub const fn extreme(name: &'static str, words: &'static str, what: &'static str) -> Self {
        Self { usual_noise_pct: 100.0, has_interval: false, ..Self::level(name, words, what) }
    }

    /// The worst lateness but for a share.
    pub const fn lateness(name: &'static str, words: &'static str, what: &'static str) -> Self {
        Self { floor: Self::FLOOR_OF_LATENESS, ..Self::extreme(name, words, what) }
    }
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less.
    Lower,
    Neither,
}
