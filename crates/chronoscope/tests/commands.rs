//! What the program says to a command that measures nothing, a refused one above all: `golden/commands.txt` holds each command
//! with its answer and exit code.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chronoscope --test it commands` rewrites the answers; review the difference before
//! committing. To try another command, add its line.

use assert_cmd::Command;

/// What follows these words depends on the machine.
const OF_THE_MACHINE: [&str; 5] =
    ["choose from ", "readable here: ", "there are: ", "(available: ", "a path such as /dev/ptp0, or "];

/// The words of a command; those in quotes may hold spaces, or nothing.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('\'').enumerate().flat_map(
        |(at, part)| {
            if at % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
        },
    )
}

fn answer(line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.args(words(line)).env_remove("COLUMNS").env("TZ", "UTC");
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let output = command.output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let said = said.trim_end().trim_end_matches("\n\nFor more information, try '--help'.");
    let own = OF_THE_MACHINE.iter().filter_map(|words| Some(said.find(words)? + words.len())).min();
    let mut said = own.map_or_else(|| said.to_owned(), |end| format!("{}…", &said[..end]));
    // The name of a draft ends in six letters at random.
    if let Some((before, after)) = said.split_once("/.chronoscope-") {
        said = format!("{before}/…{}", &after[6..]);
    }
    format!("$ chronoscope {line}\n{said}\n[exit code {}]\n\n", output.status.code().unwrap())
}

#[test]
fn every_command_has_its_answer() {
    let golden = include_str!("golden/commands.txt");
    let said: String = golden.lines().filter_map(|line| line.strip_prefix("$ chronoscope ")).map(answer).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/commands.txt"), said).unwrap();
    } else {
        assert!(said == golden, "other answers than in golden/commands.txt:\n{said}");
    }
}

/// 200 kB, as some services and containers have it, for the main thread and for those without a size of their own.
#[cfg(unix)]
#[test]
fn a_small_stack_is_enough() {
    let output = Command::new("sh")
        .args(["-c", "ulimit -s 200 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_chronoscope")])
        .args(["check", "--quick", "--full", "--format", "json"])
        .env("RUST_MIN_STACK", "200000")
        .assert()
        .success()
        .get_output()
        .clone();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("overflow") && !text.contains("SIGABRT"), "{text}");
}
