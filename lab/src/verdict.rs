//! What a run amounts to: every expectation of its scenario, with what was seen.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::check::Check;
use crate::event::{Done, Event};
use crate::expectation::{Expectation, Test, Trace, exit_shown};
use crate::reader::Read;
use crate::run::Run;
use crate::scenario::{Action, Scenario, Step};
use crate::tally::Tally;

/// The most that an interval may lack of the system's own where both brackets are narrow.
const LAG_LIMIT_NS: i64 = 50_000;
/// Of the intervals of a row that reads the counter, at least one in so many must be between narrow brackets: without such
/// intervals, nothing is known of what they lack.
const NARROW_SHARE: u64 = 10;
/// What `RateSource` says where no counter is read.
const NO_COUNTER: &str = "SystemClock";

/// One expectation, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The step's title.
    pub step: String,
    /// What was expected.
    pub says: String,
    /// What was seen.
    pub seen: String,
    /// The fault whose detection this shows.
    pub fault: Option<String>,
    /// What is wrong; empty if nothing is.
    pub faults: Vec<String>,
    /// The finding by which the fault was detected.
    pub finding: Option<String>,
    /// Whether the fault was not detected, and did not have to be.
    pub missed: bool,
    /// What a peer said, which is nothing that we are judged by.
    pub answers: Vec<Answer>,
    /// All that the guest told of it.
    pub details: Value,
}

/// One scenario, judged.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub scenario: String,
    pub about: String,
    pub seconds: f64,
    pub kernel: String,
    /// Why it could not be run here.
    pub skipped: Option<String>,
    /// Whether somebody ended it before it was done: then nothing of it is judged.
    pub interrupted: bool,
    pub rows: Vec<Judged>,
    /// What is wrong with the run as a whole.
    pub faults: Vec<String>,
}

impl Verdict {
    /// For a scenario that could not be run here.
    pub fn skipped(scenario: &Scenario, why: String) -> Self {
        Self { skipped: Some(why), ..Self::of(scenario, &Run::default()) }
    }

    /// Judges what a run left.
    pub fn of(scenario: &Scenario, run: &Run) -> Self {
        let kernel = run.events.iter().find_map(|event| match event {
            Event::Begin { kernel, .. } => Some(kernel.clone()),
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

    /// Whether it was run to its end, here and now.
    pub fn was_run(&self) -> bool {
        self.skipped.is_none() && !self.interrupted
    }

    /// Whether it was run and there is no fault at all.
    pub fn passed(&self) -> bool {
        self.was_run() && self.faults.is_empty() && self.rows.iter().all(|row| row.faults.is_empty())
    }

    /// Whether it was run and there is a fault.
    pub fn failed(&self) -> bool {
        self.was_run() && !self.passed()
    }

    /// For `results.json`.
    pub fn to_json(&self) -> Value {
        let row = |row: &Judged| {
            json!({
                "step": row.step, "expectation": row.says, "seen": row.seen, "fault": row.fault,
                "passed": row.faults.is_empty(), "missed": row.missed, "finding": row.finding, "faults": row.faults,
                "answers": row.answers, "details": row.details,
            })
        };
        let rows: Vec<Value> = if self.skipped.is_some() { Vec::new() } else { self.rows.iter().map(row).collect() };
        json!({
            "scenario": self.scenario, "about": self.about, "kernel": self.kernel, "seconds": self.seconds,
            "skipped": self.skipped, "interrupted": self.interrupted, "passed": self.passed(), "faults": self.faults, "rows": rows,
        })
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
    let mut rows = vec![];
    match step.action() {
        Ok(Action::Check(check)) => {
            let reads_counter = step.reads_counter.unwrap_or(scenario.reads_counter) && check.leaves_counter();
            rows.extend(
                check.rows().into_iter().map(|row| judge_readings(step, check, index, row, run, reads_counter)),
            );
        }
        Ok(Action::Switch(name)) => {
            let fault = (done.clocksource != name).then(|| format!("the kernel keeps time by {}", done.clocksource));
            rows.push(judged(step, "the kernel keeps time by it", &done.clocksource, fault.into_iter().collect()));
        }
        Ok(Action::Peers(_)) => {
            let asked = scenario.peers_of(step).iter();
            rows.extend(asked.map(|command| judge_peer(step, index, command, run)));
        }
        _ => {}
    }
    rows.extend(judge_end(scenario, index, step, done, run));
    let trace = Trace { exit: done.exit, document: done.document.clone(), output: done.output.clone() };
    let expected = scenario.expected_of(step);
    rows.extend(expected.map(|expectation| judge_expectation(step, expectation, &trace)));
    if let Some(why) = &done.failed {
        rows.push(judged(step, "it can be done", why, vec![why.clone()]));
    }
    rows
}

/// A peer may say what it likes, but must have been asked as often as it should.
fn judge_peer(step: &Step, index: usize, command: &str, run: &Run) -> Judged {
    let answers: Vec<Answer> = run
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Row { step, row } if *step == index => serde_json::from_value(row.clone()).ok(),
            _ => None,
        })
        .filter(|answer: &Answer| answer.command == command)
        .collect();
    let rounds = step.rounds();
    let faults = if answers.len() == rounds {
        Vec::new()
    } else {
        vec![format!("it was asked {} times, not {rounds}", answers.len())]
    };
    let seen: Vec<String> =
        answers.iter().map(|answer| format!("{}: {}", answer.outcome.words(), answer.line)).collect();
    Judged { answers, ..judged(step, command, &seen.join("; "), faults) }
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

/// How a step must end, if nothing else is said of it.
fn judge_end(scenario: &Scenario, index: usize, step: &Step, done: &Done, run: &Run) -> Vec<Judged> {
    let mut rows = Vec::new();
    let before = run.events.iter().find_map(|event| match event {
        Event::Step { step, clocksource } if *step == index => Some(clocksource.as_str()),
        _ => None,
    });
    let wanted = step.ends_on.as_deref().or(step.switch.as_deref()).or(before).unwrap_or_default();
    if done.clocksource != wanted || step.ends_on.is_some() {
        let wrong = (done.clocksource != wanted).then(|| format!("the kernel keeps time by {}", done.clocksource));
        rows.push(judged(step, &format!("ends on {wanted}"), &done.clocksource, wrong.into_iter().collect()));
    }
    let mut expected = scenario.expected_of(step);
    let is_told = expected.any(|expectation| matches!(expectation.test(), Ok(Test::Exit(_))));
    if !is_told && matches!(step.action(), Ok(Action::Tool(_) | Action::Run(_))) {
        rows.push(judge_program(step, done));
    }
    if done.errors.contains("panicked") {
        rows.push(judged(step, "no panic", &done.errors, vec![done.errors.clone()]));
    }
    rows
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

fn judge_expectation(step: &Step, expectation: &Expectation, trace: &Trace) -> Judged {
    let (holds, seen) = expectation.judge(trace);
    let missed = !holds && expectation.may_miss;
    let faults = if holds || missed { Vec::new() } else { vec![format!("seen: {seen}")] };
    let finding = expectation.finding.clone().filter(|_| holds);
    Judged { fault: expectation.fault.clone(), finding, missed, ..judged(step, &expectation.says, &seen, faults) }
}

fn judged(step: &Step, says: &str, seen: &str, faults: Vec<String>) -> Judged {
    let (step, says, seen) = (step.title(), says.to_owned(), seen.to_owned());
    Judged {
        step,
        says,
        seen,
        fault: None,
        finding: None,
        missed: false,
        answers: Vec::new(),
        faults,
        details: Value::Null,
    }
}

/// Both ways to read, in one row.
fn judge_readings(step: &Step, check: Check, index: usize, name: String, run: &Run, reads_counter: bool) -> Judged {
    let mut faults = Vec::new();
    let mut all = Tally::default();
    let mut details = Vec::new();
    let mut sources: Vec<String> = Vec::new();
    let mut states = String::new();
    for read in Read::ALL {
        let printed = run.events.iter().find_map(|event| match event {
            Event::Row { step, row } if *step == index && row["row"] == name && row["read"] == read.name() => Some(row),
            _ => None,
        });
        let Some((printed, tally)) = printed.and_then(|row| Some((row, Tally::deserialize(row).ok()?))) else {
            faults.push(format!("{}: missing", read.name()));
            continue;
        };
        faults.extend(
            faults_of(printed, tally, reads_counter).into_iter().map(|text| format!("{}: {text}", read.name())),
        );
        let source = printed["source"].as_str().unwrap_or_default().to_owned();
        if !sources.contains(&source) {
            sources.push(source);
        }
        if let Some(seen) = printed["states"].as_array() {
            let seen: Vec<&str> = seen.iter().filter_map(Value::as_str).collect();
            states = format!("; trust {}", seen.join(" → "));
        }
        all.merge(tally);
        details.push(printed.clone());
    }
    let says = if check.name() == name {
        "every reading between two of the system's clock".to_owned()
    } else {
        format!("{name}: every reading between two of the system's clock")
    };
    let seen = format!(
        "{} readings, {} outside, {} backward; {}{states}",
        all.readings,
        all.outside,
        all.backward,
        sources.join("/")
    );
    Judged { details: Value::Array(details), ..judged(step, &says, &seen, faults) }
}

/// What is wrong with one row by one way to read.
fn faults_of(printed: &Value, tally: Tally, reads_counter: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |holds: bool, text: String| {
        if !holds {
            faults.push(text);
        }
    };
    fault(tally.outside == 0, format!("{} readings outside, by {} ns at most", tally.outside, tally.worst_ns));
    fault(tally.backward == 0, format!("{} backward steps", tally.backward));
    fault(tally.intervals_off == 0, format!("{} intervals off", tally.intervals_off));
    fault(tally.worst_lag_ns <= LAG_LIMIT_NS, format!("an interval lacks {} ns", tally.worst_lag_ns));
    fault(
        tally.system_backward == 0,
        format!("the system's clock itself stepped back {} times", tally.system_backward),
    );
    let wanted = printed["wanted"].as_u64().unwrap_or(u64::MAX);
    fault(tally.readings >= wanted, format!("{} readings, not the {wanted} wanted", tally.readings));
    let has_intervals = printed["row"].as_str().is_none_or(Check::has_intervals);
    // Where each reading is a system call, or leaves the machine, no bracket is narrow.
    if reads_counter && has_intervals {
        let (narrow, all) = (tally.narrow, tally.intervals);
        fault(all >= wanted / 2, format!("{all} intervals in {wanted} readings"));
        fault(
            narrow > 0 && narrow >= all / NARROW_SHARE,
            format!("of {all} intervals only {narrow} are between narrow brackets"),
        );
    }
    let source = printed["source"].as_str().unwrap_or(NO_COUNTER);
    fault(!reads_counter || !source.split('/').any(|said| said == NO_COUNTER), format!("the library reads {source}"));
    match printed["faults"].as_array() {
        Some(said) => said.iter().for_each(|said| fault(false, said.as_str().unwrap_or("unknown").to_owned())),
        None => fault(false, "the row does not say whether it did its work".to_owned()),
    }
    faults
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
        row["faults"] = json!([]);
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
        let begin = Event::Begin { kernel: "6.1".to_owned(), cpus: 1 };
        let rows = ["ordered", "unordered"].map(|read| Event::Row { step: 0, row: row(read) });
        let [first, second] = rows;
        let ends = [done(0), done(1)].map(|done| Event::Done(Box::new(done)));
        let [end, last] = ends;
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
            ("readings", json!(9)),
            ("narrow", json!(0)),
            ("source", json!("SystemClock")),
            ("source", json!("KernelData/SystemClock")),
            ("source", Value::Null),
            ("faults", json!(["did nothing"])),
            ("faults", Value::Null),
            ("outside", json!("none")),
        ] {
            let found = faults_with_row(|row| row[name] = value.clone());
            assert_eq!(found.len(), 1, "{name} = {value}: {found:?}");
        }
    }

    #[test]
    fn what_is_missing_is_a_fault() {
        for (missing, rows) in [(2, 1), (4, 1), (6, 2)] {
            let mut left = events();
            left.remove(missing);
            assert_eq!(faults(left).len(), rows, "without {missing}");
        }
        assert_eq!(faults(Vec::new()).len(), 3, "both steps, and what was expected of the second");
    }

    #[test]
    fn a_step_that_ends_badly_is_a_fault() {
        assert_eq!(faults_with_done(|done| done.exit = Some(1)).len(), 1);
        assert_eq!(faults_with_done(|done| done.clocksource = "hpet".to_owned()).len(), 1);
        assert_eq!(faults_with_done(|done| done.errors = "thread 'main' panicked at".to_owned()).len(), 1);
        assert_eq!(faults_with_done(|done| done.failed = Some("ended by a signal".to_owned())).len(), 1);
        assert_eq!(faults_with_done(|done| done.document = json!({ "findings": [] })).len(), 1);
    }

    #[test]
    fn a_request_that_the_monitor_never_heard_is_a_fault() {
        let text = "about = 'x'\n[[step]]\ncheck = 'disturbed'\nmeanwhile = \"guest ask 'stop; cont'\"";
        let scenario = Scenario::parse("stopped", text).unwrap();
        let faults = |events| Verdict::of(&scenario, &Run { events, ..Run::default() }).faults;
        assert_eq!(faults(vec![Event::Ask("stop; cont".to_owned())]), Vec::<String>::new());
        assert!(faults(Vec::new())[0].contains("0 of 1"));
    }

    fn asked(answers: &[Outcome]) -> Verdict {
        let text = "about = 'x'\n[[step]]\npeers = 'slow'\nby = ['fio --cpuclock-test']\nrounds = 2";
        let scenario = Scenario::parse("peers", text).unwrap();
        let rows = answers.iter().enumerate().map(|(round, &outcome)| {
            let (fault, command) = ("slow".to_owned(), "fio --cpuclock-test".to_owned());
            let answer = Answer { fault, command, outcome, round, line: "so".to_owned(), seconds: 1.0 };
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
        assert_eq!(once.rows[0].faults, ["it was asked 1 times, not 2"]);
        assert!(asked(&[Outcome::Detected; 3]).failed());
    }

    #[test]
    fn a_fault_that_may_be_missed_fails_nothing_and_is_not_detected() {
        let missed = |may_miss: &str| {
            let scenario = Scenario::parse("tsc", &format!("{SCENARIO}\n{may_miss}")).unwrap();
            let mut events = events();
            if let Event::Done(done) = &mut events[6] {
                done.document = json!({ "findings": [] });
            }
            Verdict::of(&scenario, &Run { events, ..Run::default() })
        };
        assert!(missed("").failed());
        let verdict = missed("may_miss = true");
        assert!(verdict.passed() && verdict.rows[2].missed && verdict.rows[2].finding.is_none());
    }

    #[test]
    fn a_tool_that_leaves_no_document_fails() {
        let faults = faults_with_done(|done| done.document = Value::Null);
        assert!(faults.iter().any(|fault| fault.contains("no document")), "{faults:?}");
    }

    #[test]
    fn a_skipped_scenario_has_neither_passed_nor_failed() {
        let verdict = Verdict::skipped(&Scenario::parse("tsc", SCENARIO).unwrap(), "no QEMU".to_owned());
        assert!(!verdict.passed() && !verdict.failed());
        assert_eq!(verdict.to_json()["skipped"], "no QEMU");
    }

    #[test]
    fn an_interrupted_scenario_has_neither_passed_nor_failed() {
        let run = Run { events: events()[..3].to_vec(), interrupted: true, ..Run::default() };
        let verdict = Verdict::of(&Scenario::parse("tsc", SCENARIO).unwrap(), &run);
        assert!(!verdict.passed() && !verdict.failed() && verdict.skipped.is_none());
        assert!(verdict.rows.is_empty() && verdict.faults.is_empty());
        assert_eq!(verdict.to_json()["interrupted"], true);
    }

    #[test]
    fn a_scenario_for_which_no_time_was_left_has_failed_and_says_so() {
        let verdict = Verdict::of(&Scenario::parse("tsc", SCENARIO).unwrap(), &Run::not_begun(Cause::OutOfTime));
        assert!(verdict.failed());
        assert_eq!(verdict.faults, ["out of time"]);
    }
}
