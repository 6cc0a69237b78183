//! Language runtimes that behave and that do not, the latter played by scripts.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

fn chronoscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.arg("runtimes");
    command
}

/// A program in `directory` that does what `script` says with the request in `$3`, as Node's would be started.
fn program(directory: &Path, name: &str, script: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"Fake","version":"1.2","executable":"","timer":"t","timer_hz":1000000000,"parallel":true,"notes":[]}"#;
const CLOCK: &str = r#"{"type":"clock","clock":"now","kind":"monotonic","hz":10000000,"declared_hz":10000000,"declared_resolution_ns":null,"high_resolution":true}"#;

/// A runtime that answers a count as it should, and then does `next` when it is asked for its clocks.
fn sound_until_asked(directory: &Path, name: &str, next: &str) -> PathBuf {
    let script = format!(
        r#"echo '{IDENTITY}'
echo '{CLOCK}'
case "$3" in
*count*)
    echo '{{"type":"count_begin","clock":"now"}}'
    echo '{{"type":"count_end","clock":"now","reads":200}}'
    echo '{{"type":"end","sink":"0"}}'
    ;;
*)
    {next}
    ;;
esac"#
    );
    program(directory, name, &script)
}

/// Runs with `programs` as further runtimes of Node, and returns the record.
fn run(programs: &[&Path], arguments: &[&str]) -> Value {
    let mut command = chronoscope();
    command.args(["--only", "c", "--format", "json"]).args(arguments);
    for program in programs {
        command.arg("--runtime").arg(format!("node={}", program.display()));
    }
    let output = command.assert().success().get_output().clone();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    let faults: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&record).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    record
}

fn runtimes(record: &Value) -> &Vec<Value> {
    record["content"]["sections"]["runtimes"]["report"].as_array().unwrap()
}

fn at<'r>(record: &'r Value, program: &Path) -> &'r Value {
    let program = program.display().to_string();
    runtimes(record).iter().find(|runtime| runtime["executable"] == program).unwrap()
}

fn reason<'r>(record: &'r Value, program: &Path) -> &'r str {
    let runtime = at(record, program);
    assert_eq!(runtime["available"], false, "{runtime}");
    runtime["reason_unavailable"].as_str().unwrap()
}

/// C is measured in full on a machine that has a compiler, whatever becomes of the others.
fn assert_c_is_whole(record: &Value) {
    let c = runtimes(record).iter().find(|runtime| runtime["kind"] == "c").unwrap();
    if c["executable"].is_null() {
        return;
    }
    assert_eq!(c["available"], true, "{c}");
    let monotonic = &c["clocks"][0];
    let latency = &monotonic["latency_ns"];
    assert!(latency["low"].as_f64().unwrap() <= latency["estimate"].as_f64().unwrap());
    assert!(latency["estimate"].as_f64().unwrap() > 0.0 && monotonic["granularity_ns"].as_f64().unwrap() > 0.0);
    assert!((2.5..=6.4).contains(&monotonic["loop_ratio"].as_f64().unwrap()), "{monotonic}");
    if !monotonic["system_calls"].is_null() {
        assert_eq!(monotonic["system_calls"]["reads"], 200);
        // Its CPU time has no other way.
        let cpu = c["clocks"].as_array().unwrap().iter().find(|clock| clock["kind"] == "cpu").unwrap();
        assert!(cpu["system_calls"]["count"].as_u64().unwrap() >= 200 && cpu["path"] == "syscall", "{cpu}");
    }
}

/// A clock that runs ten times too fast, in place of the C library's.
const FAST_CLOCK: &str = r#"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    static long long first[2];
    if (syscall(SYS_clock_gettime, clock, time) != 0)
        return -1;
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return 0;
    long long now = time->tv_sec * 1000000000LL + time->tv_nsec, *began = &first[clock == CLOCK_MONOTONIC];
    if (*began == 0)
        *began = now;
    now = *began + 10 * (now - *began);
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}
"#;

#[test]
fn a_runtime_whose_clock_lies_has_no_figures() {
    let directory = tempfile::tempdir().unwrap();
    let [source, library] = ["fast.c", "fast.so"].map(|name| directory.path().join(name));
    std::fs::write(&source, FAST_CLOCK).unwrap();
    let compiled = Process::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
    let python = Process::new("python3").arg("-c").arg("pass").status();
    if !(compiled.is_ok_and(|status| status.success()) && python.is_ok_and(|status| status.success())) {
        return eprintln!("no C compiler or no Python here");
    }
    let script = format!("LD_PRELOAD={} exec python3 \"$@\"", library.display());
    let lying = program(directory.path(), "python3", &script);
    let mut command = chronoscope();
    command.args(["--only", "python", "--quick", "--format", "json"]);
    let output = command.arg("--runtime").arg(format!("python={}", lying.display())).assert().get_output().clone();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    // It tells the file that it really is.
    let lies = |clock: &&Value| clock["wrong_rate"].is_number();
    let of = |runtime: &'_ Value| runtime["clocks"].as_array().unwrap().iter().any(|clock| lies(&clock));
    let runtime = runtimes(&record).iter().find(|runtime| of(runtime)).unwrap_or_else(|| panic!("{record}"));
    let clocks = runtime["clocks"].as_array().unwrap();
    let timed = clocks.iter().find(|clock| clock["name"] == "time.perf_counter_ns").unwrap();
    let rate = timed["wrong_rate"].as_f64().unwrap_or_else(|| panic!("{timed}"));
    assert!((5.0..20.0).contains(&rate), "{rate}");
    assert!(clocks.iter().all(|clock| clock["latency_ns"].is_null()), "{clocks:?}");
    assert!(timed["tick"].is_null() && timed["granularity_ns"].is_null() && timed["reads"].is_null(), "{timed}");
    let findings = record["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["id"] == "runtime_clock_rate"), "{findings:?}");
}

#[test]
fn what_is_no_runtime_gets_a_reason_and_leaves_the_others_whole() {
    let directory = tempfile::tempdir().unwrap();
    let garbage = program(directory.path(), "garbage", "echo 'Hello, world'");
    let crash = program(directory.path(), "crash", "kill -SEGV $$");
    let old = program(directory.path(), "old", "echo 'too old' >&2; exit 1");
    let comma = program(directory.path(), "comma", &format!("echo '{}'", IDENTITY.replace("1000000000", "1000,5")));
    let silent = program(directory.path(), "silent", "exit 0");
    let torn = program(directory.path(), "torn", "printf '{\"type\"'");
    let other = program(directory.path(), "other", &format!("echo '{}'", IDENTITY.replace("l\":1", "l\":2")));
    let hung = program(directory.path(), "hung", "sleep 987654 & wait");
    let gone = directory.path().join("gone");
    let record = run(
        &[&garbage, &crash, &old, &comma, &silent, &torn, &other, &hung, &gone].map(PathBuf::as_path),
        &["--quick"],
    );
    for (program, told) in [
        (&garbage, "Hello, world"),
        (&crash, "SIGSEGV"),
        (&old, "too old"),
        (&comma, "cannot parse"),
        (&silent, "exited before"),
        (&torn, "in the middle"),
        (&other, "speaks protocol 2"),
        (&hung, "timed out after"),
        (&gone, "no such program"),
    ] {
        let reason = reason(&record, program);
        assert!(reason.contains(told), "{told} is not in: {reason}");
    }
    assert_c_is_whole(&record);
    let findings = record["findings"].as_array().unwrap();
    assert_eq!(findings.iter().filter(|finding| finding["id"] == "runtime_failed").count(), 9);
    // Whatever it had started is gone with it.
    let left = Process::new("pgrep").args(["-f", "^sleep 98765[4]$"]).stdout(Stdio::null()).status();
    assert!(left.is_err() || left.is_ok_and(|status| !status.success()));
}

/// Everything that the task `clocks` asks for, as a runtime whose timer is the clock `now` would answer.
fn clocks_answer() -> String {
    let lane = |clock: &str, ticks: &str| {
        format!(r#"{{"type":"lane","clock":"{clock}","reads":1000,"ticks":{ticks},"warm":[],"check":[]}}"#)
    };
    let steps = vec!["25"; 2_000].join(",");
    let readings = vec!["25"; 1_999].join(",");
    let lines = [
        lane("nothing", "[10,10,10]"),
        lane("now", "[250,250,250]"),
        format!(r#"{{"type":"steps","clock":"now","reads":4000,"unchanged":0,"changes":[{steps}]}}"#),
        r#"{"type":"differences","clock":"now","span":1249975,"counts":[[25,49999]]}"#.to_owned(),
        format!(r#"{{"type":"readings","clock":"now","changes":[{readings}]}}"#),
        r#"{"type":"end","sink":"0"}"#.to_owned(),
    ];
    lines.join("\n") + "\n"
}

#[test]
fn a_runtime_whose_system_calls_could_not_be_counted_is_measured_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let answer = directory.path().join("answer");
    std::fs::write(&answer, clocks_answer()).unwrap();
    let script = format!(
        "echo '{IDENTITY}'\necho '{CLOCK}'\ncase \"$3\" in\n*'\"count\"'*) echo sluggish >&2; exit 1 ;;\n\
         *) cat '{}' ;;\nesac",
        answer.display()
    );
    let uncounted = program(directory.path(), "uncounted", &script);
    let record = run(&[&uncounted], &["--quick"]);
    let runtime = at(&record, &uncounted);
    assert_eq!(runtime["available"], true, "{runtime}");
    let reasons = runtime["reasons_incomplete"].to_string();
    assert!(reasons.contains("counted") && reasons.contains("sluggish"), "{reasons}");
    let clock = &runtime["clocks"][0];
    assert!(clock["system_calls"].is_null() && clock["path"].is_null(), "{clock}");
    assert!(clock["granularity_ns"].as_f64().unwrap() > 0.0, "{clock}");
}

#[test]
fn a_probe_that_is_killed_midway_loses_its_own_row_alone() {
    let directory = tempfile::tempdir().unwrap();
    let killed = sound_until_asked(directory.path(), "killed", "kill -KILL $$");
    let record = run(&[&killed], &["--quick"]);
    assert!(reason(&record, &killed).contains("SIGKILL"));
    assert_eq!(at(&record, &killed)["name"], "Fake");
    assert_c_is_whole(&record);
}

#[test]
fn a_runtime_that_behaves_is_judged_by_what_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let readings = format!(r#"{{"type":"readings","clock":"now","changes":[{}]}}"#, vec!["7"; 1_999].join(","));
    let told = [
        r#"{"type":"lane","clock":"nothing","reads":1000,"ticks":[500,500,500,500],"warm":[],"check":[[500,2000]]}"#,
        r#"{"type":"lane","clock":"now","reads":1000,"ticks":[50000,50000,50000,50000],"warm":[],"check":[[50000,200000]]}"#,
        r#"{"type":"steps","clock":"now","reads":400,"unchanged":200,"changes":[1,1,1,1,1,1,1,1,1,2]}"#,
        r#"{"type":"differences","clock":"now","span":18182,"counts":[[0,181817],[1,18182]]}"#,
        &readings,
        r#"{"type":"end","sink":"0"}"#,
    ];
    let script = told.map(|line| format!("echo '{line}'")).join("\n    ");
    let mono = sound_until_asked(directory.path(), "mono", &script);
    let short = sound_until_asked(directory.path(), "short", &script.replace("[0,181817]", "[0,9]"));
    let record = run(&[&mono, &short], &["--duration", "4s"]);
    assert!(reason(&record, &short).contains("consecutive"));
    let clock = &at(&record, &mono)["clocks"][0];
    assert_eq!((clock["latency_ns"]["estimate"].as_f64(), clock["granularity_ns"].as_f64()), (Some(50.0), Some(100.0)));
    assert_eq!(clock["resolution_ns_declared"], 100.0);
    let coarse = |finding: &&Value| finding["id"] == "runtime_tick_coarse";
    assert_eq!(record["findings"].as_array().unwrap().iter().filter(coarse).count(), 1);
}

#[test]
fn pauses_and_latches_of_runtimes_are_in_the_record() {
    let pause = run(&[], &["--pause", "--duration", "4s"]);
    let latch = run(&[], &["--latch", "5", "--duration", "4s"]);
    let c = |record: &Value| runtimes(record).iter().find(|runtime| runtime["kind"] == "c").unwrap().clone();
    if c(&pause)["executable"].is_null() {
        return;
    }
    let methods = c(&pause)["pause"]["methods"].as_array().unwrap().clone();
    assert!(methods.len() >= 15, "{}", methods.len());
    for method in &methods {
        let taken = method["p50_ns"]["estimate"].as_f64().unwrap();
        assert!(taken >= method["requested_ns"].as_f64().unwrap(), "{method}");
    }
    let rows = c(&latch)["latch"]["rows"].as_array().unwrap().clone();
    assert_eq!((rows.len(), rows[0]["call"].as_str()), (3, Some("nothing")));
    assert!(rows.iter().all(|row| row["concurrent_ns"]["estimate"].as_f64().unwrap() > 0.0));
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let slow = sound_until_asked(directory.path(), "slow", "sleep 1001");
    let child = Process::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["runtimes", "--only", "node", "--format", "json", "--runtime"])
        .arg(format!("node={}", slow.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let stopped = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["interrupted"], true);
    assert!(!runtimes(&record).is_empty());
}

#[test]
fn a_check_looks_at_those_that_start_quickly() {
    let output = Command::new(env!("CARGO_BIN_EXE_chronoscope"))
        .env("CHRONOSCOPE_NO_HISTORY", "1")
        .args(["check", "--duration", "3s", "--format", "json"])
        .assert()
        .success()
        .get_output()
        .clone();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        runtimes(&record).iter().filter(|runtime| runtime["kind"] == "java" && runtime["available"] == true).count(),
        0
    );
    for runtime in runtimes(&record) {
        assert!(runtime["available"] == true || runtime["reason_unavailable"].is_string(), "{runtime}");
    }
}

/// Whether the process is there and has not ended.
fn runs(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", process.trim())).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what}");
}

#[test]
fn what_a_run_has_started_ends_with_it_even_if_it_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let [temporary, saved] = ["temporary", "saved"].map(|name| directory.path().join(name));
    for folder in [&temporary, &saved] {
        std::fs::create_dir(folder).unwrap();
    }
    let processes = directory.path().join("processes");
    // Each has children, of which one has a session of its own.
    let hang = format!(
        "echo $$ >> {0}; sleep 1000 & echo $! >> {0}; setsid sleep 1000 & echo $! >> {0}; wait",
        processes.display()
    );
    let [compiler, runtime] = ["cc", "node"].map(|name| program(directory.path(), name, &hang));
    let output = saved.join("run.json");
    let run = |runtimes: &[(&str, &Path)]| {
        let mut command = Process::new(env!("CARGO_BIN_EXE_chronoscope"));
        command.args(["runtimes", "--quick", "--only", "c", "--output"]).arg(&output).env("TMPDIR", &temporary);
        for (kind, program) in runtimes {
            command.arg("--runtime").arg(format!("{kind}={}", program.display()));
        }
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let started = || std::fs::read_to_string(&processes).unwrap_or_default();
    let names = |folder: &Path| -> Vec<_> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };

    let mut killed = run(&[("c", &compiler), ("node", &runtime)]);
    wait_until("they were not started", || started().lines().count() == 6);
    assert!(started().lines().all(runs) && names(&temporary).len() == 1 && names(&saved).len() == 1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until("some go on", || !started().lines().any(runs));
    wait_until("the folder stays", || names(&temporary).is_empty());

    // What was to be the output is removed by the next run that writes there.
    assert_eq!(names(&saved).len(), 1);
    let ends = program(directory.path(), "ends", &format!("setsid sleep 1000 & echo $! > {}", processes.display()));
    run(&[("node", &ends)]).wait().unwrap();
    assert!(!started().lines().any(runs), "a run that ends by itself leaves nothing either");
    assert_eq!((names(&temporary).len(), names(&saved)), (0, vec!["run.json".into()]));
}

/// What launchers of version managers do: the version is in a file in the working directory, in that of the script, or above.
const LAUNCHER: &str = r#"
look() {
    folder=$1
    while :; do
        if [ -e "$folder/.fake-version" ]; then echo "$0 in $folder" >> STEERED; fi
        [ -n "$folder" ] || return
        folder=${folder%/*}
    done
}
look "$PWD"
for argument; do
    case $argument in
    -e* | -c* | --) break ;;
    */*) if [ -f "$argument" ]; then look "${argument%/*}"; fi ;;
    esac
done
exec NAME "$@"
"#;

#[test]
fn nobody_else_says_which_version_runs() {
    let directory = tempfile::tempdir().unwrap();
    // As /tmp is.
    let shared = directory.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
    std::fs::write(shared.join(".fake-version"), "").unwrap();
    let steered = directory.path().join("steered");
    let kinds = [("node", "node"), ("python", "python3"), ("ruby", "ruby"), ("php", "php"), ("go", "go"), ("c", "cc")];
    let is_there =
        |name: &str| Process::new("sh").args(["-c", "command -v \"$0\"", name]).output().unwrap().status.success();
    let mut command = chronoscope();
    command.args(["--quick", "--format", "json"]).current_dir(&shared).env("TMPDIR", &shared);
    let there: Vec<_> = kinds.into_iter().filter(|(_, name)| is_there(name)).collect();
    command.args(["--only", &there.iter().map(|(kind, _)| *kind).collect::<Vec<_>>().join(",")]);
    for (kind, name) in &there {
        // No compiler of C has a launcher that looks at its arguments.
        let launcher = if *kind == "c" {
            LAUNCHER.replace("for argument; do", "for argument in --; do")
        } else {
            LAUNCHER.to_owned()
        };
        let script = launcher.replace("NAME", name).replace("STEERED", &steered.display().to_string());
        let launcher = program(directory.path(), &format!("launcher-{name}"), &script);
        command.arg("--runtime").arg(format!("{kind}={}", launcher.display()));
    }
    let output = command.assert().success().get_output().clone();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(std::fs::read_to_string(&steered).unwrap_or_default(), "");
    let failed: Vec<_> = runtimes(&record).iter().filter(|runtime| runtime["available"] == false).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

/// `experiment backoff` in a runtime.
fn backoff_in(runtime: &str) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(["experiment", "backoff", "--quick", "--format", "json", "--runtime", runtime]).assert()
}

#[test]
fn an_experiment_that_cannot_run_in_a_runtime_says_why() {
    let refused = backoff_in("python").code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&refused).contains("no experiment can run in Python; try java"));
    let mut native = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    let refused =
        native.args(["experiment", "volatile", "--runtime", "java"]).assert().code(2).get_output().stderr.clone();
    let refused = String::from_utf8_lossy(&refused).into_owned();
    assert!(refused.contains("the experiment volatile runs natively only; try backoff, timers"), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let broken = program(folder.path(), "java", "echo this one is broken >&2; exit 7");
    let failed = backoff_in(&format!("java={}", broken.display())).code(1).get_output().stderr.clone();
    let failed = String::from_utf8_lossy(&failed).into_owned();
    assert!(failed.contains("nothing was measured") && failed.contains("broken"), "{failed}");
}

#[test]
fn a_slow_compiler_takes_nothing_from_the_time_of_an_experiment() {
    let found = |name: &str| {
        let found = Process::new("sh").args(["-c", "readlink -f \"$(command -v \"$0\")\"", name]).output().unwrap();
        String::from_utf8(found.stdout).unwrap().trim().to_owned()
    };
    let (java, compiler) = (found("java"), found("javac"));
    if java.is_empty() || compiler.is_empty() {
        println!("skipped: no JDK");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), "javac", &format!("sleep 2; exec {compiler} \"$@\""));
    let slow = program(folder.path(), "java", &format!("exec {java} \"$@\""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(["experiment", "timers", "--duration", "3s", "--format", "json", "--runtime"]);
    let found = command.arg(format!("java={}", slow.display())).assert().get_output().clone();
    let complaint = String::from_utf8_lossy(&found.stderr).into_owned();
    let record: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    assert!(runtimes(&record)[0]["processes"].as_u64().unwrap() > 0, "{record}");
}

#[test]
fn the_jvm_measures_the_operations_of_the_article() {
    let found = backoff_in("java").get_output().clone();
    let complaint = String::from_utf8_lossy(&found.stderr).into_owned();
    if complaint.contains("not found in the usual places") {
        println!("skipped: {complaint}");
        return;
    }
    let record: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"));
    let study = &record["content"]["study"];
    let threads = study["plan"]["threads"].as_array().unwrap().len();
    let cells = study["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5 * 12 * threads);
    let raw = |cell: &Value| cell["processes"].as_array().unwrap().len();
    assert!(cells.iter().all(|cell| raw(cell) > 0), "the raw values of each process are there");
    let compared = study["comparisons"].as_array().unwrap();
    assert!(compared.iter().all(|one| one["case"] == "volatile v++" && one["baseline"] == "plain v++"), "{compared:?}");
    let java = &runtimes(&record)[0];
    let notes = java["notes"].as_array().unwrap();
    let is_told = notes.iter().any(|note| note.as_str().unwrap().contains("-XX:-UsePerfData"));
    assert!(is_told && java["version"].is_string(), "{java}");
    let question = record["content"]["experiment"]["question"].as_str().unwrap();
    assert!(question.starts_with("In Java "), "{question}");
}
