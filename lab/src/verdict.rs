//! What a run amounts to: every expectation of its scenario, with what was seen.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::check::Check;
use crate::event::{Done, Event};
use crate::expectation::{Expectation, exit_shown};
use crate::reader::Read;
use crate::run::Run;
use crate::scenario::{Action, Scenario, Step};

#[derive(Clone, Debug, Default, Serialize)]
pub struct Judged {
    pub step: String,
    #[serde(rename = "expectation")]
    pub says: String,
    pub seen: String,
    pub fault: Option<String>,
    /// What is wrong; empty if nothing is.
    pub faults: Vec<String>,
    /// The finding by which the fault was detected.
    pub finding: Option<String>,
    /// Whether the fault was not detected, and did not have to be.
    pub missed: bool,
    /// What a peer said, which is nothing that we are judged by.
    pub answers: Vec<Answer>,
    pub details: Vec<Value>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    pub scenario: String,
    pub about: String,
    pub seconds: f64,
    pub kernel: String,
    pub skipped: Option<String>,
    /// Whether somebody ended it before it was done: then nothing of it is judged.
    pub interrupted: bool,
    pub rows: Vec<Judged>,
    pub faults: Vec<String>,
}

impl Verdict {
    /// For a scenario that could not be run here.
    pub fn skipped(scenario: &Scenario, why: String) -> Self {
        let (scenario, about) = (scenario.name.clone(), scenario.about.clone());
        Self { scenario, about, skipped: Some(why), ..Self::default() }
    }

    pub fn of(scenario: &Scenario, run: &Run) -> Self {
        let kernel = run.events.iter().find_map(|event| match event {
            Event::Begin { kernel } => Some(kernel.clone()),
            _ => None,
        });
        let steps = scenario.steps.iter().enumerate().filter(|_| !run.interrupted);
        let rows = steps.flat_map(|(index, step)| judge_step(scenario, index, step, run));
        let unasked = unasked(scenario, run).filter(|_| !run.interrupted);
        Self {
            scenario: scenario.name.clone(),
            about: scenario.about.clone(),
            seconds: run.took.as_secs_f64(),
            kernel: kernel.unwrap_or_default(),
            skipped: None,
            interrupted: run.interrupted,
            rows: rows.collect(),
            faults: run.faults.iter().cloned().chain(unasked).collect(),
        }
    }

    pub fn was_run(&self) -> bool {
        self.skipped.is_none() && !self.interrupted
    }

    pub fn passed(&self) -> bool {
        self.was_run() && self.faults.is_empty() && self.rows.iter().all(|row| row.faults.is_empty())
    }

    pub fn failed(&self) -> bool {
        self.was_run() && !self.passed()
    }
}

fn judge_step(scenario: &Scenario, index: usize, step: &Step, run: &Run) -> Vec<Judged> {
    let done = run.events.iter().find_map(|event| match event {
        Event::Done(done) if done.step == index => Some(&**done),
        _ => None,
    });
    let Some(done) = done else {
        return missing(scenario, step);
    };
    let printed = run.events.iter().filter_map(|event| match event {
        Event::Row { step, row } if *step == index => Some(row),
        _ => None,
    });
    let (printed, mut rows): (Vec<&Value>, _) = (printed.collect(), Vec::new());
    match step.action() {
        Ok(Action::Check(check)) => {
            let reads_counter = step.reads_counter.unwrap_or(scenario.reads_counter);
            rows.extend(check.rows().iter().map(|row| judge_readings(step, check, row, &printed, reads_counter)));
        }
        Ok(Action::Switch(_)) => rows.push(judge_end(step, "the kernel keeps time by it", done, run)),
        Ok(Action::Peers(_)) => {
            rows.extend(scenario.peers_of(step).iter().map(|command| judge_peer(step, command, &printed)));
        }
        _ => {}
    }
    if let Some(wanted) = &step.ends_on {
        rows.push(judge_end(step, &format!("ends on {wanted}"), done, run));
    } else if step.switch.is_none() {
        let end = judge_end(step, "the clocksource stays", done, run);
        rows.extend(Some(end).filter(|end| !end.faults.is_empty()));
    }
    let is_told = scenario.expected_of(step).any(|expectation| expectation.exit.is_some());
    if !is_told && matches!(step.action(), Ok(Action::Tool(_) | Action::Run(_))) {
        rows.push(judge_program(step, done));
    }
    if done.errors.contains("panicked") {
        rows.push(judged(step, "no panic", &done.errors, vec![done.errors.clone()]));
    }
    rows.extend(scenario.expected_of(step).map(|expectation| judge_expectation(step, expectation, done)));
    if let Some(why) = &done.failed {
        rows.push(judged(step, "it can be done", why, vec![why.clone()]));
    }
    rows
}

/// A peer may say what it likes, but must have been asked as often as it should.
fn judge_peer(step: &Step, command: &str, printed: &[&Value]) -> Judged {
    let answers = printed.iter().filter_map(|row| Answer::deserialize(*row).ok());
    let answers: Vec<Answer> = answers.filter(|answer| answer.command == command).collect();
    let (asked, wanted) = (answers.len(), step.rounds());
    let faults = (asked != wanted).then(|| format!("it was asked {asked} times, not {wanted}"));
    let seen: Vec<String> =
        answers.iter().map(|answer| format!("{}: {}", answer.outcome.words(), answer.line)).collect();
    Judged { answers, ..judged(step, command, &seen.join("; "), faults.into_iter().collect()) }
}

/// A step that was never done fails, and so does all that was expected of it.
fn missing(scenario: &Scenario, step: &Step) -> Vec<Judged> {
    let row = |says: &str| judged(step, says, "nothing", vec!["missing".to_owned()]);
    let expected = scenario.expected_of(step);
    let expected = expected.map(|expectation| Judged { fault: expectation.fault.clone(), ..row(&expectation.says) });
    std::iter::once(row("it is done")).chain(expected).collect()
}

/// What the monitor was to do and did not, because the request was lost on the way.
fn unasked(scenario: &Scenario, run: &Run) -> Option<String> {
    let asked = scenario.steps.iter().filter_map(|step| step.meanwhile.as_deref());
    let asked: usize = asked.map(|command| command.matches("guest ask").count()).sum();
    let heard = run.events.iter().filter(|event| matches!(event, Event::Ask(_))).count();
    (heard != asked).then(|| format!("the monitor did {heard} of {asked} things that it was asked to do"))
}

/// By which clocksource the kernel must keep time at the end: that before, if nothing is said of it.
fn judge_end(step: &Step, says: &str, done: &Done, run: &Run) -> Judged {
    let before = run.events.iter().find_map(|event| match event {
        Event::Step { step, clocksource } if *step == done.step => Some(clocksource.as_str()),
        _ => None,
    });
    let wanted = step.ends_on.as_deref().or(step.switch.as_deref()).or(before).unwrap_or_default();
    let wrong = (done.clocksource != wanted).then(|| format!("the kernel keeps time by {}", done.clocksource));
    judged(step, says, &done.clocksource, wrong.into_iter().collect())
}

/// A program ends well, and the tool leaves a document.
fn judge_program(step: &Step, done: &Done) -> Judged {
    let mut faults = Vec::new();
    if done.exit != Some(0) {
        let said = done.errors.trim().lines().last().unwrap_or_default();
        faults.push(format!("{}: {said}", exit_shown(done.exit)));
    }
    let is_tool = step.tool.is_some();
    if is_tool && !done.document.is_object() {
        faults.push("it left no document".to_owned());
    }
    let says = if is_tool { "exit code 0 and a document" } else { "exit code 0" };
    judged(step, says, &exit_shown(done.exit), faults)
}

fn judge_expectation(step: &Step, expectation: &Expectation, done: &Done) -> Judged {
    let (holds, seen) = expectation.judge(done);
    let missed = !holds && expectation.may_miss;
    let faults = if holds || missed { Vec::new() } else { vec![format!("seen: {seen}")] };
    let finding = expectation.finding.clone().filter(|_| holds);
    Judged { fault: expectation.fault.clone(), finding, missed, ..judged(step, &expectation.says, &seen, faults) }
}

fn judged(step: &Step, says: &str, seen: &str, faults: Vec<String>) -> Judged {
    Judged { step: step.title(), says: says.to_owned(), seen: seen.to_owned(), faults, ..Judged::default() }
}

fn judge_readings(step: &Step, check: Check, name: &str, printed: &[&Value], reads_counter: bool) -> Judged {
    let (mut faults, mut details) = (Vec::new(), Vec::new());
    for read in Read::ALL.map(Read::name) {
        let Some(row) = printed.iter().find(|row| row["row"] == name && row["read"] == read) else {
            faults.push(format!("{read}: missing"));
            continue;
        };
        faults.extend(check.faults(name, row, reads_counter).iter().map(|fault| format!("{read}: {fault}")));
        details.push((*row).clone());
    }
    let sum = |field: &str| details.iter().filter_map(|row| row[field].as_u64()).sum::<u64>();
    let [readings, outside, backward] = ["readings", "outside", "backward"].map(sum);
    let mut sources: Vec<&str> = details.iter().filter_map(|row| row["source"].as_str()).collect();
    sources.dedup();
    let states = details.iter().find_map(|row| row["states"].as_str());
    let states = states.map_or_else(String::new, |states| format!("; trust {states}"));
    let seen = format!("{readings} readings, {outside} outside, {backward} backward; {}{states}", sources.join("/"));
    let of_it = if check.name() == name { String::new() } else { format!("{name}: ") };
    let says = format!("{of_it}every reading between two of the system's clock");
    Judged { details, ..judged(step, &says, &seen, faults) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Verdict;
    use crate::answer::{Answer, Outcome};
    use crate::event::{Done, Event};
    use crate::run::Run;
    use crate::scenario::Scenario;
    use crate::stop::Cause;
    use crate::tally::Tally;

    const SCENARIO: &str = "about = 'x'\nreads_counter = true\n[[step]]\ncheck = 'readings'\n[[step]]\ntool = 'clocks'\n\
        [[expect]]\nof = 'clocks'\nsays = 'it is slow'\nfinding = 'slow'\nfault = 'a slow clock'";

    fn row(read: &str) -> Value {
        let mut row = json!(Tally { readings: 10, intervals: 9, narrow: 9, ..Tally::default() });
        row["row"] = json!("readings");
        row["read"] = json!(read);
        row["wanted"] = json!(10);
        row["source"] = json!("KernelData");
        row["reads_counter"] = json!(true);
        for share in ["share_of_wanted", "intervals_per_wanted", "narrow_share"] {
            row[share] = json!(1.0);
        }
        row
    }

    fn done(step: usize) -> Done {
        let document = json!({ "findings": [{ "id": "slow", "evidence": { "summary": "1 µs a read" } }] });
        Done { step, clocksource: "tsc".to_owned(), exit: Some(0), document, ..Done::default() }
    }

    fn step(step: usize) -> Event {
        Event::Step { step, clocksource: "tsc".to_owned() }
    }

    fn events() -> Vec<Event> {
        let begin = Event::Begin { kernel: "6.1".to_owned() };
        let [first, second] = ["ordered", "unordered"].map(|read| Event::Row { step: 0, row: row(read) });
        let [end, last] = [done(0), done(1)].map(|done| Event::Done(Box::new(done)));
        vec![begin, step(0), first, second, end, step(1), last, Event::End]
    }

    fn faults(events: Vec<Event>) -> Vec<String> {
        let scenario = Scenario::parse("tsc", SCENARIO).unwrap();
        let verdict = Verdict::of(&scenario, &Run { events, ..Run::default() });
        let faults: Vec<String> = verdict.rows.iter().flat_map(|row| row.faults.clone()).collect();
        assert_eq!(verdict.passed(), faults.is_empty());
        assert_eq!(verdict.failed(), !faults.is_empty());
        faults
    }

    fn faults_with_row(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut events = events();
        if let Event::Row { row, .. } = &mut events[2] {
            change(row);
        }
        faults(events)
    }

    fn faults_with_done(change: impl FnOnce(&mut Done)) -> Vec<String> {
        let mut events = events();
        if let Event::Done(done) = &mut events[6] {
            change(done);
        }
        faults(events)
    }

    #[test]
    fn a_clean_run_passes_and_tells_what_was_seen() {
        assert_eq!(faults(events()), Vec::<String>::new());
        let scenario = Scenario::parse("tsc", SCENARIO).unwrap();
        let verdict = Verdict::of(&scenario, &Run { events: events(), ..Run::default() });
        let seen: Vec<&str> = verdict.rows.iter().map(|row| row.seen.as_str()).collect();
        assert_eq!(seen, ["20 readings, 0 outside, 0 backward; KernelData", "exit code 0", "slow: 1 µs a read"]);
        assert_eq!(verdict.rows[2].fault.as_deref(), Some("a slow clock"));
    }

    #[test]
    fn every_bad_number_is_a_fault() {
        for (name, value) in [
            ("outside", json!(1)),
            ("backward", json!(1)),
            ("intervals_off", json!(1)),
            ("system_backward", json!(1)),
            ("worst_lag_ns", json!(50_001)),
            ("share_of_wanted", json!(0.9)),
            ("intervals_per_wanted", json!(0.4)),
            ("narrow_share", json!(0.0)),
            ("narrow_share", Value::Null),
            ("reads_counter", json!(false)),
            ("reads_counter", Value::Null),
            ("outside", json!("none")),
        ] {
            let found = faults_with_row(|row| row[name] = value.clone());
            assert_eq!(found.len(), 1, "{name}={value}: {found:?}");
        }
    }

    #[test]
    fn what_is_missing_is_a_fault() {
        for (missing, rows) in [(2, 1), (4, 1), (6, 2)] {
            let mut left = events();
            left.remove(missing);
            assert_eq!(faults(left).len(), rows, "without {missing}");
        }
        assert_eq!(faults(Vec::new()).len(), 3);
    }

    #[test]
    fn a_step_that_ends_badly_is_a_fault() {
        assert_eq!(faults_with_done(|done| done.exit = Some(1)).len(), 1);
        assert_eq!(faults_with_done(|done| done.clocksource = "hpet".to_owned()).len(), 1);
        assert_eq!(faults_with_done(|done| done.errors = "panicked".to_owned()).len(), 1);
        assert_eq!(faults_with_done(|done| done.failed = Some("killed".to_owned())).len(), 1);
        assert_eq!(faults_with_done(|done| done.document = json!({ "findings": [] })).len(), 1);
        assert!(!faults_with_done(|done| done.document = Value::Null).is_empty());
    }

    #[test]
    fn a_request_that_the_monitor_never_heard_is_a_fault() {
        let text = "about = 'x'\n[[step]]\ncheck = 'disturbed'\nmeanwhile = \"guest ask 'stop; cont'\"";
        let scenario = Scenario::parse("stopped", text).unwrap();
        let faults = |events| Verdict::of(&scenario, &Run { events, ..Run::default() }).faults;
        assert_eq!(faults(vec![Event::Ask("stop; cont".to_owned())]), Vec::<String>::new());
        assert_eq!(faults(Vec::new()).len(), 1);
    }

    fn asked(answers: &[Outcome]) -> Verdict {
        let text = "about = 'x'\n[[step]]\npeers = 'slow'\nby = ['fio --cpuclock-test']\nrounds = 2";
        let scenario = Scenario::parse("peers", text).unwrap();
        let rows = answers.iter().map(|&outcome| {
            let (fault, command) = ("slow".to_owned(), "fio --cpuclock-test".to_owned());
            let answer = Answer { fault, command, outcome, line: "so".to_owned() };
            Event::Row { step: 0, row: serde_json::to_value(answer).unwrap() }
        });
        let done = Event::Done(Box::new(Done { clocksource: "tsc".to_owned(), ..Done::default() }));
        let events = [step(0)].into_iter().chain(rows).chain([done]).collect();
        Verdict::of(&scenario, &Run { events, ..Run::default() })
    }

    #[test]
    fn what_a_peer_says_is_not_judged_but_that_it_was_asked_is() {
        for said in [Outcome::Detected, Outcome::NothingSeen, Outcome::CouldNotRun] {
            assert!(asked(&[said, Outcome::NothingSeen]).passed(), "{said:?}");
        }
        let once = asked(&[Outcome::Detected]);
        assert!(once.failed());
        assert_eq!(once.rows[0].faults.len(), 1);
        assert!(asked(&[Outcome::Detected; 3]).failed());
    }

    #[test]
    fn a_fault_that_may_be_missed_fails_nothing_and_is_not_detected() {
        let scenario = Scenario::parse("tsc", &format!("{SCENARIO}\nmay_miss = true")).unwrap();
        let mut events = events();
        if let Event::Done(done) = &mut events[6] {
            done.document = json!({ "findings": [] });
        }
        let verdict = Verdict::of(&scenario, &Run { events, ..Run::default() });
        assert!(verdict.passed() && verdict.rows[2].missed && verdict.rows[2].finding.is_none());
    }

    #[test]
    fn an_interrupted_scenario_has_neither_passed_nor_failed() {
        let run = Run { events: events()[..3].to_vec(), interrupted: true, ..Run::default() };
        let verdict = Verdict::of(&Scenario::parse("tsc", SCENARIO).unwrap(), &run);
        assert!(!verdict.passed() && !verdict.failed() && verdict.skipped.is_none());
        assert!(verdict.rows.is_empty() && verdict.faults.is_empty());
        assert!(verdict.interrupted);
    }

    #[test]
    fn a_scenario_for_which_no_time_was_left_has_failed_and_says_so() {
        let verdict = Verdict::of(&Scenario::parse("tsc", SCENARIO).unwrap(), &Run::not_begun(Cause::OutOfTime));
        assert!(verdict.failed());
        assert_eq!(verdict.faults, ["out of time"]);
    }
}
