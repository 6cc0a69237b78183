//! Findings: typed conclusions, each with evidence, severity and advice.

use std::borrow::Cow;
use std::collections::BTreeMap;

#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// One conclusion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The kind of conclusion, in snake case; documents from later builds may hold unknown ids.
    pub id: Cow<'static, str>,
    /// How severe it is.
    pub severity: Severity,
    /// The clock, CPUs or part concerned; null for the machine as a whole.
    pub subject: Option<String>,
    /// The evidence.
    pub evidence: Evidence,
    /// What to do: one sentence or command each; empty where no action is needed.
    pub advice: Vec<String>,
}

/// The evidence for a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// In words, with the numbers.
    pub summary: String,
    /// The numbers by name, unit last in the name.
    pub values: BTreeMap<String, f64>,
}

/// How severe a finding is. `--strict` fails at `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Notice,
    /// Measurements made here may mislead.
    Warning,
    /// A clock breaks its guarantee, or the run is unreliable.
    Critical,
}

impl Severity {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// The state of a host's clocks, as its findings have it; the graver the later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// Nothing was found.
    Ok,
    /// Nothing was found, but something that matters was not checked.
    #[default]
    Unknown,
    /// Measurements suffer from what else runs.
    Noisy,
    /// A clock is slow, coarse or distrusted.
    Degraded,
    /// A clock lies.
    Broken,
}

impl HostState {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "GOOD",
            Self::Unknown => "UNKNOWN",
            Self::Noisy => "NOISY",
            Self::Degraded => "DEGRADED",
            Self::Broken => "BROKEN",
        }
    }

    /// What it means.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ok => "nothing speaks against clocks or measurements",
            Self::Unknown => "nothing was found, but something that matters was not checked",
            Self::Noisy => "measurements suffer",
            Self::Degraded => "a clock is slow, coarse or distrusted",
            Self::Broken => "a clock lies",
        }
    }
}

/// A kind of finding: one row, next to the rule that yields it.
///
/// # Examples
/// ```
/// use chronoscope_harness::finding::{Finding, Kind, Meaning};
///
/// const ONE_CPU: Kind = Kind::notice(
///     "one_cpu",
///     Meaning {
///         about: "nothing can be said across CPUs: there is only one",
///         evidence: "the CPUs that the process may use (`cpus_allowed`)",
///         mend: "allow at least two CPUs",
///     },
/// );
/// let finding = Finding::new(ONE_CPU, "the process may run on CPU 1 alone").value("cpus_allowed", 1.0);
/// assert!(finding.is(ONE_CPU));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name in documents and gates, in snake case; never reused for another kind.
    pub id: &'static str,
    /// Default severity of findings of this kind; a rule may override it.
    pub severity: Severity,
    /// The sections whose own pages show it, by name; [`EVERYWHERE`] for all.
    pub shown_in: &'static [&'static str],
    /// The state that it puts a host in; [`HostState::Ok`] if it concerns a program, or is only good to know.
    pub class: HostState,
    /// What is wrong: a clause without a full stop, as are the next two.
    pub about: &'static str,
    /// What was observed, and the numbers that a finding carries, by name.
    pub evidence: &'static str,
    /// What to do; [`NO_ACTION`] where nothing is needed.
    pub mend: &'static str,
}

/// What a kind of finding means. A kind cannot be defined without any of it.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// What is wrong.
    pub about: &'static str,
    /// What was observed, and the numbers that a finding carries, by name.
    pub evidence: &'static str,
    /// What to do; [`NO_ACTION`] where nothing is needed.
    pub mend: &'static str,
}

/// The mend of a kind that only informs.
pub const NO_ACTION: &str = "nothing to do";

/// Shown on every section's page: see [`Kind::shown_in`].
pub const EVERYWHERE: &[&str] = &[];

impl Kind {
    /// A kind of notice, shown everywhere.
    pub const fn notice(id: &'static str, meaning: Meaning) -> Self {
        let Meaning { about, evidence, mend } = meaning;
        assert!(!about.is_empty() && !evidence.is_empty() && !mend.is_empty(), "a kind says what it means");
        Self { id, severity: Severity::Notice, shown_in: EVERYWHERE, class: HostState::Ok, about, evidence, mend }
    }

    /// A kind of warning, shown everywhere.
    pub const fn warning(id: &'static str, meaning: Meaning) -> Self {
        Self { severity: Severity::Warning, ..Self::notice(id, meaning) }
    }

    /// A critical kind, shown everywhere.
    pub const fn critical(id: &'static str, meaning: Meaning) -> Self {
        Self { severity: Severity::Critical, ..Self::notice(id, meaning) }
    }

    /// The same, shown only on the pages of these sections.
    #[must_use]
    pub const fn shown_in(self, sections: &'static [&'static str]) -> Self {
        Self { shown_in: sections, ..self }
    }

    /// The same, of this class.
    #[must_use]
    pub const fn classed(self, class: HostState) -> Self {
        Self { class, ..self }
    }

    /// Whether the page of `section` shows findings of this kind.
    pub fn is_shown_in(&self, section: &str) -> bool {
        self.shown_in.is_empty() || self.shown_in.contains(&section)
    }
}

impl Finding {
    /// A finding of this kind, with its evidence in words.
    pub fn new(kind: Kind, summary: impl Into<String>) -> Self {
        Self {
            id: Cow::Borrowed(kind.id),
            severity: kind.severity,
            subject: None,
            evidence: Evidence { summary: summary.into(), values: BTreeMap::new() },
            advice: Vec::new(),
        }
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: Kind) -> bool {
        self.id == kind.id
    }

    /// Sets the subject.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Adds a number to the evidence; a non-finite one is left out.
    #[must_use]
    pub fn value(mut self, name: &str, value: f64) -> Self {
        if value.is_finite() {
            self.evidence.values.insert(name.to_owned(), value);
        }
        self
    }

    /// Adds a sentence or a command to the advice.
    #[must_use]
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice.push(advice.into());
        self
    }
}
