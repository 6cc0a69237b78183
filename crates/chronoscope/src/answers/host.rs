//! The state of a host, in one word, and what it rests on.

use chronoscope_harness::finding::{Finding, HostState, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::registry::all_kinds;

/// The state of a host, and the findings behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The gravest class among its findings.
    pub state: HostState,
    /// Whether all that was planned was checked. If not, a graver state is possible.
    pub complete: bool,
    /// The findings behind it and all other warnings, by kind, the gravest first.
    pub reasons: Vec<Reason>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Their id.
    pub id: String,
    /// The state that such a finding puts a host in.
    pub class: HostState,
    /// The severity of the gravest of them.
    pub severity: Severity,
    /// How many there are.
    pub findings: u64,
    /// The evidence of the first, in words.
    pub summary: String,
    /// What to do about the first; null where nothing is advised.
    pub mend: Option<String>,
}

/// The state that `finding` puts a host in. Noise counts even as a notice, because it affects every measurement; other
/// kinds count only as warnings or worse. A kind that this build does not know counts by its severity.
pub fn class_of(finding: &Finding) -> HostState {
    let class = all_kinds().find(|kind| finding.is(**kind)).map(|kind| kind.class);
    match (class, finding.severity) {
        (Some(HostState::Noisy), _) => HostState::Noisy,
        (_, Severity::Notice) => HostState::Ok,
        (Some(class), _) => class,
        (None, Severity::Warning) => HostState::Degraded,
        (None, Severity::Critical) => HostState::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::finding::{Kind, Meaning, NO_ACTION};

    const X: Meaning = Meaning { about: "x", evidence: "x", mend: NO_ACTION };

    #[test]
    fn a_notice_leaves_a_host_ok_unless_it_tells_of_noise() {
        let class = |kind: Kind| class_of(&Finding::new(kind, "seen"));
        assert_eq!(class(Kind::notice("noisy_machine", X)), HostState::Noisy);
        assert_eq!(class(Kind::notice("part_unavailable", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("part_unavailable", X)), HostState::Unknown);
        assert_eq!(class(Kind::warning("wall_clock_undisciplined", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("non_causal_read", X)), HostState::Broken);
        assert_eq!(class(Kind::notice("of_a_later_build", X)), HostState::Ok);
        assert_eq!(class(Kind::warning("of_a_later_build", X)), HostState::Degraded);
        assert_eq!(class(Kind::critical("of_a_later_build", X)), HostState::Broken);
    }
}
