//! Runs every probe with every task in its own runtime and compares it with its transcript.
//!
//! Numbers and versions differ from run to run, so transcripts contain only shapes. `UPDATE_GOLDEN=1` rewrites them. A
//! runtime absent from the machine is skipped with a note.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use chronoscope_examples::RuntimeOperations;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::find::{Surroundings, places};
use super::protocol::{ProbeRequest, Sweep, Task};
use super::recipe::{Launch, WORKING_DIRECTORY, prepare};
use super::runtime::TimeKind;
use chronoscope_probes::RuntimeKind;

fn tasks(kind: RuntimeKind) -> Vec<Task> {
    let experiment = |of: &RuntimeOperations| Task::Experiment {
        experiment: of.experiment,
        tokens: of.tokens[..2.min(of.tokens.len())].to_vec(),
        threads_list: vec![1, 3],
        batch_ns: 20_000,
        iteration_ns: 100_000,
        warm_ms: 5,
        budget_ms: 30,
    };
    let all = [
        Task::Count { reads: 7 },
        Task::Clocks {
            batch_ns: 20_000,
            warm_ms: 5,
            lanes_ms: 5,
            steps: 3,
            steps_ms: 40,
            reads: 500,
            readings: 600,
            spread_ns: 2_000,
            threads: 2,
            concurrent_ms: 20,
        },
        Task::Pause { lengths_ns: vec![1_000, 200_000], budget_ms: 30 },
        Task::Latch { threads: 3, budget_ms: 30 },
        Task::Sweep {
            tokens: vec![0, 16],
            threads_list: vec![1, 3],
            clocks: vec![],
            batch_ns: 20_000,
            iteration_ns: 100_000,
            warm_ms: 5,
            budget_ms: 30,
        },
    ];
    // One probe has the operations of experiments.
    let experiments = RuntimeOperations::ALL.iter().filter(|_| kind == RuntimeKind::Java).map(experiment);
    all.into_iter().chain(experiments).collect()
}

/// The runtime of `kind` on this machine, ready to run its probe.
fn ready(kind: RuntimeKind, directory: &Path) -> Option<Launch> {
    let surroundings = Surroundings::of_this_process();
    let place = places(kind, &[], &surroundings, true).into_iter().next();
    let launch = place.ok_or_else(|| "there is none on this machine".to_owned());
    let launch =
        launch.and_then(|place| prepare(&place, directory, &surroundings, Duration::from_secs(120), &|| false));
    launch.map_err(|reason| println!("skipped: {}: {reason}", kind.title())).ok()
}

/// Its answer to `task`.
fn said(launch: &Launch, task: Task, environment: &[(&str, &str)]) -> String {
    let output = Command::new(&launch.program)
        .args(&launch.arguments)
        .arg(ProbeRequest::new(task, 1).argument())
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .envs(environment.iter().copied())
        .current_dir(WORKING_DIRECTORY)
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", launch.program.display());
    String::from_utf8(output.stdout).unwrap()
}

/// A line without anything that differs between machines.
fn shape(line: &str) -> String {
    let mut value: Value = serde_json::from_str(line).unwrap();
    if let Value::Object(fields) = &mut value {
        fields.iter_mut().for_each(|(key, field)| blur(key, field));
    }
    value.to_string()
}

fn blur(key: &str, field: &mut Value) {
    match key {
        "runtime" | "version" | "executable" | "sink" | "reason" => *field = Value::from("…"),
        // Determined by the request, or by the kind of clock.
        "protocol" | "hz" | "threads" | "requested_ns" | "tokens" => {}
        "declared_hz" | "declared_resolution_ns" | "cpu_ns" | "high_resolution" => *field = Value::from("may be null"),
        // Runtimes with and without a global lock are otherwise the same.
        "parallel" => *field = Value::from("yes or no"),
        "notes" => *field = Value::from("sentences"),
        _ => {
            let depth = |value: &Value| match value {
                Value::Array(items) if items.first().is_some_and(Value::is_array) => "lists of integers",
                Value::Array(_) => "integers",
                _ => "an integer",
            };
            if !field.is_string() {
                *field = Value::from(depth(field));
            }
        }
    }
}

/// The transcript of all tasks: each line shape once, in order of first appearance.
fn transcript(kind: RuntimeKind, launch: &Launch, environment: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for task in tasks(kind) {
        let answer = said(launch, task.clone(), environment);
        let heard = Answer::of(&answer).unwrap_or_else(|error| panic!("{error}"));
        assert!(heard.ended, "it never came to its end");
        assert_sound(&task, &heard);
        if matches!(task, Task::Clocks { .. }) {
            assert_irregular(&heard, || Answer::of(&said(launch, task.clone(), environment)).unwrap());
        }
        let mut told: Vec<String> = Vec::new();
        for line in answer.lines().map(shape) {
            if !told.contains(&line) {
                told.push(line);
            }
        }
        let asked = Value::Object(Map::from_iter([("asked".to_owned(), serde_json::to_value(&task).unwrap())]));
        text += &format!("{asked}\n{}\n", told.join("\n"));
    }
    text
}

/// What every answer must satisfy beyond its shape.
fn assert_sound(task: &Task, heard: &Answer) {
    assert_eq!(heard.missing(task), None);
    for clock in heard.clocks.iter().filter(|clock| clock.kind != TimeKind::Cpu) {
        let told = heard.elapsed.iter().filter(|told| told.clock == clock.clock).map(|told| told.ticks);
        assert!(
            matches!(told.collect::<Vec<_>>()[..], [0, later] if later >= 0),
            "{}: {:?}",
            clock.clock,
            heard.elapsed
        );
    }
    match task {
        Task::Count { .. } => {}
        Task::Clocks { .. } => {
            assert_eq!(heard.lanes.len(), heard.clocks.len() + 1);
            assert!(heard.lanes.values().all(|lane| lane.check.len() == 5 && !lane.warm.is_empty()), "{heard:?}");
            let timer = &heard.identity.as_ref().unwrap().timer;
            assert!(heard.steps.contains_key(timer), "nothing says in which steps {timer} moves");
        }
        Task::Pause { lengths_ns, .. } => {
            for way in heard.pauses.iter().map(|paused| &paused.way) {
                let of_way = heard.pauses.iter().filter(|paused| paused.way == *way);
                assert_eq!(of_way.clone().count(), lengths_ns.len(), "{way}");
                assert!(of_way.flat_map(|paused| &paused.taken_ns).all(|(_, count)| *count > 0));
            }
        }
        Task::Latch { threads, .. } => {
            for latched in &heard.latch.calls {
                assert_eq!(latched.serial_calls, u64::from(*threads) * 10);
                let inside: u64 = latched.inside_ticks.iter().map(|(_, count)| count).sum();
                assert!(inside >= u64::from(*threads) && inside.is_multiple_of(u64::from(*threads)));
            }
        }
        Task::Sweep { .. } | Task::Experiment { .. } => {
            for iteration in &heard.sweeps {
                let has_batches = |thread| iteration.batches.iter().any(|(of, ..)| *of == thread);
                assert!((0..iteration.threads).all(has_batches), "{iteration:?}");
                let of_cell = |other: &&Sweep| other.clock == iteration.clock && other.tokens == iteration.tokens;
                let mut operations = heard.sweeps.iter().filter(of_cell).map(|other| other.operations);
                assert!(operations.all(|of| of == iteration.operations), "{iteration:?}");
            }
        }
    }
}

/// Readings must come at times as irregular in the end as in the beginning: a poor generator runs into a value that it never leaves. It
/// does so in every answer, whereas a neighbour that comes or goes makes a few answers look so: one of five must not.
fn assert_irregular(heard: &Answer, mut again: impl FnMut() -> Answer) {
    let settled = |heard: &Answer| heard.clocks.iter().find_map(|clock| settled(heard, &clock.clock));
    let mut found = settled(heard);
    for _ in 0..4 {
        if found.is_none() {
            return;
        }
        found = settled(&again());
    }
    assert_eq!(found, None);
}

/// Readings of a clock that come at ever more regular times.
fn settled(heard: &Answer, clock: &str) -> Option<String> {
    let (changes, steps) = (&heard.readings[clock], &heard.steps[clock]);
    // A clock that moves by more than the work takes shows nothing of it.
    if steps.unchanged * 10 > steps.reads {
        return None;
    }
    // What lies between their first and their last tenth: interruptions are in neither.
    let spread = |part: &[i64]| {
        let mut sorted = part.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() - 1 - sorted.len() / 10] - sorted[sorted.len() / 10]
    };
    let quarter = changes.len() / 4;
    let (first, last) = (spread(&changes[..quarter]), spread(&changes[changes.len() - quarter..]));
    (last * 3 < first).then(|| format!("{clock}: changes spread over {first} ticks, then over {last}: {changes:?}"))
}

#[test]
fn readings_that_settle_are_told() {
    let mut heard = Answer::default();
    let steps = |heard: &mut Answer, last: i64| {
        let wide = (0..100).map(|turn| 100 + 37 * turn % 101);
        let changes: Vec<i64> =
            wide.clone().take(75).chain(wide.take(25).map(|ns| 100 + (ns - 100) * last / 100)).collect();
        heard.readings.insert("clock".to_owned(), changes);
    };
    heard.steps.insert("clock".to_owned(), Default::default());
    for (last, is_told) in [(0, true), (20, true), (100, false)] {
        steps(&mut heard, last);
        assert_eq!(settled(&heard, "clock").is_some(), is_told, "{last}");
    }
}

/// Compares the output of the probe of `kind`, in every environment, with its transcript.
fn golden(kind: RuntimeKind) {
    let directory = tempfile::tempdir().unwrap();
    let Some(launch) = ready(kind, directory.path()) else { return };
    let file = golden_folder().join(format!("{}.jsonl", kind.row().word));
    for environment in [&[], GERMAN] {
        let said = transcript(kind, &launch, environment);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, &said).unwrap();
        }
        let wanted = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // Line by line, so that a failure shows the one that differs.
        for (said, wanted) in said.lines().zip(wanted.lines()) {
            assert_eq!(said, wanted, "{environment:?}; UPDATE_GOLDEN=1 writes {} anew", file.display());
        }
        assert_eq!(said.lines().count(), wanted.lines().count(), "{}", file.display());
    }
}

/// The transcripts.
fn golden_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../probes/golden")
}

/// A locale that writes 1,5 for one and a half, set in the way of each runtime.
const GERMAN: &[(&str, &str)] = &[
    ("LANG", "de_DE.UTF-8"),
    ("LC_ALL", "de_DE.UTF-8"),
    ("JAVA_TOOL_OPTIONS", "-Duser.language=de -Duser.country=DE"),
];

#[test]
fn every_probe_speaks_the_protocol() {
    RuntimeKind::all().for_each(golden);
}

#[test]
fn a_request_that_is_none_is_refused() {
    for kind in RuntimeKind::all() {
        let directory = tempfile::tempdir().unwrap();
        let Some(launch) = ready(kind, directory.path()) else { continue };
        for (request, code) in [
            ("{\"protocol\":2,\"task\":\"count\",\"reads\":1}", 3),
            ("nonsense", 2),
            ("{\"protocol\":1,\"task\":\"dance\"}", 2),
        ] {
            let mut command = Command::new(&launch.program);
            command.args(&launch.arguments).arg(request).current_dir(WORKING_DIRECTORY);
            let output = command.envs(launch.environment.iter().map(|(name, value)| (name, value))).output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{} {request}", kind.title());
            assert!(!output.stderr.is_empty(), "{} {request}", kind.title());
        }
    }
}
