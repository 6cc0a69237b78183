//! Clocks of runtimes under `scaling`: runtimes that behave and that do not, played by scripts.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command as Process, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

const IDENTITY: &str = r#"{"type":"identity","protocol":1,"runtime":"Fake","version":"1.2","executable":"","timer":"now","timer_hz":1000000000,"parallel":true,"notes":[]}
{"type":"clock","clock":"now","kind":"monotonic","hz":1000000000,"declared_hz":null,"declared_resolution_ns":1,"high_resolution":null}
"#;
const COUNT: &str = r#"{"type":"count_begin","clock":"now"}
{"type":"count_end","clock":"now","reads":1}
"#;
const END: &str = r#"{"type":"end","sink":"0"}
"#;

/// A runtime's program, in `folder`, that answers a count as it should, and then does `next`.
fn runtime(folder: &Path, name: &str, next: &str) {
    fs::write(folder.join("count"), [IDENTITY, COUNT, END].concat()).unwrap();
    let at = folder.display();
    let script = format!("#!/bin/sh\ncase \"$*\" in\n*'\"count\"'*) cat '{at}/count' ;;\n*) {next} ;;\nesac\n");
    fs::write(folder.join(name), script).unwrap();
    fs::set_permissions(folder.join(name), Permissions::from_mode(0o755)).unwrap();
}

/// Three rounds on one thread and two: a read takes 30 ns, and on two threads 60 ns unless 256 tokens of work precede it.
fn sweep(folder: &Path) -> String {
    let mut lines = IDENTITY.to_owned();
    for round in 0..3 {
        for (clock, read_ns) in [("nothing", 0), ("now", 30)] {
            for (tokens, threads) in [0, 1, 16, 256, 4096, 65536].into_iter().flat_map(|of| [(of, 1), (of, 2)]) {
                let others_ns = if threads > 1 && tokens < 256 { read_ns } else { 0 };
                let ns = 100 * (2 + tokens + read_ns + others_ns);
                let batches: Vec<String> = (0..threads).map(|thread| format!("[{thread},0,{ns}]")).collect();
                let batches = batches.join(",");
                lines += &format!(
                    "{{\"type\":\"sweep\",\"clock\":\"{clock}\",\"tokens\":{tokens},\"threads\":{threads},\
                     \"round\":{round},\"operations\":100,\"batches\":[{batches}]}}\n"
                );
            }
        }
    }
    let file = folder.join("sweep");
    fs::write(&file, lines + END).unwrap();
    format!("cat '{}'", file.display())
}

fn scaling(folder: &Path, arguments: &[&str]) -> Process {
    let mut command = Process::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(["scaling", "--quiet"]).args(arguments);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    scaling(folder, arguments).output().unwrap()
}

fn several_cpus() -> bool {
    std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1)
}

#[test]
fn a_runtime_that_fails_is_named_and_takes_nothing_along() {
    let folder = tempfile::tempdir().unwrap();
    let good = sweep(folder.path());
    runtime(folder.path(), "node", &good);
    runtime(folder.path(), "python3", "echo luckless >&2; exit 1");
    let output = run(folder.path(), &["--clock", "node,python", "--duration", "6s", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../schema/chronoscope.v2.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&record));
    let runtimes = record["content"]["sections"]["runtimes"]["report"].as_array().unwrap();
    assert_eq!((&runtimes[0]["kind"], &runtimes[0]["processes"]), (&"node".into(), &8.into()));
    let python = runtimes.iter().find(|runtime| runtime["kind"] == "python").unwrap();
    let why = python["reason_unavailable"].as_str().unwrap();
    assert!(why.contains("luckless") && python["available"] == false, "{why}");
    let found = &record["content"]["scaling"][0];
    assert_eq!(found["clock"], "node now");
    if several_cpus() {
        let front = &found["front"];
        assert_eq!(
            (&front["scales"], &front["raised"]["tokens"], &front["flat"]["tokens"]),
            (&"from".into(), &16.into(), &256.into())
        );
    }
    let file = folder.path().join("record.json");
    fs::write(&file, &output.stdout).unwrap();
    let shown = Process::new(env!("CARGO_BIN_EXE_chronoscope")).arg("show").arg(&file).output().unwrap();
    let page = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(page.contains("now") && page.contains("luckless"), "{page}");
}

#[test]
fn if_no_runtime_can_be_measured_each_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    runtime(folder.path(), "python3", "echo luckless >&2; exit 1");
    let output = run(folder.path(), &["--clock", "python", "--duration", "5s"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("Python") && told.contains("luckless"), "{told}");
    let output = run(folder.path(), &["--clock", "python", "--no-runtimes"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-runtimes"));
}

#[test]
fn an_interrupted_run_keeps_the_processes_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let good = sweep(folder.path());
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    // The second process hangs.
    let next = format!(
        "if [ -e '{first}' ]; then touch '{second}'; exec sleep 60; fi; touch '{first}'; {good}",
        first = first.display(),
        second = second.display()
    );
    runtime(folder.path(), "node", &next);
    let child = scaling(folder.path(), &["--clock", "node", "--duration", "60s", "--format", "json"]).spawn().unwrap();
    while !second.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &record["interrupted"]), (Some(1), &true.into()));
    assert_eq!(record["content"]["sections"]["runtimes"]["report"][0]["processes"], 1);
    assert!(!record["content"]["study"]["cells"].as_array().unwrap().is_empty());
}
