//! What the author of a benchmark compiles before its first result: with this harness, and with two peers together.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bench_common::process::{failed, output_of};
use bench_common::{Failure, Run, Section, Table, Value};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Crates of benchmarks, and where they are; ours first.
const USERS: [(&str, &str); 2] = [
    ("chronoscope", concat!(env!("CARGO_MANIFEST_DIR"), "/users/ours")),
    ("criterion and divan", concat!(env!("CARGO_MANIFEST_DIR"), "/users/peers")),
];
/// Ours are compiled in the versions that we test.
const LOCK_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");

/// Seconds that a build takes from nothing: by the clock, and of all CPUs.
type Spent = [f64; 2];

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    // Cargo strikes out what is not needed.
    std::fs::copy(LOCK_FILE, Path::new(USERS[0].1).join("Cargo.lock")).map_err(failed(LOCK_FILE))?;
    let mut crates = Vec::new();
    for (_, user) in USERS {
        crates.push(match count(user) {
            Ok(count) => Value::number(count as f64, 0),
            // A quick run says nothing of time, and needs no registry.
            Err(_) if run.is_quick => Value::Nothing,
            Err(failure) => return Err(failure),
        });
    }
    let rounds: Vec<[Spent; 2]> = run.repeat("compile", 5, 0, |round| {
        let mut spent = [[0.0; 2]; 2];
        // Who goes first alternates.
        for turn in 0..2 {
            let which = (round as usize + turn) % 2;
            spent[which] = build(USERS[which].1)?;
        }
        Ok(spent)
    })?;
    let columns = "a crate of benchmarks with | crates | s | s of CPU | × their s | × their s of CPU";
    let mut table = Table::new(1, columns);
    for (at, (crates, (name, _))) in crates.into_iter().zip(USERS).enumerate() {
        let spent = |which: usize| Value::extremes(rounds.iter().map(move |round| round[at][which]), 1);
        // Round by round.
        let ratio = |which: usize| match at {
            0 => Value::extremes(rounds.iter().map(|[ours, peers]| ours[which] / peers[which]), 2),
            _ => Value::Nothing,
        };
        table.row([name.into(), crates, spent(0), spent(1), ratio(0), ratio(1)]);
    }
    section.table(table);
    section.say("Medians over rounds with extremes.");
    Ok(())
}

fn count(user: &str) -> Result<usize, Failure> {
    let arguments = ["tree", "--quiet", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}"];
    let said = output_of(cargo(user).args(arguments), "cargo tree")?;
    let all: BTreeSet<&str> = said.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(all.iter().filter(|line| !line.is_empty()).count().saturating_sub(1))
}

/// Builds its benchmarks from nothing; what must be fetched was, to count the crates.
fn build(user: &str) -> Result<Spent, Failure> {
    let target = tempfile::tempdir().map_err(failed("no temporary folder"))?;
    output_of(cargo(user).args(["fetch", "--quiet"]), "cargo fetch")?;
    let (began, cpu_s) = (Instant::now(), children_s()?);
    let mut bench = cargo(user);
    bench.args(["bench", "--quiet", "--no-run"]).env("CARGO_TARGET_DIR", target.path());
    output_of(&mut bench, "cargo bench --no-run")?;
    Ok([began.elapsed().as_secs_f64(), children_s()? - cpu_s])
}

fn cargo(user: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(user);
    command
}

fn children_s() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(failed("the CPU time of builds is not known"))?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}
