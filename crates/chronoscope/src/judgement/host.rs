//! The state of a host, in one word, and what it rests on.

use chronoscope_harness::finding::{Finding, HostState, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use crate::part::{Outcome, Part};
use crate::sections::causality::plan::LITMUS;
use crate::sections::clocks::plan::{GRANULARITY, LATENCY};
use crate::sections::reads::plan::READS;
use crate::sections::sync::plan::SYNC;

/// What has to be checked before a host can be called sound.
const ESSENTIAL: [Part; 4] = [LATENCY, GRANULARITY, READS, LITMUS];

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
}

impl Reason {
    /// Those of `findings` that are meant.
    pub fn of<'a>(&self, findings: &'a [Finding]) -> Vec<&'a Finding> {
        let is_meant = |finding: &&Finding| finding.id == self.id && counts(self.class, finding);
        findings.iter().filter(is_meant).collect()
    }
}

/// Whether a finding of this class tells of a host's state.
fn counts(class: HostState, finding: &Finding) -> bool {
    class == HostState::Noisy || finding.severity > Severity::Notice
}

/// The state is the gravest class among the findings. An essential check that was not made leaves it unknown; one of the wall
/// clock that was not made leaves room for a graver state.
pub fn host(facts: &Facts<'_>, interrupted: bool, classed: &[(HostState, &Finding)]) -> Host {
    let reasons = reasons(classed);
    let gravest = reasons.iter().map(|reason| reason.class).max().unwrap_or(HostState::Ok);
    let is_essential_done = is_essential_done(facts);
    let state = if gravest == HostState::Ok && !is_essential_done { HostState::Unknown } else { gravest };
    let complete = !interrupted
        && is_essential_done
        && is_done(facts, SYNC)
        && reasons.iter().all(|reason| reason.class != HostState::Unknown);
    Host { state, complete, reasons }
}

/// Whether every essential part was done; between CPUs only where there are several.
fn is_essential_done(facts: &Facts<'_>) -> bool {
    let has_one_cpu = facts.plan.cpus.len() == 1;
    ESSENTIAL.into_iter().all(|part| has_one_cpu && part == LITMUS || is_done(facts, part))
}

fn is_done(facts: &Facts<'_>, part: Part) -> bool {
    facts.parts.iter().any(|report| report.part == part && report.outcome == Outcome::Done)
}

/// The findings that class a host, and all warnings, by kind.
fn reasons(classed: &[(HostState, &Finding)]) -> Vec<Reason> {
    let mut reasons: Vec<(Severity, Reason)> = Vec::new();
    for (class, finding) in classed.iter().filter(|(class, finding)| counts(*class, finding)) {
        match reasons.iter_mut().find(|(_, reason)| reason.id == finding.id) {
            Some((severity, reason)) => {
                (reason.class, *severity) = (reason.class.max(*class), finding.severity.max(*severity));
            }
            None => reasons.push((finding.severity, Reason { id: finding.id.to_string(), class: *class })),
        }
    }
    reasons.sort_by(|(a_severity, a), (b_severity, b)| b.class.cmp(&a.class).then(b_severity.cmp(a_severity)));
    reasons.into_iter().map(|(_, reason)| reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{PartReport, Record};
    use crate::judgement::rules::noise::STOLEN_TIME;
    use crate::judgement::rules::non_causal_read::NON_CAUSAL_READ;
    use crate::judgement::rules::runtime_failed::RUNTIME_FAILED;
    use crate::kinds;
    use crate::rules::tests::{blank, done as part_done};
    use crate::sections::sync::rules::{WALL_CLOCK_STEPPED, WALL_CLOCK_UNDISCIPLINED};
    use chronoscope_harness::finding::Kind;
    use chronoscope_harness::record::Disturbance;
    use chronoscope_harness::study_rules::PART_UNAVAILABLE;

    /// With the wall clock looked at.
    fn done(outcomes: [Outcome; 4]) -> Record {
        let mut record = blank();
        record.content.parts = ESSENTIAL
            .into_iter()
            .zip(outcomes)
            .chain([(SYNC, Outcome::Done)])
            .map(|(part, outcome)| PartReport { outcome, ..part_done(part, 1, Disturbance::default()) })
            .collect();
        record
    }

    fn found(mut record: Record, found: &[Kind]) -> Host {
        record.findings = found.iter().map(|kind| Finding::new(*kind, "seen").advice("mend it")).collect();
        let classed: Vec<_> = record.findings.iter().map(|finding| (kinds::class_of(finding), finding)).collect();
        host(&Facts::from(&record), record.interrupted, &classed)
    }

    #[test]
    fn the_gravest_finding_names_the_state() {
        let sound = || done([Outcome::Done; 4]);
        let rows: [(&[Kind], HostState, bool); 7] = [
            (&[], HostState::Ok, true),
            (&[RUNTIME_FAILED], HostState::Ok, true),
            (&[STOLEN_TIME], HostState::Noisy, true),
            // No duration suffers from it.
            (&[WALL_CLOCK_UNDISCIPLINED], HostState::Ok, true),
            (&[STOLEN_TIME, WALL_CLOCK_STEPPED], HostState::Degraded, true),
            (&[STOLEN_TIME, WALL_CLOCK_STEPPED, NON_CAUSAL_READ], HostState::Broken, true),
            (&[PART_UNAVAILABLE, STOLEN_TIME], HostState::Noisy, false),
        ];
        for (kinds, state, complete) in rows {
            let host = found(sound(), kinds);
            assert_eq!((host.state, host.complete, host.reasons.len()), (state, complete, kinds.len()), "{kinds:?}");
        }
        let mut without_wall_clock = sound();
        without_wall_clock.content.parts.pop();
        let host = found(without_wall_clock, &[]);
        assert_eq!((host.state, host.complete), (HostState::Ok, false));
        let host = found(sound(), &[STOLEN_TIME, NON_CAUSAL_READ, NON_CAUSAL_READ]);
        let ids: Vec<&str> = host.reasons.iter().map(|reason| reason.id.as_str()).collect();
        assert_eq!(ids, [NON_CAUSAL_READ.id, STOLEN_TIME.id]);
    }

    #[test]
    fn what_was_not_checked_is_never_ok() {
        use Outcome::{Done, Failed, Incomplete, Skipped};

        for outcomes in [[Failed, Done, Done, Done], [Done, Incomplete, Done, Done], [Done, Done, Done, Skipped]] {
            let host = found(done(outcomes), &[]);
            assert_eq!((host.state, host.complete), (HostState::Unknown, false), "{outcomes:?}");
        }
        assert_eq!(found(blank(), &[]).state, HostState::Unknown);
        let mut one_cpu = done([Done, Done, Done, Skipped]);
        one_cpu.content.plan.cpus = vec![0];
        assert_eq!(found(one_cpu, &[]).state, HostState::Ok);
        let mut interrupted = done([Done; 4]);
        interrupted.interrupted = true;
        assert!(!found(interrupted, &[]).complete);
    }
}
