//! What the reader must know first or can act on, a line each, the gravest first.

use std::collections::BTreeSet;

use chronoscope_harness::finding::{Finding, HostState, Kind, NO_ACTION, Severity};
use chronoscope_harness::quantity::{count, share};
use chronoscope_harness::record::clean;
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
use crate::judgement::noise::Noise;
use crate::kinds;

/// As many are shown; the others are counted.
const MOST: usize = 4;
/// Clocks of a kind of finding that are named; more are counted.
const NAMES: usize = 3;
/// Columns of what a record says itself, which may be of any length.
const FOUND: usize = 130;
const MEND: usize = 92;

/// The lines of attention.
pub fn attention(record: &Record, host: &Host, noise: &Noise) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(all(record, host, noise).map(|(state, found, mend)| {
        let mend = mend.map_or_else(String::new, |mend| format!(" → {mend}"));
        line(state, &format!("{found}{mend}"))
    }));
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let words = counted(more as u64, "more warning", "more warnings");
    rows.extend((more > 0).then(|| Row::after(marked(WARNING), [Line::styled(DIM, &format!("{words}: --full"))])));
    let is_unexplained = !host.complete && host.reasons.iter().all(|reason| reason.class != HostState::Unknown);
    let unchecked = "not everything was checked: --full says what, and why";
    rows.extend(is_unexplained.then(|| Row::after(Line::styled(DIM, "?  "), [Line::styled(DIM, unchecked)])));
    rows
}

/// What there is to say first, without what to do: None if nothing is.
pub fn gravest(record: &Record, host: &Host, noise: &Noise) -> Option<String> {
    all(record, host, noise).next().map(|(_, found, _)| found)
}

/// Whatever must be known or can be acted on, the gravest first: its class, what was found, and what to do.
fn all<'a>(
    record: &'a Record,
    host: &'a Host,
    noise: &'a Noise,
) -> impl Iterator<Item = (HostState, String, Option<String>)> {
    let emulated = emulated(&record.machine).map(|text| (text, Some("do not benchmark here".to_owned())));
    let interrupted = record.interrupted.then(|| ("interrupted: partial results follow".to_owned(), None));
    let of_run = emulated.into_iter().chain(interrupted).map(|(found, mend)| (HostState::Degraded, found, mend));
    of_run.chain(host.reasons.iter().map(|reason| {
        let (found, mend) = said(reason, &record.findings, noise);
        (reason.class, found, mend)
    }))
}

fn line(state: HostState, text: &str) -> Row {
    Row::after(marked(style_of(state)), [Line::plain(text)])
}

fn marked(style: anstyle::Style) -> Line {
    Line::styled(style, "!  ")
}

/// What was found, and what to do.
fn said(reason: &Reason, findings: &[Finding], noise: &Noise) -> (String, Option<String>) {
    let findings = reason.of(findings);
    if reason.id == NOISY_MACHINE.id {
        // Threads that waited lost more than a reader's gaps show, and say how much themselves.
        let waited = findings.iter().find(|finding| finding.severity == Severity::Warning);
        let waited = waited
            .map(|finding| (fitted(&finding.evidence.summary, FOUND), finding.advice.first().map(|mend| clause(mend))));
        if let Some(said) = waited.or_else(|| noise_said(noise)) {
            return said;
        }
    }
    let kind = kinds::all().find(|kind| kind.id == reason.id);
    let advised = findings.first().and_then(|finding| finding.advice.first()).map(String::as_str);
    let mend = advised.or_else(|| kind.map(|kind| kind.mend)).filter(|mend| *mend != NO_ACTION);
    (fitted(&found(reason, kind, &findings), FOUND), mend.map(clause))
}

/// As much of an advice as there is room for, in whole clauses.
fn clause(advice: &str) -> String {
    let advice = clean(advice);
    let is_short = |end: &usize| *end > 0 && Line::plain(&advice[..*end]).width() <= MEND;
    let last = |mark: &str| advice.match_indices(mark).map(|(end, _)| end).filter(is_short).max();
    match last("; ").or_else(|| last(", ")) {
        Some(end) if Line::plain(&advice).width() > MEND => advice[..end].to_owned(),
        _ => fitted(&advice, MEND),
    }
}

/// What the kind means, of which clocks or parts where it speaks of any; of another build's kinds, the evidence.
fn found(reason: &Reason, kind: Option<&Kind>, findings: &[&Finding]) -> String {
    let Some(about) = kind.map(|kind| kind.about) else {
        return format!("{}: {}", reason.id, findings.first().map_or("", |finding| finding.evidence.summary.as_str()));
    };
    let is_of_parts = about.starts_with("part ");
    let name = |subject: &str| if is_of_parts { subject.to_owned() } else { quoted(subject) };
    let names: BTreeSet<String> = findings.iter().filter_map(|it| Some(name(it.subject.as_deref()?))).collect();
    let is_of_any = is_of_parts || ["a ", "an ", "two "].iter().any(|article| about.starts_with(article));
    match (is_of_any, names.len()) {
        (true, 1..=NAMES) => format!("{about}: {}", names.into_iter().collect::<Vec<_>>().join(", ")),
        (true, many) if many > NAMES => format!("{about} ({}×)", count(many as u64)),
        _ => about.to_owned(),
    }
}

/// Who took the time, and what to do; None where the time is little or its cause was not judged.
fn noise_said(noise: &Noise) -> Option<(String, Option<String>)> {
    let (lost, advice) = (noise.lost.as_ref()?, noise.advice?);
    let reading = lost
        .clock
        .as_ref()
        .map_or_else(String::new, |clock| format!(" of reading {}", quoted(&fitted(clock.name(), FOUND))));
    let found = format!("{} of the time{reading} lost, mostly to {}", share(lost.share), lost.mostly_by.words());
    Some((found, Some(advice.words().to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advice_is_cut_between_clauses() {
        let long = "run again later, or on a machine with unshared cores; on your own machine, look for other work";
        assert_eq!(clause(long), "run again later, or on a machine with unshared cores");
        let one = format!("{}, or not", "stop all other work on every other machine of this host ".repeat(2).trim());
        assert_eq!(clause(&one), fitted(&one, MEND), "no clause is short enough");
        assert_eq!(clause("stop it; or wait"), "stop it; or wait");
    }
}
