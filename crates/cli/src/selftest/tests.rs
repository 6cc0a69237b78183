use super::check::Judgement;
use super::*;

fn verdict(outcomes: &[Judgement], machine: MachineState) -> Verdict {
    let mut checks: Vec<Check> = outcomes.iter().map(|outcome| Check::of("x", "1", "1", outcome.clone())).collect();
    excuse(&mut checks, &machine);
    let passed = checks.iter().all(|check| matches!(check.outcome, Outcome::Pass | Outcome::NotTried));
    Verdict { checks, faults: machine.faults(), machine, passed, repeated: Vec::new(), interrupted: false }
}

fn disturbed() -> MachineState {
    MachineState { visits: 100, visits_quiet: 10, visits_shared: 90, elapsed_ms: 1_000.0, ..MachineState::default() }
}

#[test]
fn one_wrong_claim_is_one_too_many() {
    let found = verdict(&[Judgement::pass(""), Judgement::fail("off")], MachineState::default());
    assert!(!found.passed && show::conclusion(&found).2.contains("1 of 2 claims are wrong"));
}

#[test]
fn a_disturbed_machine_is_named_and_does_not_pass() {
    let found = verdict(&[Judgement::pass(""), Judgement::fail("off")], disturbed());
    let words = show::conclusion(&found).2;
    assert!(!found.passed && words.contains("too noisy") && words.contains("neighbour"), "{words}");
}

#[test]
fn a_disturbed_machine_that_was_measured_right_passes() {
    assert!(verdict(&[Judgement::pass("")], disturbed()).passed);
}

#[test]
fn what_could_not_be_tried_is_no_fault() {
    let found = verdict(&[Judgement::pass(""), Judgement::not_tried("")], MachineState::default());
    assert!(found.passed && show::conclusion(&found).2.contains("all 1 claims"));
}

#[test]
fn nothing_measured_is_nothing_passed() {
    assert!(!judge(&parts(2), &[]).passed);
}

#[test]
fn a_run_that_was_stopped_gets_no_second_try() {
    assert!(unclear(&parts(2), &[]).is_empty());
}
