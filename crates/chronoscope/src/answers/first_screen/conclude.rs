//! From a judged check to its first screen.

use chronoscope_harness::finding::{Finding, HostState, Severity};

use super::report::FirstScreen;
use super::{noise, trust, uses};
use crate::answers::host::{Host, Reason};
use crate::document::{Outcome, Record};
use crate::kinds;
use crate::part::Part;
use crate::sections::causality::plan::LITMUS;
use crate::sections::clocks::plan::{GRANULARITY, LATENCY};
use crate::sections::reads::plan::READS;
use crate::sections::sync::plan::SYNC;

/// The command whose documents have a first screen.
const CHECK: &str = "check";
/// What has to be checked before a host can be called sound.
const ESSENTIAL: [Part; 4] = [LATENCY, GRANULARITY, READS, LITMUS];

/// Fills in the first screen of a check, from its measurements, conclusions and findings; other documents have none.
pub fn draw_first_screen(record: &mut Record) {
    record.first_screen = is_check(record).then(|| FirstScreen {
        host: host(record),
        uses: uses::uses(record),
        runtimes_left: uses::runtimes_left(record),
        avoid: uses::avoid(record),
        one_shot: uses::one_shot(record),
        trust: trust::checks(record),
        noise: noise::noise(record),
    });
}

fn is_check(record: &Record) -> bool {
    record.command == CHECK && record.is_check()
}

/// The state of the host: the gravest class among its findings. An essential check that was not made leaves it unknown; one of
/// the wall clock that was not made leaves room for a graver state.
fn host(record: &Record) -> Host {
    let reasons = reasons(&record.findings);
    let gravest = reasons.iter().map(|reason| reason.class).max().unwrap_or(HostState::Ok);
    let state = if gravest == HostState::Ok && !is_essential_done(record) { HostState::Unknown } else { gravest };
    let complete = !record.interrupted
        && is_essential_done(record)
        && is_done(record, SYNC)
        && reasons.iter().all(|reason| reason.class != HostState::Unknown);
    Host { state, complete, reasons }
}

/// Whether every essential part was done; between CPUs only where there are several.
fn is_essential_done(record: &Record) -> bool {
    let has_one_cpu = record.plan.cpus.len() == 1;
    ESSENTIAL.into_iter().all(|part| has_one_cpu && part == LITMUS || is_done(record, part))
}

fn is_done(record: &Record, part: Part) -> bool {
    record.parts.iter().any(|report| report.part == part && report.outcome == Outcome::Done)
}

/// The findings that class a host, and all warnings, by kind.
fn reasons(findings: &[Finding]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for finding in findings {
        let class = kinds::class_of(finding);
        if class == HostState::Ok && finding.severity == Severity::Notice {
            continue;
        }
        match reasons.iter_mut().find(|reason| reason.id == finding.id) {
            Some(reason) => {
                reason.findings += 1;
                (reason.class, reason.severity) = (reason.class.max(class), reason.severity.max(finding.severity));
            }
            None => reasons.push(Reason {
                id: finding.id.to_string(),
                class,
                severity: finding.severity,
                findings: 1,
                summary: finding.evidence.summary.clone(),
                mend: finding.advice.first().cloned(),
            }),
        }
    }
    reasons.sort_by(|a, b| b.class.cmp(&a.class).then(b.severity.cmp(&a.severity)));
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::PartReport;
    use crate::engine::rules::STOLEN_TIME;
    use crate::judgement::rules::causality::NON_CAUSAL_READ;
    use crate::judgement::rules::runtimes::RUNTIME_FAILED;
    use crate::rules::tests::blank;
    use crate::sections::sync::rules::WALL_CLOCK_UNDISCIPLINED;
    use chronoscope_harness::finding::Kind;
    use chronoscope_harness::record::Disturbance;
    use chronoscope_harness::study_rules::PART_UNAVAILABLE;

    /// With the wall clock looked at.
    fn done(outcomes: [Outcome; 4]) -> Record {
        let mut record = blank();
        record.parts = ESSENTIAL
            .into_iter()
            .zip(outcomes)
            .chain([(SYNC, Outcome::Done)])
            .map(|(part, outcome)| {
                let disturbance = Disturbance::default();
                PartReport { part, outcome, reason: None, elapsed_ms: 1, disturbance }
            })
            .collect();
        record
    }

    fn found(mut record: Record, kinds: &[Kind]) -> Host {
        record.findings = kinds.iter().map(|kind| Finding::new(*kind, "seen").advice("mend it")).collect();
        draw_first_screen(&mut record);
        record.first_screen.clone().unwrap().host
    }

    #[test]
    fn the_gravest_finding_names_the_state() {
        let sound = || done([Outcome::Done; 4]);
        let rows: [(&[Kind], HostState, bool); 6] = [
            (&[], HostState::Ok, true),
            (&[RUNTIME_FAILED], HostState::Ok, true),
            (&[STOLEN_TIME], HostState::Noisy, true),
            (&[STOLEN_TIME, WALL_CLOCK_UNDISCIPLINED], HostState::Degraded, true),
            (&[STOLEN_TIME, WALL_CLOCK_UNDISCIPLINED, NON_CAUSAL_READ], HostState::Broken, true),
            (&[PART_UNAVAILABLE, STOLEN_TIME], HostState::Noisy, false),
        ];
        for (kinds, state, complete) in rows {
            let host = found(sound(), kinds);
            assert_eq!((host.state, host.complete, host.reasons.len()), (state, complete, kinds.len()), "{kinds:?}");
        }
        let mut without_wall_clock = sound();
        without_wall_clock.parts.pop();
        let host = found(without_wall_clock, &[]);
        assert_eq!((host.state, host.complete), (HostState::Ok, false));
        let host = found(sound(), &[STOLEN_TIME, NON_CAUSAL_READ, NON_CAUSAL_READ]);
        assert_eq!((host.reasons[0].id.as_str(), host.reasons[0].findings), (NON_CAUSAL_READ.id, 2));
        assert_eq!(host.reasons[0].mend.as_deref(), Some("mend it"));
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
        one_cpu.plan.cpus = vec![0];
        assert_eq!(found(one_cpu, &[]).state, HostState::Ok);
        let mut interrupted = done([Done; 4]);
        interrupted.interrupted = true;
        assert!(!found(interrupted, &[]).complete);
    }

    #[test]
    fn only_a_check_has_a_first_screen() {
        let mut section = blank();
        section.command = "reads".to_owned();
        draw_first_screen(&mut section);
        assert_eq!(section.first_screen, None);
    }
}
