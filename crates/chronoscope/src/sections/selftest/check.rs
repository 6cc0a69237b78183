use chronoscope_harness::record::study::Estimate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A known fact, the harness's claim about it, and whether that is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was measured.
    pub name: String,
    /// The harness's claim.
    pub claim: String,
    /// The truth.
    pub truth: String,
    /// The claim as a number, if it is one: nanoseconds, a ratio or a rate.
    pub claimed: Option<Estimate>,
    /// The truth as a number.
    pub true_value: Option<Estimate>,
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
    /// 1, or 2 if the first was too vague and the study was measured again. The first stays.
    #[serde(default = "first")]
    pub attempt: u32,
}

const fn first() -> u32 {
    1
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It does.
    Pass,
    /// It does not.
    Fail,
    /// It is too vague to be right or wrong.
    TooNoisy,
    /// It could not be tried here.
    NotTried,
}

impl Check {
    /// A check without numbers.
    pub fn of(
        name: impl Into<String>,
        claim: impl Into<String>,
        truth: &str,
        Judgement { outcome, reason }: Judgement,
    ) -> Self {
        let (name, claim, truth) = (name.into(), claim.into(), truth.to_owned());
        Self { name, claim, truth, claimed: None, true_value: None, outcome, reason, attempt: first() }
    }

    /// Judges again.
    pub fn judge(&mut self, Judgement { outcome, reason }: Judgement) {
        (self.outcome, self.reason) = (outcome, reason);
    }
}

/// The verdict on a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub outcome: Outcome,
    pub reason: String,
}

impl Judgement {
    pub fn pass(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Pass, reason: reason.into() }
    }

    pub fn fail(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Fail, reason: reason.into() }
    }

    pub fn too_noisy(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::TooNoisy, reason: reason.into() }
    }

    pub fn not_tried(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::NotTried, reason: reason.into() }
    }
}
