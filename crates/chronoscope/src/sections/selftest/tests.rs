use super::check::Judgement;
use super::rules::{HARNESS_RIGHT, HARNESS_WRONG, NOTHING_TRIED, SELFTEST_STOPPED, SELFTEST_TOO_NOISY};
use super::*;
use crate::experiment::synthetic::assert_fits;
use chronoscope_harness::rule::conclude;

fn verdict(outcomes: &[Judgement], machine: MachineState) -> Verdict {
    let numbered = outcomes.iter().enumerate();
    let checks: Vec<Check> =
        numbered.map(|(n, outcome)| Check::of(format!("x {n}"), "1", "1", outcome.clone())).collect();
    let passed = is_right(&checks);
    let faults = machine.faults();
    Verdict { checks, faults, machine, passed, repeated: Vec::new(), interrupted: false }
}

fn said(verdict: &Verdict) -> String {
    conclude(rules::RULES, verdict)[0].evidence.summary.clone()
}

#[test]
fn each_verdict_is_of_its_kind() {
    let (right, wrong, untried) = (Judgement::pass(""), Judgement::fail("off"), Judgement::not_tried(""));
    let quiet = MachineState::default;
    for (found, kind) in [
        (verdict(std::slice::from_ref(&right), quiet()), HARNESS_RIGHT),
        (verdict(&[right.clone(), wrong.clone()], quiet()), HARNESS_WRONG),
        (verdict(&[right, Judgement::too_noisy("")], disturbed()), SELFTEST_TOO_NOISY),
        (verdict(std::slice::from_ref(&untried), quiet()), NOTHING_TRIED),
        (Verdict { interrupted: true, ..verdict(&[untried], quiet()) }, SELFTEST_STOPPED),
    ] {
        let findings = conclude(rules::RULES, &found);
        assert!(findings.len() == 1 && findings[0].is(kind), "{kind:?}: {findings:?}");
    }
}

fn disturbed() -> MachineState {
    MachineState { visits: 100, visits_quiet: 10, visits_shared: 90, elapsed_ms: 1_000.0, ..MachineState::default() }
}

#[test]
fn one_wrong_claim_is_one_too_many() {
    let found = verdict(&[Judgement::pass(""), Judgement::fail("off")], MachineState::default());
    assert!(!found.passed && said(&found).contains("1 of 2 claims are wrong"));
}

#[test]
fn a_disturbed_machine_is_named_and_does_not_pass() {
    let found = verdict(&[Judgement::pass(""), Judgement::too_noisy("wide")], disturbed());
    let words = said(&found);
    assert!(!found.passed && words.contains("too noisy") && words.contains("neighbour"), "{words}");
}

#[test]
fn a_wrong_claim_is_wrong_on_a_disturbed_machine_too() {
    let found = verdict(&[Judgement::pass(""), Judgement::fail("off")], disturbed());
    assert!(!found.passed && said(&found).contains("1 of 2 claims are wrong"), "{}", said(&found));
}

#[test]
fn a_second_attempt_decides_what_was_vague_and_replaces_no_answer() {
    let check = |attempt: u32, judgement: Judgement| Check { attempt, ..Check::of("x", "1", "1", judgement) };
    let of = |first: Judgement, second: Judgement| outcomes(&[check(1, first), check(2, second)]);
    let (vague, wrong) = (|| Judgement::too_noisy("wide"), || Judgement::fail("off"));
    assert_eq!(of(vague(), Judgement::pass("")), [Outcome::Pass]);
    assert_eq!(of(vague(), vague()), [Outcome::TooNoisy]);
    assert_eq!(of(vague(), wrong()), [Outcome::Fail]);
    assert_eq!(of(wrong(), Judgement::pass("")), [Outcome::Fail], "the first answer stays");
    let record = crate::experiment::synthetic::record();
    let parts = parts(2);
    let found = judge(&parts, std::slice::from_ref(&record), &[(0, record.clone())]);
    let once = judge(&parts, &[record], &[]);
    assert_eq!(found.checks.len(), 2 * once.checks.len());
    assert_eq!(found.repeated, [parts[0].study.name()]);
}

#[test]
fn a_disturbed_machine_that_was_measured_right_passes() {
    assert!(verdict(&[Judgement::pass("")], disturbed()).passed);
}

#[test]
fn what_could_not_be_tried_is_no_fault() {
    let found = verdict(&[Judgement::pass(""), Judgement::not_tried("")], MachineState::default());
    assert!(found.passed && said(&found).contains("all 1 claims"));
}

#[test]
fn nothing_measured_is_nothing_passed() {
    assert!(!judge(&parts(2), &[], &[]).passed);
}

#[test]
fn a_run_that_was_stopped_gets_no_second_try() {
    assert!(unclear(&parts(2), &[]).is_empty());
}

#[test]
fn claims_that_were_not_tried_are_no_ground_for_trust() {
    let none = verdict(&[Judgement::not_tried(""), Judgement::not_tried("")], MachineState::default());
    assert!(!none.passed && said(&none).contains("none of 2 claims could be tested"));
    let some = verdict(&[Judgement::pass(""), Judgement::not_tried("")], MachineState::default());
    assert!(said(&some).contains("1 could not be tested here"));
}

#[test]
fn what_was_stopped_before_it_was_measured_is_no_wrong_claim() {
    let mut stopped = crate::experiment::synthetic::record();
    stopped.interrupted = true;
    let parts = parts(2);
    let found = judge(&parts, &[stopped.clone()], &[]);
    assert!(!found.checks.is_empty() && found.checks.iter().all(|check| check.outcome == Outcome::NotTried));
    let words = said(&found);
    assert!(!found.passed && words.contains("interrupted after") && !words.contains("wrong"), "{words}");
    stopped.interrupted = false;
    let whole = judge(&parts, &[stopped], &[]);
    assert!(whole.checks.iter().any(|check| check.outcome == Outcome::Fail), "a run to the end has no excuse");
}

#[test]
fn a_saved_self_test_reads_back_as_it_was() {
    let found =
        verdict(&[Judgement::pass("off +0.1 %"), Judgement::fail("off"), Judgement::not_tried("no")], disturbed());
    let studies = vec![crate::experiment::synthetic::record()];
    let record = command::document(found, studies, &chronoscope_harness::Start::of_this_process());
    let read = crate::json::document(&crate::json::json(&record).unwrap()).unwrap();
    assert_eq!(read, record);
}

#[test]
fn the_verdict_fits_any_terminal() {
    let mut found = verdict(&[Judgement::pass("the interval holds it"), Judgement::fail("off")], disturbed());
    for check in &mut found.checks {
        check.name = "a chain of 4096 dependent additions, in pairs".to_owned();
        (check.claim, check.truth) = ("4.100 µs ± 0.010".to_owned(), "4.090 µs (4.090–4.100)".to_owned());
    }
    let record = command::document(found.clone(), Vec::new(), &chronoscope_harness::Start::of_this_process());
    let selftest = Selftest { verdict: found, studies: Vec::new() };
    assert_fits(|width| show::terminal(&record, &selftest, width));
}

#[test]
fn a_second_attempt_has_a_row_and_a_reason_of_its_own() {
    let mut found = verdict(&[Judgement::too_noisy("±4 %"), Judgement::fail("off by 7 %")], disturbed());
    found.checks[1].name = found.checks[0].name.clone();
    found.checks[1].attempt = 2;
    found.repeated = vec!["chains".to_owned()];
    let record = command::document(found.clone(), Vec::new(), &chronoscope_harness::Start::of_this_process());
    let page = show::terminal(
        &record,
        &Selftest { verdict: found, studies: Vec::new() },
        chronoscope_render::Width::of_columns(118),
    );
    let page = anstream::adapter::strip_str(&page).to_string();
    let (table, _) = page.split_once("~ x 0: ").expect("the reasons");
    assert!(table.contains("x 0, again"), "its row: {page}");
    for words in ["~ x 0: ±4 %", "✘ x 0, again: off by 7 %", "could not be judged the first time: chains"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
