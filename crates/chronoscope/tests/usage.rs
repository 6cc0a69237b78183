//! What users get wrong, and what needs no measuring.

use assert_cmd::Command;

fn chronoscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.env_remove("COLUMNS");
    command
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
    assert!(refused(&["--duration", "1ms"]).contains("duration 1 ms is out of range (2 s–1 h)"));
    assert!(refused(&["--duration", "10years"]).contains("2 s–1 h"));
    assert!(refused(&["--interval", "0s"]).contains("interval 0 s is out of range"));
}

#[test]
fn a_value_below_zero_is_refused_as_a_value() {
    let times = |command: &'static str, option, accepted| (command, option, "-5us", accepted);
    for (command, option, value, accepted) in [
        times("check", "--interval", "it is negative; choose 1 ns to 24 h"),
        times("clocks", "--interval", "it is negative; choose 1 ns to 24 h"),
        times("check", "--duration", "it is negative; choose a time such as 8s"),
        times("reads", "--duration", "it is negative; choose a time such as 8s"),
        times("selftest", "--duration", "it is negative; choose a time such as 8s"),
        times("scaling", "--duration", "it is negative; choose a time such as 8s"),
        times("pause", "--length", "it is negative; choose 100 ns to 1 s"),
        times("pace --rate 1k", "--for", "it is negative; choose 10 ms to 24 h"),
        times("pace --rate 1k", "--stall", "it is negative; choose a time shorter than --for"),
        ("pace", "--rate", "-5", "e.g. 1500, 100k"),
        times("watch", "--for", "it is negative; choose 100 ms to 365 days"),
        times("watch", "--every", "it is negative; choose 10 ms to 1 h"),
        ("pace --rate 1k --poisson", "--seed", "-5", "it is negative; choose 0 to"),
        ("check", "--cpus", "-1", "e.g. 0-3,6"),
        ("monotime", "--threads", "-1", "e.g. 1,2,4"),
        ("scaling", "--threads", "-1,2", "e.g. 1,2,4"),
        ("latch", "--threads", "-1", "it is negative; choose 1 to 4096"),
        ("runtimes", "--latch", "-1", "it is negative; choose 1 to 4096"),
    ] {
        let arguments: Vec<&str> = command.split(' ').chain([option, value]).collect();
        let told = refused(&arguments);
        assert!(told.contains(option) && told.contains(value) && told.contains(accepted), "{arguments:?}: {told}");
        assert!(!told.contains("unexpected argument"), "{arguments:?}: {told}");
    }
    let without_command = refused(&["--interval", "-5us"]);
    assert!(without_command.contains("it is negative; choose 1 ns to 24 h"), "{without_command}");
    // The bounds that are named are those that are kept.
    for (arguments, kept) in [
        (&["--interval", "0s"][..], "interval 0 s is out of range (1 ns–24 h)"),
        (&["pause", "--length", "0s"], "pause 0 s is out of range (100 ns–1 s)"),
        (&["pace", "--rate", "1k", "--for", "0s"], "out of range (10 ms–24 h)"),
        (&["latch", "--threads", "0"], "out of range (1–4096)"),
        (&["watch", "--every", "1ms"], "--every 1 ms is out of range (10 ms–1 h)"),
        (&["watch", "--for", "0s"], "--for 0 s is out of range (100 ms–"),
    ] {
        assert!(refused(arguments).contains(kept), "{arguments:?}");
    }
}

#[test]
fn an_option_that_would_not_be_answered_is_refused() {
    for command in ["reads", "causality", "monotime", "latch", "pause", "runtimes", "selftest", "scaling"] {
        assert!(refused(&[command, "--interval", "500ns"]).contains("--interval"), "{command}");
    }
    // Before the command it belongs to no command.
    for before in [&["--interval", "500ns"][..], &["--quick"], &["--cpus", "0"]] {
        let told = refused(&[before, &["clocks"]].concat());
        assert!(told.contains(before[0]) && told.contains("clocks"), "{told}");
    }
}

#[test]
fn absurd_threads_are_refused_before_anything_is_measured() {
    let monotime = |option: &str, value: &str| refused(&["monotime", option, value]);
    assert!(monotime("--threads", "0").contains("out of range (1–4096)"));
    assert!(monotime("--threads", "1,4097").contains("4097 threads are out of range"));
    assert!(monotime("--threads", "").contains("e.g. 1,2,4"));
    assert!(monotime("--threads", "1,,2").contains("e.g. 1,2,4"));
    assert!(refused(&["check", "--threads", "2"]).contains("--threads"));
}

#[test]
fn absurd_numbers_of_released_threads_are_refused_before_anything_is_measured() {
    let latch = |threads: &str| refused(&["latch", "--threads", threads]);
    assert!(latch("0").contains("0 threads are out of range (1–4096)"));
    assert!(latch("4097").contains("out of range (1–4096)"));
    for wrong in ["", "many", "1.5", "99999999999", "1,2"] {
        assert!(latch(wrong).contains("--threads"), "{wrong}");
    }
    assert!(latch("-1").contains("-1"));
}

#[test]
fn absurd_pauses_are_refused_before_anything_is_measured() {
    for wrong in ["0s", "99ns", "2s"] {
        assert!(refused(&["pause", "--length", wrong]).contains("is out of range (100 ns–1 s)"), "{wrong}");
    }
    assert!(refused(&["pause", "--length=-1us"]).contains("-1us"));
}

#[test]
fn absurd_paces_are_refused_before_anything_is_measured() {
    let pace = |rate: &str, more: &[&str]| refused(&[&["pace", "--rate", rate], more].concat());
    assert!(pace("0", &[]).contains("rate must be greater than 0"));
    assert!(pace("18446744073709551615", &[]).contains("at most one event per nanosecond"));
    assert!(pace("fast", &[]).contains("e.g. 1500, 100k"));
    assert!(pace("1k", &["--for", "0s"]).contains("out of range (10 ms–24 h)"));
    assert!(pace("1k", &["--for", "1s", "--stall", "1s"]).contains("shorter than the run"));
    assert!(pace("1k", &["--seed", "3"]).contains("--poisson"));
    assert!(refused(&["pace"]).contains("--rate"));
}

#[test]
fn absurd_surfaces_are_refused_before_anything_is_measured() {
    let scaling = |option: &str, value: &str| refused(&["scaling", option, value]);
    let unknown = scaling("--clock", "sundial");
    assert!(unknown.contains("sundial") && unknown.contains("syscall CLOCK_MONOTONIC"), "{unknown}");
    assert!(scaling("--threads", "0").contains("out of range (1–"));
    assert!(scaling("--threads", "4-1").contains("1-4"));
    assert!(scaling("--threads", "").contains("e.g. 1,2,4"));
    assert!(scaling("--duration", "1s").contains("out of range (5 s–"));
    assert!(scaling("--cpus", "60000").contains("60000"));
    assert!(scaling("--output", "/no/such/folder/record.json").contains("choose a file"));
    assert!(scaling("--html", "/").contains("cannot write the page"));
    assert!(refused(&["scaling", "--quick", "--thorough"]).contains("--thorough"));
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let message = refused(&["--output", "/no/such/folder/record.json"]);
    assert!(message.contains("/no/such/folder/record.json") && message.contains("choose a file"), "{message}");
    assert!(refused(&["--output", "/"]).contains("folder"));
    assert!(refused(&["--output", "/dev/full"]).contains("not a regular file"));
}

#[test]
fn experiments_that_there_are_not_are_refused() {
    let message = refused(&["experiment", "perpetuum"]);
    assert!(
        message.contains("perpetuum") && message.contains("volatile") && message.contains("fibonacci"),
        "{message}"
    );
    assert!(refused(&["experiment"]).contains("<NAME>"));
    assert!(refused(&["experiment", "volatile", "--cpus", "60000"]).contains("60000"));
    assert!(
        refused(&["experiment", "backoff", "--duration", "1ms"]).contains("duration 1 ms is out of range (1 s–24 h)")
    );
    assert!(refused(&["experiment", "backoff", "--output", "/no/such/folder/record.json"]).contains("choose a file"));
    assert!(refused(&["selftest", "--cpus", "60000"]).contains("60000"));
    assert!(refused(&["selftest", "--quick", "--thorough"]).contains("--thorough"));
}

#[test]
fn a_file_that_is_no_record_is_refused() {
    assert!(refused(&["show", "/no/such/record.json"]).contains("cannot be shown"));
    assert!(refused(&["show", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]).contains("cannot be shown"));
}

#[test]
fn a_saved_record_is_shown_again() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/record.json");
    for view in ["check", "clocks", "reads", "causality", "pause"] {
        let output = chronoscope().args(["show", fixture, "--view", view]).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}'), "no colour where standard output is no terminal");
        assert!(text.lines().count() > 5, "{text}");
    }
    let json = chronoscope().args(["show", fixture, "--format", "json"]).assert().success().get_output().clone();
    serde_json::from_slice::<serde_json::Value>(&json.stdout).unwrap();
}

#[test]
fn a_saved_study_is_shown_again() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/study.json");
    let check = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/record.json");
    for more in [&[][..], &["--full"]] {
        let output = chronoscope().args(["show", fixture]).args(more).assert().success().get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("CONCLUSIONS") && !text.contains('\u{1b}'), "{text}");
    }
    let json = chronoscope().args(["show", fixture, "--format", "json"]).assert().success().get_output().clone();
    assert_eq!(String::from_utf8(json.stdout).unwrap(), std::fs::read_to_string(fixture).unwrap());
    assert!(
        refused(&["show", fixture, "--view", "clocks"])
            .contains("--view applies to checks; `study` wrote this document")
    );
    let section = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/runtimes.json");
    assert!(refused(&["show", section, "--full"]).contains("--full applies to checks, studies and comparisons"));
    assert!(refused(&["show", check, "--view", "clocks", "--html", "x"]).contains("--html applies"));
}

#[test]
fn the_schema_is_the_committed_one() {
    let committed = include_str!("../schema/chronoscope.v2.schema.json");
    chronoscope().arg("schema").assert().success().stdout(committed);
}

#[test]
fn completions_and_manual_name_every_command() {
    let text = |arguments: &[&str]| {
        let output = chronoscope().args(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    let manual = text(&["man"]);
    for command in [
        "check",
        "clocks",
        "reads",
        "causality",
        "contention",
        "thread-release",
        "pauses",
        "runtimes",
        "pace",
        "scaling",
        "advise",
        "show",
        "schema",
        "completions",
        "man",
    ] {
        assert!(manual.contains(command), "the manual does not name {command}");
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            assert!(text(&["completions", shell]).contains(command), "{shell} does not complete {command}");
        }
    }
}

#[test]
fn a_worker_that_is_asked_nothing_says_so() {
    let output = chronoscope()
        .env("CHRONOSCOPE_REQUEST", "{}")
        .env("CHRONOSCOPE_COORDINATOR", std::process::id().to_string())
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot parse the request"));
}
