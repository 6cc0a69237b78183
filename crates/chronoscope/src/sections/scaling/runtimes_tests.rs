//! Conclusions from what made-up probes of runtimes say.

use chronoscope_harness::record::study::StudyRecord;
use chronoscope_harness::{ExternalStudy, Start};

use super::clock::NOTHING;
use super::report::Scales;
use super::{conclude, merge, rules};
use crate::command::study_run;
use crate::probe::Answer;
use crate::probe::probe_process::ProbeProcess;
use crate::runtime_study::{Operations, study};

const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"R","version":"1","executable":"","timer":"now","timer_hz":10000000,"parallel":true,"notes":[]}"#;
const CLOCK: &str = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":10000000,"declared_hz":null,"declared_resolution_ns":1,"high_resolution":null}"#;

/// A process whose operations take this many ticks: three rounds of ten batches of 1 000 operations.
fn process(at: u32, ticks: impl Fn(&str, u64, u32) -> u64) -> ProbeProcess {
    let mut lines = vec![IDENTITY.to_owned(), CLOCK.to_owned()];
    for round in 0..3 {
        for (clock, tokens) in [NOTHING, "now"].into_iter().flat_map(|clock| [0, 16, 256, 4096].map(|of| (clock, of))) {
            for threads in [1, 2] {
                // Processes differ by a percent.
                let took = ticks(clock, tokens, threads) * 1_000 * u64::from(100 + at) / 100;
                let batch = |thread: u32, at: u64| format!("[{thread},{},{}]", 7 + at * took, 7 + (at + 1) * took);
                let batches: Vec<String> =
                    (0..threads).flat_map(|thread| (0..10).map(move |at| batch(thread, at))).collect();
                lines.push(format!(
                    r#"{{"type":"sweep","clock":"{clock}","tokens":{tokens},"threads":{threads},"round":{round},"operations":1000,"batches":[{}]}}"#,
                    batches.join(",")
                ));
            }
        }
    }
    ProbeProcess { round: at, answer: Answer::of(&lines.join("\n")).unwrap() }
}

/// A token takes a tick, a read three; with less than 100 tokens between them, a second thread costs ten more.
fn contended(clock: &str, tokens: u64, threads: u32) -> u64 {
    let read = if clock == NOTHING { 0 } else { 3 };
    1 + tokens + read + if read > 0 && threads > 1 && tokens < 100 { 10 + tokens } else { 0 }
}

fn of_java(processes: &[ProbeProcess], elapsed_ms: &[u64]) -> Option<ExternalStudy> {
    study(("scaling", "java"), &Operations::Clocks(Vec::new()), processes, elapsed_ms, &[0, 1])
}

fn recorded(processes: &[ProbeProcess]) -> StudyRecord {
    let elapsed = vec![5; processes.len()];
    let study = of_java(processes, &elapsed).unwrap();
    study.record(&Start::of_this_process(), study_run::tool())
}

#[test]
fn planted_contention_is_bracketed() {
    let processes: Vec<ProbeProcess> = (0..8).map(|at| process(at, contended)).collect();
    let text = include_str!("../../../tests/fixtures/study.json");
    let native: StudyRecord = chronoscope_render::study::parse(text).unwrap();
    let both = merge::merged(vec![native, recorded(&processes)]).unwrap();
    let found = conclude(&both).into_iter().find(|one| one.clock == "java now").unwrap();
    let Some((raised, flat)) = found.front.raised.zip(found.front.flat) else { panic!("{:?}", found.front) };
    assert_eq!((raised.tokens, flat.tokens), (16, 256));
    // A tick is 100 ns.
    assert!((flat.ns / 25_700.0 - 1.0).abs() < 0.1 && (raised.ns / 1_700.0 - 1.0).abs() < 0.1, "{:?}", found.front);
    assert!(found.confidence().is_some_and(|sure| (0.95..0.99).contains(&sure)), "eight processes, some combinations");
    let added = both.comparison("java now", "java nothing", 2).unwrap();
    assert!((added.points[0].difference_ns.estimate / 1_300.0 - 1.0).abs() < 0.1, "{added:?}");
    let findings = chronoscope_harness::rule::conclude(rules::RULES, &conclude(&both));
    let of_java = findings.iter().find(|finding| finding.subject.as_deref() == Some("java now")).unwrap();
    assert!(of_java.is(rules::FRONT_BETWEEN), "{of_java:?}");
}

#[test]
fn the_work_of_a_runtime_is_its_own() {
    // Its own loop slows down on two threads, and its clock does not.
    let slow_work = |clock: &str, tokens: u64, threads: u32| {
        (1 + tokens) * u64::from(threads) + if clock == NOTHING { 0 } else { 3 }
    };
    let processes: Vec<ProbeProcess> = (0..8).map(|at| process(at, slow_work)).collect();
    let found = conclude(&recorded(&processes)).remove(0);
    assert!(found.front.scales == Scales::Everywhere, "{:?}", found.front);
}

#[test]
fn few_processes_decide_nothing_and_none_are_no_study() {
    let processes: Vec<ProbeProcess> = (0..5).map(|at| process(at, contended)).collect();
    let found = conclude(&recorded(&processes)).remove(0);
    assert!(found.front.scales == Scales::Unresolved && found.front.raised.is_none(), "{:?}", found.front);
    assert_eq!(of_java(&[], &[]), None);
}
