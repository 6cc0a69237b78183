use anstyle::Style;
use chronoscope_harness::finding::{Finding, Severity};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{CRITICAL, DIM, PLAIN, WARNING};

/// Warnings and errors, each with its advice on separate lines.
pub fn warnings(page: &mut Page, findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.severity >= Severity::Warning) {
        whole(page, finding);
    }
}

/// Notices.
pub fn notices(page: &mut Page, findings: &[Finding]) {
    let notices: Vec<&Finding> = findings.iter().filter(|finding| finding.severity == Severity::Notice).collect();
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

/// A section of findings, if there are any.
pub fn all<'a>(page: &mut Page, findings: impl IntoIterator<Item = &'a Finding>) {
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

/// The summary, prefixed with the subject if the summary does not name it.
pub fn said(finding: &Finding) -> String {
    let summary = &finding.evidence.summary;
    match &finding.subject {
        Some(subject) if !summary.contains(subject.as_str()) => format!("{subject}: {summary}"),
        _ => summary.clone(),
    }
}

/// The sign of a severity.
pub fn mark(severity: Severity) -> Line {
    let (style, mark): (Style, &str) = match severity {
        Severity::Notice => (DIM, "· "),
        Severity::Warning => (WARNING, "! "),
        Severity::Critical => (CRITICAL, "✘ "),
    };
    Line::styled(style, mark)
}
