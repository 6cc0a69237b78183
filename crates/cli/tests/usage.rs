//! What users get wrong, and what needs no measuring.

use assert_cmd::Command;

fn chronoscope() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chronoscope"))
}

fn refused(arguments: &[&str]) -> String {
    let output = chronoscope().args(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "a refusal prints nothing on standard output");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn unknown_flags_and_commands_are_refused() {
    assert!(refused(&["--frobnicate"]).contains("--frobnicate"));
    assert!(refused(&["frobnicate"]).contains("frobnicate"));
    assert!(refused(&["--quick", "--thorough"]).contains("--thorough"));
}

#[test]
fn absurd_values_are_refused_before_anything_is_measured() {
    assert!(refused(&["--cpus", "60000"]).contains("choose from"));
    assert!(refused(&["--cpus", "3-1"]).contains("1-3"));
    assert!(refused(&["--duration", "1ms"]).contains("2s"));
    assert!(refused(&["--duration", "10years"]).contains("1h"));
    assert!(refused(&["--interval", "0s"]).contains("0s"));
}

#[test]
fn absurd_threads_and_granularities_are_refused_before_anything_is_measured() {
    let monotime = |option: &str, value: &str| refused(&["monotime", option, value]);
    assert!(monotime("--threads", "0").contains("choose 1 to 1024"));
    assert!(monotime("--threads", "1,1025").contains("1025 is no number of threads"));
    assert!(monotime("--threads", "").contains("such as 1,2,4"));
    assert!(monotime("--threads", "1,,2").contains("such as 1,2,4"));
    assert!(monotime("--granularity", "1001ms").contains("choose 0ns to 1s"));
    assert!(monotime("--granularity", "").contains("such as 0,100,1us"));
    assert!(monotime("--granularity", "fine").contains("fine"));
    let many: Vec<String> = (1..=40).map(|threads: u32| threads.to_string()).collect();
    assert!(monotime("--threads", &many.join(",")).contains("choose 32 at most"));
    assert!(refused(&["check", "--threads", "2"]).contains("--threads"));
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let message = refused(&["--output", "/no/such/folder/record.json"]);
    assert!(message.contains("/no/such/folder/record.json") && message.contains("choose a file"), "{message}");
    assert!(refused(&["--output", "/"]).contains("folder"));
    assert!(refused(&["--output", "/dev/full"]).contains("no ordinary file"));
}

#[test]
fn a_file_that_is_no_record_is_refused() {
    assert!(refused(&["show", "/no/such/record.json"]).contains("cannot be shown"));
    assert!(refused(&["show", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]).contains("cannot be shown"));
}

#[test]
fn a_saved_record_is_shown_again() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/tests/fixtures/record.json");
    for view in ["check", "clocks", "reads", "causality", "monotime"] {
        let output = chronoscope().args(["show", fixture, "--view", view]).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}'), "no colour where standard output is no terminal");
        assert!(text.lines().count() > 5, "{text}");
    }
    let json = chronoscope().args(["show", fixture, "--format", "json"]).assert().success().get_output().clone();
    serde_json::from_slice::<serde_json::Value>(&json.stdout).unwrap();
}

#[test]
fn the_schema_is_the_committed_one() {
    let committed = include_str!("../../../schema/chronoscope-record.v1.schema.json");
    chronoscope().arg("schema").assert().success().stdout(committed);
}

#[test]
fn completions_and_manual_name_every_command() {
    let text = |arguments: &[&str]| {
        let output = chronoscope().args(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    let manual = text(&["man"]);
    for command in ["check", "clocks", "reads", "causality", "monotime", "show", "schema", "completions", "man"] {
        assert!(manual.contains(command), "the manual does not name {command}");
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            assert!(text(&["completions", shell]).contains(command), "{shell} does not complete {command}");
        }
    }
}

#[test]
fn a_worker_that_is_asked_nothing_says_so() {
    let output = chronoscope().arg("__chronoscope-worker").write_stdin("{}").assert().code(1).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("garbled"));
}
