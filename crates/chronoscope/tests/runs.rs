//! Real runs of the real binary, short ones. They test what is said, never how fast it is.

use std::io::Read;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

const SHORT: &[&str] = &["--duration", "2s", "--format", "json"];

fn chronoscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.env_remove("COLUMNS").env("CHRONOSCOPE_NO_HISTORY", "1");
    command
}

fn record(arguments: &[&str]) -> Value {
    let output = chronoscope().args(arguments).args(SHORT).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let record = serde_json::from_slice(&output.stdout).unwrap();
    assert_valid(&record);
    record
}

fn assert_valid(record: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(record).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

fn clock<'r>(record: &'r Value, name: &str) -> &'r Value {
    record["content"]["sections"]["clocks"]["report"]["clocks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|clock| clock["name"] == name)
        .unwrap()
}

fn finding_ids(record: &Value) -> Vec<&str> {
    record["findings"].as_array().unwrap().iter().map(|finding| finding["id"].as_str().unwrap()).collect()
}

#[test]
fn a_check_gives_a_valid_record_in_which_nothing_is_unexplained() {
    let record = record(&["check"]);
    assert_eq!(record["schema_version"], 2);
    assert_eq!(record["interrupted"], false);
    assert!(record["content"]["parts"].as_array().unwrap().iter().any(|part| part["part"] == "pauses"));
    for clock in record["content"]["sections"]["clocks"]["report"]["clocks"].as_array().unwrap() {
        if clock["available"] == true {
            assert!(clock["path"].is_string() && clock["path_evidence"]["detail"].is_string(), "{clock}");
            let latency = &clock["latency_ns"];
            let value = |name: &str| latency[name].as_f64().unwrap();
            // How many processes had time is the machine's business; what they prove must be said. One has no interval.
            let processes = latency["processes"].as_array().unwrap().len() as i32;
            let ends = ["low", "high"].map(|end| latency[end].as_f64());
            match ends {
                [Some(low), Some(high)] => assert!(low <= value("estimate") && value("estimate") <= high, "{latency}"),
                _ => assert_eq!((ends, processes), ([None, None], 1), "{latency}"),
            }
            assert!(processes >= 1);
            assert!(processes < 11 || value("confidence") >= 0.999);
            assert!(value("confidence") <= 1.0 - 2.0_f64.powi(1 - processes) + 1e-9);
        } else {
            assert!(clock["reason_unavailable"].is_string(), "{clock}");
        }
    }
    assert!(record["content"]["sections"]["clocks"]["plan"]["latency_processes"].as_u64().unwrap() >= 11);
    assert!(
        record["content"]["sections"]["clocks"]["report"]["harness"]["loop_overhead_ns"]["estimate"].as_f64().unwrap()
            > 0.0
    );
    let interference_probe = &record["content"]["sections"]["clocks"]["report"]["harness"]["interference_probe"];
    assert!(
        interference_probe["iterations_quiet"].as_u64().unwrap() > 0
            && interference_probe["iterations_quiet"].as_u64() <= interference_probe["iterations"].as_u64()
    );
}

#[test]
fn a_real_system_call_costs_more_than_the_counter() {
    // Next to other tests a run may see a clock of long ticks change too seldom to tell its step; another run sees it.
    let tells = |record: &Value| clock(record, "CLOCK_MONOTONIC_COARSE")["granularity_ns"].is_number();
    let record = (0..5).map(|_| record(&["clocks"])).find(tells).expect("one of five runs tells the step");
    let minimum = |name: &str| clock(&record, name)["latency_ns"]["minimum"].as_f64().unwrap();
    let call = minimum("syscall CLOCK_MONOTONIC");
    if cfg!(target_arch = "x86_64") && clock(&record, "rdtsc")["available"] == true {
        assert!(minimum("rdtsc") < call);
    }
    assert!(clock(&record, "CLOCK_MONOTONIC_COARSE")["granularity_ns"].as_f64().unwrap() >= 100_000.0);
    assert_eq!(clock(&record, "CLOCK_MONOTONIC_COARSE")["granularity_is_latency"], false);
}

#[test]
fn parts_alone_do_their_part_alone() {
    let reads = record(&["reads"]);
    assert!(!reads["content"]["sections"]["reads"]["report"].as_array().unwrap().is_empty());
    assert_eq!(reads["content"]["parts"].as_array().unwrap().len(), 1);
    let causality = record(&["causality"]);
    let parts: Vec<&Value> =
        causality["content"]["parts"].as_array().unwrap().iter().map(|part| &part["part"]).collect();
    assert_eq!(parts, ["offsets", "litmus"]);
}

#[test]
fn ordered_reads_are_causal_where_there_are_two_cpus() {
    let record = record(&["causality"]);
    if record["content"]["plan"]["cpus"].as_array().unwrap().len() < 2 {
        assert!(record["content"]["sections"]["causality"]["report"]["reason_unavailable"].is_string());
        return;
    }
    let litmus = record["content"]["sections"]["causality"]["report"]["litmus"].as_array().unwrap();
    for row in litmus {
        let name = row["name"].as_str().unwrap();
        if clock(&record, name)["causal_by_design"] == true {
            assert_eq!(row["violations"], 0, "{row}");
        }
    }
    assert!(!record["content"]["sections"]["causality"]["report"]["pairs"].as_array().unwrap().is_empty());
}

#[test]
fn studies_that_are_commands_are_in_the_record() {
    let study = |arguments: &[&str], cells: usize| {
        let arguments = [arguments, &["--duration", "2s", "--format", "json"]].concat();
        let output = chronoscope().args(&arguments).assert().success().get_output().clone();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["content"]["study"]["cells"].as_array().unwrap().len(), cells, "{arguments:?}");
        assert!(found["content"]["experiment"]["passed"].is_null(), "it tests nothing");
        found
    };
    let released = study(&["latch", "--threads", "3"], 12);
    assert_eq!(
        (&released["command"], &released["content"]["experiment"]["experiment"]),
        (&"thread-release".into(), &"thread-release".into())
    );
    assert_eq!(released["content"]["study"]["plan"]["parameters"][0]["values"], serde_json::json!(["3"]));
    let contention = study(&["monotime", "--threads", "2"], 7 * 2);
    assert_eq!(
        (&contention["command"], &contention["content"]["study"]["plan"]["threads"]),
        (&"contention".into(), &serde_json::json!([1, 2]))
    );
}

#[test]
fn reads_between_work_are_compared_with_the_work_alone() {
    let clock = "syscall CLOCK_MONOTONIC";
    let arguments = ["scaling", "--clock", clock, "--threads", "1", "--duration", "5s", "--format", "json"];
    let output = chronoscope().args(arguments).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["content"]["study"]["name"], "scaling");
    assert_eq!(record["content"]["scaling"][0]["clock"], clock);
    assert!(
        record["content"]["study"]["comparisons"]
            .as_array()
            .unwrap()
            .iter()
            .all(|comparison| comparison["baseline"] == "nothing")
    );
    let cells = record["content"]["study"]["cells"].as_array().unwrap();
    let backoffs = |case: &str| cells.iter().filter(|cell| cell["case"] == case).count();
    assert!(backoffs(clock) > 1 && backoffs("nothing") > 0 && backoffs(&format!("ticks of {clock}")) == 1);
}

#[test]
fn the_library_clock_says_how_it_fares() {
    let record = record(&["reads"]);
    let library = &record["content"]["sections"]["clocks"]["report"]["library_clock"];
    let state = library["state"].as_str().unwrap();
    assert!(["verified", "fallback"].contains(&state));
    assert_eq!(state == "fallback", library["counter_hz"].is_null());
    assert_eq!(clock(&record, "Clock::now")["available"] == false, state == "fallback");
}

#[test]
fn one_cpu_is_enough_for_all_but_causality() {
    let allowed = record(&["reads"])["machine"]["cpu"]["allowed"][0].to_string();
    let record = record(&["check", "--cpus", &allowed]);
    assert!(finding_ids(&record).contains(&"one_cpu"));
    assert!(record["content"]["sections"]["causality"]["report"]["reason_unavailable"].is_string());
    assert_eq!(record["content"]["judgement"]["causality"]["across_cores"]["outcome"], "not_tested");
}

#[test]
fn a_question_is_answered_and_strict_fails_on_it() {
    let output = chronoscope()
        .args(["clocks", "--interval", "1ns", "--interval", "1h", "--strict"])
        .args(SHORT)
        .assert()
        .code(1)
        .get_output()
        .clone();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(finding_ids(&record).contains(&"interval_near_latency"));
    assert_eq!(record["content"]["judgement"]["questions"][0]["interval_ns"], 1.0);
}

#[test]
fn every_interval_asked_about_is_answered_on_the_page() {
    for command in ["check", "clocks"] {
        let arguments = [command, "--interval", "1ns", "--interval", "5s", "--duration", "2s"];
        let output = chronoscope().env("PATH", "").args(arguments).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(" 1.00 ns: ") && text.contains(" 5.00 s: "), "{text}");
    }
}

#[test]
fn the_saved_record_is_the_printed_one_and_replaces_the_old() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    std::fs::write(&path, "old").unwrap();
    let output =
        chronoscope().arg("reads").args(SHORT).arg("--output").arg(&path).assert().success().get_output().clone();
    assert_eq!(std::fs::read(&path).unwrap(), output.stdout);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_full_standard_output_is_an_error_and_the_file_is_saved_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = Process::new(env!("CARGO_BIN_EXE_chronoscope"))
        .arg("reads")
        .args(SHORT)
        .arg("--output")
        .arg(&path)
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    assert_valid(&serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap());
}

#[test]
fn an_interrupted_run_keeps_what_it_has_and_says_so() {
    let mut child = Process::new(env!("CARGO_BIN_EXE_chronoscope"))
        .env("CHRONOSCOPE_NO_HISTORY", "1")
        .args(["--format", "json", "--duration", "1min"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_valid(&record);
    assert_eq!(record["interrupted"], true);
    assert!(finding_ids(&record).contains(&"interrupted"));
    assert!(record["machine"]["kernel"]["release"].is_string());
}

#[test]
fn the_selftest_judges_every_claim_and_exits_by_its_verdict() {
    let output = chronoscope().args(["selftest", "--duration", "3s", "--format", "json"]).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let passed = found["content"]["experiment"]["passed"].as_bool().unwrap();
    assert_eq!(output.status.code(), Some(i32::from(!passed)));
    let claims = found["content"]["experiment"]["model"][0]["rows"].as_array().unwrap();
    assert_eq!(claims.len(), 10, "{claims:?}");
}

#[test]
fn no_pause_is_early_and_every_way_is_in_the_record() {
    let record = record(&["pause", "--length", "1us", "--length", "300us"]);
    let pause = &record["content"]["sections"]["pauses"]["report"];
    let methods = pause["methods"].as_array().unwrap();
    let tried = methods.len() + 2 * pause["unavailable"].as_array().unwrap().len();
    assert_eq!(tried, 14);
    for method in methods {
        assert_eq!(method["early"], 0, "{method}");
        let requested_ns = method["requested_ns"].as_f64().unwrap();
        assert!(method["p50_ns"]["estimate"].as_f64().unwrap() >= requested_ns, "{method}");
        assert!(method["mean_ns"].as_f64().unwrap() >= requested_ns, "{method}");
    }
    assert!(!finding_ids(&record).contains(&"early_pause"));
}

fn pace(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = chronoscope().args(["pace", "--format", "json"]).args(arguments).assert().get_output().clone();
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&run), "{run}");
    (output.status.code(), run)
}

#[test]
fn a_pace_loses_no_event_and_a_stall_shows_in_response_times() {
    let (code, run) = pace(&["--rate", "5k", "--for", "400ms", "--stall", "50ms"]);
    let pace = &run["content"]["pace"];
    assert_eq!((code, &pace["events"], &pace["missed"]), (Some(0), &Value::from(2_000), &Value::from(0)));
    // 250 of 2000 events are intended while it lasts: whatever the machine does, one in a hundred waits most of it.
    assert!(pace["response_ns"]["p99"].as_f64().unwrap() >= 40e6);
    assert!(pace["service_ns"]["max"].as_f64().unwrap() >= 50e6);
}

/// 300 of 400 events in one burst were taken for millions per second.
#[test]
fn a_burst_after_a_long_stall_is_not_the_rate() {
    let (_, run) = pace(&["--rate", "1k", "--for", "400ms", "--stall", "300ms"]);
    let pace = &run["content"]["pace"];
    assert_eq!(pace["events"], 400);
    assert!(pace["achieved_per_s"].as_f64().unwrap() < 2_000.0, "{pace}");
}

#[test]
fn events_that_are_skipped_are_counted() {
    let (code, run) = pace(&["--rate", "5k", "--for", "400ms", "--stall", "50ms", "--behind", "skip"]);
    let counted = |name: &str| run["content"]["pace"][name].as_u64().unwrap();
    assert_eq!((code, counted("events") + counted("missed")), (Some(0), 2_000));
    assert!(counted("missed") >= 200);
}

#[test]
fn a_limit_to_catching_up_leaves_out_what_is_later() {
    let (code, run) = pace(&["--rate", "5k", "--for", "400ms", "--stall", "50ms", "--most-late", "10ms"]);
    let counted = |name: &str| run["content"]["pace"][name].as_u64().unwrap();
    assert_eq!((code, counted("events") + counted("missed")), (Some(0), 2_000));
    assert!(counted("missed") >= 150 && run["content"]["pace"]["most_late_ms"] == 10.0);
    let refused =
        chronoscope().args(["pace", "--rate", "5k", "--on-late", "skip", "--most-late", "10ms"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--most-late"));
}

#[test]
fn nothing_done_is_nothing_late_by_what_was_done() {
    let (_, run) = pace(&["--rate", "20k", "--for", "300ms"]);
    let pace = &run["content"]["pace"];
    assert_eq!(pace["late_share_caller"], 0.0);
    let sum: f64 = ["late_share_machine", "late_share_pacer"].map(|name| pace[name].as_f64().unwrap()).iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "{pace}");
}

fn watch(arguments: &[&str]) -> Vec<Value> {
    let run = ["watch", "--format", "json", "--every", "50ms"];
    let output = chronoscope().args(run).args(arguments).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_watch_says_what_it_watches_and_what_it_used() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("events.jsonl");
    let lines = watch(&["--for", "400ms", "--log", log.to_str().unwrap()]);
    let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
    assert_eq!((&first["type"], &last["type"]), (&Value::from("start"), &Value::from("summary")));
    assert!(last["looks"].as_u64().unwrap() >= 2 && last["cpu_ms"].as_f64().unwrap() > 0.0, "{last}");
    assert!(last["events"]["wall_clock_set"].is_u64() && last["stopped"] == false, "{last}");
    let logged = std::fs::read_to_string(log).unwrap();
    let logged: Vec<Value> = logged.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(logged, lines);
}

/// A process that does not run sees it afterwards; Ctrl-C is the usual end of a watch.
#[test]
#[cfg(unix)]
fn a_watch_sees_that_it_did_not_run_and_ends_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("events.jsonl");
    let mut child = Process::new(env!("CARGO_BIN_EXE_chronoscope"))
        .args(["watch", "--format", "json", "--every", "100ms", "--log", log.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let send = |signal: &str| {
        assert!(Process::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success())
    };
    let is_seen = || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let late = lines.filter(|line| line["id"] == "not_run");
        late.filter_map(|line| line["evidence"]["values"]["late_ns"].as_f64()).any(|late| late > 3e8)
    };
    // A busy machine makes looks dear and therefore rare: then it takes a longer stop than that between two of them.
    let mut stopped = Duration::from_millis(700);
    std::thread::sleep(Duration::from_millis(500));
    while !is_seen() {
        send("-STOP");
        std::thread::sleep(stopped);
        send("-CONT");
        std::thread::sleep(Duration::from_millis(500));
        stopped *= 2;
        assert!(stopped < Duration::from_secs(30));
    }
    send("-INT");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    let summary: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((child.wait().unwrap().code(), &summary["stopped"]), (Some(0), &Value::from(true)), "{text}");
}
