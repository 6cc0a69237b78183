//! Claims of the literature next to what this machine says of them, as plain data.

use chronoscope_harness::quantity::count;
use chronoscope_harness::record::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every claim, judged by documents of one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Literature {
    /// The commands whose documents were read, with how long each took.
    pub runs: Vec<Run>,
    /// Claim by claim, in the order of the articles.
    pub claims: Vec<JudgedClaim>,
}

/// A document that was read, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// What was run: `runtimes --pause --only java`; or the file that was read.
    pub command: String,
    /// How long it took; null where a file was read.
    pub elapsed_ms: Option<f64>,
    /// Why it gave no document.
    pub reason_failed: Option<String>,
}

/// A claim of an article, and this machine's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedClaim {
    /// A letter for the article and a number.
    pub id: String,
    /// The article: author, title, year.
    pub article: String,
    /// What it says.
    pub says: String,
    /// The command that looks; null if this build has none.
    pub command: Option<String>,
    /// Where in its document.
    pub field: Option<String>,
    /// What must hold there.
    pub predicate: Option<String>,
    /// The figures that it published, with its digits.
    pub published: Vec<String>,
    /// The figure that ours is compared with, in the unit of ours: a time in nanoseconds.
    pub reference: Option<f64>,
    /// Ours over that figure; null unless both are known.
    pub ratio: Option<Estimate>,
    /// This machine's figure; null where it is none, or not known.
    pub ours: Option<Estimate>,
    /// The same in words, or what is there if it is no number.
    pub ours_said: Option<String>,
    /// What follows.
    pub state: ClaimState,
    /// Why, where that is not plain.
    pub reason: Option<String>,
}

/// What follows for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimState {
    /// The predicate holds here, for the whole interval.
    Agreed,
    /// It is measured or drawn here; the claim gives nothing to test.
    Shown,
    /// It does not, for the whole interval.
    Differs,
    /// The interval allows both.
    Inconclusive,
    /// It was looked for, and not found.
    Unknown,
    /// Nobody looked.
    NotRun,
    /// It takes what this machine lacks.
    Needs,
    /// No command looks for it.
    Missing,
}

impl ClaimState {
    /// All of them, in the order of a summary.
    pub const ALL: [Self; 8] = [
        Self::Agreed,
        Self::Shown,
        Self::Differs,
        Self::Inconclusive,
        Self::Unknown,
        Self::NotRun,
        Self::Needs,
        Self::Missing,
    ];

    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agreed => "agreed",
            Self::Shown => "shown",
            Self::Differs => "differs",
            Self::Inconclusive => "inconclusive",
            Self::Unknown => "unknown",
            Self::NotRun => "not run",
            Self::Needs => "needs",
            Self::Missing => "missing",
        }
    }

    /// So many in this state, in words.
    pub fn counted(self, claims: usize) -> String {
        let word = match self {
            Self::Differs if claims > 1 => "differ",
            Self::Needs if claims > 1 => "need",
            _ => self.word(),
        };
        format!("{} {word}", count(claims as u64))
    }
}
