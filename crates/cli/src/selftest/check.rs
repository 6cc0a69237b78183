use chronoscope_measure::record::study::Estimate;
use serde::{Deserialize, Serialize};

/// One thing that is known, what the harness claims of it, and whether that is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Check {
    /// What was measured.
    pub(crate) name: String,
    /// What the harness says.
    pub(crate) claim: String,
    /// What is the case.
    pub(crate) truth: String,
    /// The claim as a number, where it is one: nanoseconds, a ratio or a rate.
    pub(crate) claimed: Option<Estimate>,
    /// The truth as a number.
    pub(crate) true_value: Option<Estimate>,
    pub(crate) outcome: Outcome,
    /// Why.
    pub(crate) reason: String,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It does.
    Pass,
    /// It does not.
    Fail,
    /// It is too vague to be right or wrong, or wrong while the machine was disturbed.
    TooNoisy,
    /// It could not be tried here.
    NotTried,
}

impl Check {
    /// A check without numbers.
    pub(crate) fn of(
        name: impl Into<String>,
        claim: impl Into<String>,
        truth: &str,
        Judgement { outcome, reason }: Judgement,
    ) -> Self {
        let (name, claim, truth) = (name.into(), claim.into(), truth.to_owned());
        Self { name, claim, truth, claimed: None, true_value: None, outcome, reason }
    }

    /// Judges again.
    pub(crate) fn judge(&mut self, Judgement { outcome, reason }: Judgement) {
        (self.outcome, self.reason) = (outcome, reason);
    }
}

/// What is said of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) outcome: Outcome,
    pub(crate) reason: String,
}

impl Judgement {
    pub(crate) fn pass(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Pass, reason: reason.into() }
    }

    pub(crate) fn fail(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Fail, reason: reason.into() }
    }

    pub(crate) fn too_noisy(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::TooNoisy, reason: reason.into() }
    }

    pub(crate) fn not_tried(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::NotTried, reason: reason.into() }
    }
}
