//! How far apart the clocks of two CPUs can be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::causality::reason_untested;
use super::facts::Facts;
use super::grade::Grade;
use crate::sections::causality::plan::OFFSETS;

/// Bound on the skew between the CPUs' clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Skew {
    /// No pair of CPUs was seen to disagree.
    NotExcluded {
        /// Upper bound on the skew.
        below_ns: f64,
    },
    /// A pair disagrees.
    Apart {
        /// Upper bound on the skew.
        up_to_ns: f64,
    },
    /// No pair was compared.
    NotTested {
        /// Why.
        reason: String,
    },
}

impl Skew {
    pub const fn grade(&self) -> Grade {
        match self {
            Self::NotExcluded { .. } => Grade::Good,
            Self::Apart { .. } => Grade::Critical,
            Self::NotTested { .. } => Grade::Unknown,
        }
    }

    /// The largest skew compatible with the observations.
    pub const fn bound_ns(&self) -> Option<f64> {
        match self {
            Self::NotExcluded { below_ns: bound_ns } | Self::Apart { up_to_ns: bound_ns } => Some(*bound_ns),
            Self::NotTested { .. } => None,
        }
    }
}

/// The bound over all pairs.
pub fn skew(facts: &Facts<'_>) -> Skew {
    let report = &facts.sections.causality.report;
    let bounds = report.pairs.iter().map(|pair| pair.skew_not_excluded_ns());
    let Some(bound_ns) = bounds.reduce(f64::max).filter(|bound| bound.is_finite()) else {
        return Skew::NotTested { reason: reason_untested(facts, OFFSETS) };
    };
    if report.pairs.iter().any(|pair| pair.shows_skew()) {
        Skew::Apart { up_to_ns: bound_ns }
    } else {
        Skew::NotExcluded { below_ns: bound_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, pair};
    use crate::sections::causality::report::PairOffset;

    #[test]
    fn every_outcome_of_the_offsets_is_concluded() {
        let reason = "it was not part of the plan".to_owned();
        let rows = [
            (vec![pair(4.0, 0)], Skew::NotExcluded { below_ns: 14.0 }),
            (vec![pair(4.0, 0), PairOffset { a: 1, b: 0, ..pair(-500.0, 0) }], Skew::Apart { up_to_ns: 510.0 }),
            (Vec::new(), Skew::NotTested { reason }),
        ];
        for (pairs, wanted) in rows {
            let mut record = blank();
            record.content.sections.causality.report.pairs = pairs;
            assert_eq!(skew(&Facts::from(&record)), wanted);
        }
    }
}
