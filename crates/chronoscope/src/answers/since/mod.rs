//! This check compared with the last one of the same machine, in one sentence.

pub mod report;

use std::collections::BTreeSet;

use chronoscope_harness::finding::Severity;
use chronoscope_harness::quantity::PERCENT;
use chronoscope_render::title::moment;
use chronoscope_render::words::counted;
use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;
use jiff::Timestamp;

use self::report::Since;
use crate::answers::compare::report::{FigureCompared, FigureVerdict, FindingName, RunCompared};
use crate::answers::compare::{Source, compare};
use crate::document::Record;
use crate::figures::figure::Figure;
use crate::kinds;
use crate::sections::clocks::figures::LATENCY;

/// Differences and findings named in the sentence; the rest is counted.
const NAMED: usize = 2;
/// Differences that no reader needs in one line: `history compare` has them.
const MINOR: [&str; 5] = ["depth", "CPUs used", "interrupted", "container", "command"];

/// What changed in `this` since `last`; None if one of them does not say when it began. `earlier` holds the figures of further checks
/// of the machine under the same conditions as `last`.
pub fn since(this: &Record, last: &Record, earlier: &[Vec<Figure>]) -> Option<Since> {
    let is_dated = |record: &Record| record.started_at.parse::<Timestamp>().is_ok();
    if !(is_dated(this) && is_dated(last)) {
        return None;
    }
    // Whoever reads it does so on any day, and where another time is kept.
    let when = moment(&last.started_at);
    let source = |record: &Record| Source { name: String::new(), record: record.clone() };
    let found = compare(&source(last), &[source(this)], earlier).runs.pop()?;
    let clock = telling(&found.figures).cloned();
    let sentence = sentence(&when, clock.as_ref(), &found);
    Some(Since {
        started_at: last.started_at.clone(),
        clock,
        figures: found.figures.len() as u64,
        differences: found.differences,
        findings_appeared: found.findings_appeared,
        findings_vanished: found.findings_vanished,
        sentence,
    })
}

/// The latency of the system's monotonic clock, else the first latency.
fn telling(figures: &[FigureCompared]) -> Option<&FigureCompared> {
    let os = SourceId::Os(OsClock::Monotonic);
    let latencies = || figures.iter().filter(|figure| figure.kind == LATENCY);
    latencies().find(|figure| figure.subject == os.name()).or_else(|| latencies().next())
}

/// Those of the findings that are at least warnings, each kind once, `alone` before those that the other run lacks. Some notices come
/// and go between checks of an unchanged machine: of 18 such, `interval_claim_refuted` was in 7.
fn warnings(findings: &[FindingName], alone: &str, changed: &str) -> Vec<String> {
    let warnings = findings.iter().filter(|finding| finding.severity >= Severity::Warning);
    distinct(warnings.map(|finding| match finding.severity_in_other {
        None => format!("{alone}: {}", meaning(&finding.id)),
        Some(_) if finding.severity == Severity::Critical => format!("{changed} critical: {}", meaning(&finding.id)),
        Some(_) => format!("{changed} a warning: {}", meaning(&finding.id)),
    }))
}

/// What a kind of finding means; the id of one that this build does not know.
fn meaning(id: &str) -> &str {
    kinds::of_check(id).map_or(id, |kind| kind.about)
}

/// Whether nothing is known to differ by more than runs of one machine do.
fn is_same(found: &RunCompared) -> bool {
    let is_noise = |figure: &FigureCompared| matches!(figure.verdict, FigureVerdict::Noise | FigureVerdict::Unresolved);
    found.differences.is_empty()
        && found.findings_appeared.is_empty()
        && found.findings_vanished.is_empty()
        && found.only_base.is_empty()
        && found.only_this.is_empty()
        && found.figures.iter().all(is_noise)
}

fn sentence(when: &str, clock: Option<&FigureCompared>, found: &RunCompared) -> String {
    let is_noise =
        |figure: &&FigureCompared| matches!(figure.verdict, FigureVerdict::Noise | FigureVerdict::Unresolved);
    let mut said: Vec<String> = clock.filter(|clock| !is_noise(clock)).map(of_clock).into_iter().collect();
    let differences = found.differences.iter().filter(|difference| !MINOR.contains(&difference.what.as_str()));
    let differences = differences.map(|it| format!("{} {} → {}", it.what, bare(&it.base), bare(&it.this)));
    said.extend(some(differences.collect(), "differences"));
    let others = |verdict: FigureVerdict, word: &str| {
        let is_other = |figure: &&FigureCompared| figure.verdict == verdict && Some(*figure) != clock;
        let named = |figure: &FigureCompared| format!("{} {}", figure.subject, figure.kind.words);
        let all: Vec<String> = found.figures.iter().filter(is_other).map(named).collect();
        let figures = || format!("{} {word}", counted(all.len() as u64, "figure", "figures"));
        match all.as_slice() {
            [] => None,
            [one] => Some(format!("{} ({one})", figures())),
            _ => Some(figures()),
        }
    };
    said.extend(others(FigureVerdict::Regression, "worse"));
    said.extend(others(FigureVerdict::Improvement, "better"));
    said.extend(some(warnings(&found.findings_appeared, "new", "now"), "new findings"));
    said.extend(some(warnings(&found.findings_vanished, "gone", "no longer"), "findings gone"));
    if said.is_empty() {
        let figures = counted(found.figures.len() as u64, "figure", "figures");
        said.push(match (found.figures.len(), is_same(found)) {
            (0, _) => "nothing to compare".to_owned(),
            (_, true) => format!("nothing changed in {figures}"),
            (_, false) => format!("no certain change in {figures}"),
        });
    }
    format!("{when}: {}", said.join(", "))
}

fn of_clock(clock: &FigureCompared) -> String {
    let change = clock.ratio.map(|ratio| PERCENT.signed().value(100.0 * (ratio.estimate - 1.0)));
    let verdict = match clock.verdict {
        FigureVerdict::Regression => "slower",
        FigureVerdict::Improvement => "faster",
        other => other.word(),
    };
    format!("{} {} a read ({verdict})", clock.subject, change.unwrap_or_else(|| "–".to_owned()))
}

/// A fact without the word that its name says already.
fn bare(fact: &str) -> &str {
    ["Linux ", "chronoscope ", "Darwin ", "Windows "].iter().find_map(|word| fact.strip_prefix(word)).unwrap_or(fact)
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    words.filter(|word| seen.insert(word.clone())).collect()
}

/// The first few, and the number of the rest.
fn some(all: Vec<String>, what: &str) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("{more} more {what}"));
    all.into_iter().take(NAMED).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{document, json};

    fn record(started_at: &str) -> Record {
        let mut record = document(include_str!("../../../tests/fixtures/record.json")).unwrap();
        record.started_at = started_at.to_owned();
        record.machine.kernel.release = "6.1.12".to_owned();
        record
    }

    fn of(this: &Record, last: &Record) -> Since {
        since(this, last, &[]).unwrap()
    }

    #[test]
    fn the_sentence_names_time_clock_and_kernel() {
        let (mut last, this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        let same = of(&this, &last);
        let wanted = format!("2026-11-23 22:31 UTC: nothing changed in {} figures", same.figures);
        assert!(same.differences.is_empty() && same.figures > 1 && same.sentence == wanted, "{}", same.sentence);
        last.machine.kernel.release = "6.1.9".to_owned();
        let found = of(&this, &last);
        assert_eq!(found.sentence, "2026-11-23 22:31 UTC: kernel 6.1.9 → 6.1.12");
        assert!(
            found.differences.len() == 1 && found.sentence.starts_with("2026-11-23 22:31 UTC: "),
            "{}",
            found.sentence
        );
    }

    #[test]
    fn a_machine_moved_to_another_host_is_said_first() {
        let (mut last, mut this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        for (record, name) in [(&mut last, "Zen 4"), (&mut this, "Zen 5")] {
            record.machine.cpu.brand = Some("AMD EPYC".to_owned());
            record.machine.cpu.microarchitecture = Some(name.to_owned());
        }
        last.machine.kernel.release = "6.1.9".to_owned();
        let wanted = "2026-11-23 22:31 UTC: CPU AMD EPYC (Zen 4) → AMD EPYC (Zen 5), kernel 6.1.9 → 6.1.12";
        assert_eq!(of(&this, &last).sentence, wanted);
    }

    #[test]
    fn what_is_worse_and_what_is_new_is_counted() {
        let (last, mut this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        let clocks = &mut this.content.sections.clocks.report.clocks;
        for latency in clocks.iter_mut().filter_map(|clock| clock.latency_ns.as_mut()) {
            (latency.per_read.estimate, latency.per_read.low, latency.per_read.high) =
                (2.0 * latency.per_read.estimate, 2.0 * latency.per_read.low, 2.0 * latency.per_read.high);
        }
        this.findings.truncate(1);
        this.findings[0].id = "made_up".into();
        let found = of(&this, &last);
        let sentence = &found.sentence;
        let told = "CLOCK_MONOTONIC +100 % a read (slower), 11 figures worse, new: made_up";
        assert!(sentence.contains(told), "{sentence}");
        assert!(sentence.contains("gone: "), "{sentence}");
        let mut one = last.clone();
        one.started_at = "2026-11-24T09:00:00Z".into();
        let raw =
            one.content.sections.clocks.report.clocks.iter_mut().find(|clock| clock.name == "CLOCK_MONOTONIC_RAW");
        let latency = raw.and_then(|clock| clock.latency_ns.as_mut()).unwrap();
        (latency.per_read.estimate, latency.per_read.low, latency.per_read.high) =
            (2.0 * latency.per_read.estimate, 2.0 * latency.per_read.low, 2.0 * latency.per_read.high);
        let sentence = of(&one, &last).sentence;
        assert!(sentence.ends_with(": 1 figure worse (CLOCK_MONOTONIC_RAW latency)"), "{sentence}");
    }

    #[test]
    fn a_notice_that_came_or_went_is_not_in_the_sentence() {
        let (last, mut this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        let mut finding = this.findings[0].clone();
        (finding.id, finding.severity) = ("made_up".into(), Severity::Notice);
        this.findings.push(finding);
        for (this, last) in [(&this, &last), (&last, &this)] {
            let found = of(this, last);
            assert_eq!(found.findings_appeared.len() + found.findings_vanished.len(), 1);
            assert!(!found.sentence.contains("made_up"), "{}", found.sentence);
        }
    }

    #[test]
    fn what_only_one_of_them_has_is_a_change() {
        let (last, mut this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        this.content.sections.clocks.report.clock_mut(&"rdtscp".into()).unwrap().latency_ns = None;
        for (this, last) in [(&this, &last), (&last, &this)] {
            assert!(of(this, last).sentence.contains(": no certain change in "), "{}", of(this, last).sentence);
        }
    }

    #[test]
    fn a_notice_that_became_a_warning_is_new() {
        let (mut last, this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        let warning = this.findings.iter().find(|finding| finding.severity == Severity::Warning).unwrap();
        let same = |finding: &&mut chronoscope_harness::finding::Finding| finding.id == warning.id;
        last.findings.iter_mut().filter(same).for_each(|finding| finding.severity = Severity::Notice);
        assert!(of(&this, &last).sentence.ends_with(&format!("now a warning: {}", meaning(&warning.id))));
        assert!(of(&last, &this).sentence.ends_with(&format!("no longer a warning: {}", meaning(&warning.id))));
    }

    #[test]
    fn a_record_without_a_time_has_no_sentence() {
        let (this, soon) = (record("2026-11-24T09:00:00Z"), record("soon"));
        assert_eq!(since(&this, &soon, &[]), None);
        assert_eq!(since(&soon, &this, &[]), None);
    }

    #[test]
    fn it_is_kept_in_the_document_and_drawn_on_its_page() {
        let (last, mut this) = (record("2026-11-23T22:31:00Z"), record("2026-11-24T09:00:00Z"));
        let found = of(&this, &last);
        this.content.since = Some(found.clone());
        let read = document(&json(&this).unwrap()).unwrap();
        assert_eq!(read.content.since.as_ref(), Some(&found));
        let page = crate::screen::terminal(&read, crate::screen::View::CHECK);
        let page = anstream::adapter::strip_str(&page).to_string();
        assert!(page.contains(&format!("\nSINCE {}", found.sentence)), "{page}");
    }
}
