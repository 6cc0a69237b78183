//! What the reader must know first or can act on, a line each, the gravest first.

use std::collections::BTreeSet;

use chronoscope_harness::finding::{Finding, HostState};
use chronoscope_harness::quantity::{count, share};
use chronoscope_harness::study_rules::NOISY_MACHINE;
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::{DIM, WARNING};
use chronoscope_render::title::emulated;
use chronoscope_render::words::{counted, quoted};

use super::cells::Row;
use super::style_of;
use crate::document::Record;
use crate::judgement::host::{Host, Reason};
use crate::judgement::noise::{LostTo, Noise, NoiseAdvice};
use crate::kinds;

/// As many are shown; the others are counted.
const MOST: usize = 4;
/// Clocks of a kind of finding that are named; more are counted.
const NAMES: usize = 3;
/// Columns of what a record says itself, which may be of any length.
const FOUND: usize = 130;
const MEND: usize = 110;

/// The lines of attention.
pub fn attention(record: &Record, host: &Host, noise: &Noise) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(emulated(&record.machine).map(|text| line(HostState::Degraded, &text)));
    rows.extend(record.interrupted.then(|| line(HostState::Degraded, "interrupted: partial results follow")));
    rows.extend(host.reasons.iter().map(|reason| line(reason.class, &said(reason, &record.findings, noise))));
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let words = counted(more as u64, "more warning", "more warnings");
    rows.extend((more > 0).then(|| Row::after(marked(WARNING), [Line::styled(DIM, &format!("{words}: --full"))])));
    let is_unexplained = !host.complete && host.reasons.iter().all(|reason| reason.class != HostState::Unknown);
    let unchecked = "not everything was checked: --full says what, and why";
    rows.extend(is_unexplained.then(|| Row::after(Line::styled(DIM, "?  "), [Line::styled(DIM, unchecked)])));
    rows
}

fn line(state: HostState, text: &str) -> Row {
    Row::after(marked(style_of(state)), [Line::plain(text)])
}

fn marked(style: anstyle::Style) -> Line {
    Line::styled(style, "!  ")
}

/// What was found, and what to do.
fn said(reason: &Reason, findings: &[Finding], noise: &Noise) -> String {
    if reason.id == NOISY_MACHINE.id
        && let Some(said) = noise_said(noise)
    {
        return said;
    }
    let findings = reason.of(findings);
    let mend = |finding: &&Finding| Some(format!(" → {}", fitted(finding.advice.first()?, MEND)));
    let mend = findings.first().and_then(mend).unwrap_or_default();
    format!("{}{mend}", fitted(&found(reason, &findings), FOUND))
}

/// What the kind means, of which clocks where it speaks of any. Of parts that were not measured, and of another build's kinds,
/// the evidence.
fn found(reason: &Reason, findings: &[&Finding]) -> String {
    let evidence = || findings.first().map_or_else(String::new, |finding| finding.evidence.summary.clone());
    let kind = match kinds::all().find(|kind| kind.id == reason.id) {
        None => return format!("{}: {}", reason.id, evidence()),
        Some(kind) if kind.class == HostState::Unknown => return evidence(),
        Some(kind) => kind,
    };
    let names: BTreeSet<String> = findings.iter().filter_map(|it| Some(quoted(it.subject.as_deref()?))).collect();
    let is_of_any = ["a ", "an ", "two "].iter().any(|article| kind.about.starts_with(article));
    match (is_of_any, names.len()) {
        (true, 1..=NAMES) => format!("{}: {}", kind.about, names.into_iter().collect::<Vec<_>>().join(", ")),
        (true, many) if many > NAMES => format!("{} ({}×)", kind.about, count(many as u64)),
        _ => kind.about.to_owned(),
    }
}

/// Who took the time, and what to do; None where the time is little or its cause was not judged.
fn noise_said(noise: &Noise) -> Option<String> {
    let (lost, advice) = (noise.lost?, noise.advice?);
    let by = match lost.mostly_by {
        LostTo::Quota => "a CPU quota",
        LostTo::OtherThreads => "other threads",
        LostTo::OtherGuests => "other guests",
        LostTo::Interrupts => "interrupts or the hypervisor",
        LostTo::Unknown => "an unknown cause",
    };
    let todo = match advice {
        NoiseAdvice::RaiseQuota => "raise the quota while you measure, or use a cpuset",
        NoiseAdvice::PinToIdleCpu => "pin your program to an idle CPU",
        NoiseAdvice::StopOtherWork => "stop other work",
        NoiseAdvice::DedicatedCpus => "use CPUs that the host dedicates to this guest",
        NoiseAdvice::MoveInterrupts => "move interrupts to other CPUs, or take medians",
    };
    Some(format!("{} of the time lost to {by} → {todo}", share(lost.share)))
}
