use anstyle::Style;
use chronoscope_record::Record;
use chronoscope_record::finding::{Finding, FindingId, Severity};

use crate::View;
use crate::line::Line;
use crate::page::Page;
use crate::palette::{CRITICAL, DIM, PLAIN, WARNING};

/// Findings that warn, each with its advice on lines of its own.
pub(crate) fn warnings(page: &mut Page, record: &Record) {
    for finding in record.findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
        whole(page, finding);
    }
}

/// Findings that are good to know.
pub(crate) fn notices(page: &mut Page, record: &Record) {
    let notices: Vec<&Finding> =
        record.findings.iter().filter(|finding| finding.severity == Severity::Notice).collect();
    if notices.is_empty() {
        return;
    }
    page.section("NOTICES");
    for finding in notices {
        let mut text = said(finding);
        for advice in &finding.advice {
            text.push_str(" → ");
            text.push_str(advice);
        }
        page.paragraph(mark(finding.severity), PLAIN, &text);
    }
}

/// All findings that concern one view.
pub(crate) fn concerning(page: &mut Page, record: &Record, view: View) {
    all(page, record.findings.iter().filter(|finding| concerns(finding.id, view)));
}

/// Findings of a section of their own, where there are any.
pub(crate) fn all<'a>(page: &mut Page, findings: impl IntoIterator<Item = &'a Finding>) {
    let mut findings = findings.into_iter().peekable();
    if findings.peek().is_none() {
        return;
    }
    page.section("FINDINGS");
    for finding in findings {
        whole(page, finding);
    }
}

fn whole(page: &mut Page, finding: &Finding) {
    page.paragraph(mark(finding.severity), PLAIN, &said(finding));
    for advice in &finding.advice {
        page.paragraph(Line::styled(DIM, "  → "), PLAIN, advice);
    }
}

pub(crate) fn said(finding: &Finding) -> String {
    let summary = &finding.evidence.summary;
    match &finding.subject {
        Some(subject) if !summary.contains(subject.as_str()) => format!("{subject}: {summary}"),
        _ => summary.clone(),
    }
}

fn mark(severity: Severity) -> Line {
    let (style, mark): (Style, &str) = match severity {
        Severity::Notice => (DIM, "· "),
        Severity::Warning => (WARNING, "! "),
        Severity::Critical => (CRITICAL, "✘ "),
    };
    Line::styled(style, mark)
}

/// A kind that no view claims is shown in all, so that none can be lost.
fn concerns(id: FindingId, view: View) -> bool {
    use FindingId as F;
    match id {
        F::ResolutionIsNotGranularity => matches!(view, View::Clocks | View::Runtimes),
        F::RuntimeTickCoarse
        | F::RuntimeOnSlowPath
        | F::WallClockForIntervals
        | F::RuntimeLoopDoubtful
        | F::RuntimeNotSteady
        | F::RuntimeNotParallel
        | F::RuntimeFailed => view == View::Runtimes,
        F::IntervalNearLatency
        | F::IntervalClaimRefuted
        | F::OsClockOnSlowPath
        | F::PathInferred
        | F::BetterClocksourceAvailable
        | F::TscNotInvariant
        | F::CounterTraps
        | F::CounterForbidden
        | F::FrequencyMisdeclared => view == View::Clocks,
        F::NegativeElapsed | F::OsClockCoarse | F::FrequencyScaling => matches!(view, View::Clocks | View::Reads),
        F::TscDistrusted => matches!(view, View::Clocks | View::Causality),
        F::NoisyMachine => view == View::Reads,
        F::CpuQuota => matches!(view, View::Clocks | View::Reads),
        F::NonCausalRead | F::UnorderedReadNotCausal | F::CrossCpuSkew | F::OneCpu => view == View::Causality,
        F::EarlyPause => matches!(view, View::Pause | View::Runtimes),
        _ => true,
    }
}
