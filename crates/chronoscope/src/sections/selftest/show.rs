use chronoscope_harness::finding::Severity;
use chronoscope_render::Width;
use chronoscope_render::text::{Column, Mood, Text, count, ns, percent};

use super::{Check, Outcome, Selftest, Verdict};
use crate::document::Record;
use crate::experiment::show::title;

/// The verdict as text for a terminal.
pub fn terminal(record: &Record, selftest: &Selftest, width: Width) -> String {
    let Selftest { verdict, studies } = selftest;
    let mut page = Text::with_width(width);
    title(&mut page, record, "selftest");
    page.section("CLAIMED AGAINST TRUE");
    let columns = [
        Column::left(""),
        Column::left("what").naming(),
        Column::right("claimed"),
        Column::right("true").tied(),
        Column::left("why"),
    ];
    let rows = verdict.checks.iter().map(|check| {
        let (mood, sign) = sign(check.outcome);
        let reason = if check.outcome == Outcome::Pass { check.reason.as_str() } else { "see below" };
        let cells = [sign, &named(check), &check.claim, &check.truth, reason].map(str::to_owned);
        (mood, cells.to_vec())
    });
    page.table_with_moods(&columns, rows);
    for check in verdict.checks.iter().filter(|check| check.outcome != Outcome::Pass) {
        let (mood, sign) = sign(check.outcome);
        page.sentence(mood, sign, &format!("{}: {}", named(check), check.reason));
    }
    for study in studies {
        for failure in &study.failures {
            let words = format!("{} failed: {}", failure.name(), failure.reason);
            page.sentence(Mood::Bad, "✘", &words);
        }
        for fork in &study.forks {
            if let Some(reason) = &fork.reason_incomplete {
                let words = format!("{}, process {}: {reason}", study.name, fork.fork);
                page.sentence(Mood::Warning, "!", &words);
            }
        }
    }
    page.section("MACHINE");
    for sentence in surroundings(verdict) {
        page.sentence(Mood::Quiet, "·", &sentence);
    }
    for fault in &verdict.faults {
        page.sentence(Mood::Warning, "!", fault);
    }
    page.section("VERDICT");
    for finding in &record.findings {
        let (mood, sign) = match finding.severity {
            Severity::Notice => (Mood::Good, "✔"),
            Severity::Warning => (Mood::Warning, "!"),
            Severity::Critical => (Mood::Bad, "✘"),
        };
        page.sentence(mood, sign, &finding.evidence.summary);
    }
    page.finish()
}

/// A claim with its attempt, where there were two.
fn named(check: &Check) -> String {
    match check.attempt {
        2 => format!("{}, again", check.name),
        _ => check.name.clone(),
    }
}

fn sign(outcome: Outcome) -> (Mood, &'static str) {
    match outcome {
        Outcome::Pass => (Mood::Plain, "✔"),
        Outcome::Fail => (Mood::Bad, "✘"),
        Outcome::TooNoisy => (Mood::Warning, "~"),
        Outcome::NotTried => (Mood::Quiet, "–"),
    }
}

fn surroundings(verdict: &Verdict) -> Vec<String> {
    let machine = &verdict.machine;
    let mut said = vec![format!(
        "{} of {} iterations were undisturbed; a neighbour shared the core in {}, the core ran slow in {}, a thread \
         lost its CPU in {}; stolen {}",
        count(machine.visits_quiet),
        count(machine.visits),
        count(machine.visits_shared),
        count(machine.visits_slow),
        count(machine.visits_preempted),
        ns(machine.steal_ms * 1e6),
    )];
    if let Some(resolvable) = machine.resolvable_pct {
        said.push(format!("a comparison of an operation with itself is good to about ± {}", percent(resolvable)));
    }
    if !verdict.repeated.is_empty() {
        let which = verdict.repeated.join(", ");
        said.push(format!("measured twice, as a claim could not be judged the first time: {which}"));
    }
    said
}
