//! What needs no measuring.

use assert_cmd::Command;

fn chronoscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.env_remove("COLUMNS");
    command
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
fn a_worker_that_is_asked_nothing_fails() {
    let coordinator = std::process::id().to_string();
    chronoscope().env("CHRONOSCOPE_REQUEST", "{}").env("CHRONOSCOPE_COORDINATOR", coordinator).assert().code(1);
}
