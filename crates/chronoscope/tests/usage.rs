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

#[test]
fn no_message_steers_a_terminal() {
    const ESCAPE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J";
    let folder = tempfile::tempdir().unwrap();
    let hostile = folder.path().join(format!("{ESCAPE}.json"));
    std::fs::write(&hostile, format!(r#"{{"schema_version":"{ESCAPE}"}}"#)).unwrap();
    let hostile = hostile.to_str().unwrap();
    for arguments in [
        &["show", hostile][..],
        &["show", ESCAPE],
        &["compare", hostile, hostile],
        &["gate", "--document", hostile, "--require", "vdso"],
        &["advise", "--symptom", ESCAPE],
        &[ESCAPE],
        &["check", &format!("--{ESCAPE}")],
        &["check", "--cpus", ESCAPE],
    ] {
        // As on a terminal.
        let output = chronoscope().args(arguments).env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let steers = |bytes: &[u8]| said.windows(bytes.len()).any(|window| window == bytes);
        assert!(!said.is_empty() && !steers(b"\x1b]") && !steers(b"\x1b[2J") && !steers(b"\x07"), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_written_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_chronoscope")).arg("--help").stdout(full).status();
    assert_eq!(status.unwrap().code(), Some(1));
}
