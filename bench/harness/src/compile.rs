//! What the author of a benchmark compiles before its first result: with this harness, and with two peers together.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bench_common::process::{failed, output_of};
use bench_common::{Failure, Run, Section, Table, Value};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::known::home;

/// A crate of benchmarks: its name, what it depends on, its benchmarks, and the lock file whose versions it takes, where it has them.
struct User {
    name: &'static str,
    dependencies: &'static str,
    benches: &'static [(&'static str, &'static str)],
    lock: &'static str,
}

/// As the documentation of each begins, with the features that are on by default; ours first.
const USERS: [User; 2] = [
    User {
        name: "chronoscope",
        dependencies: concat!(
            "chronoscope-bench = { path = \"",
            env!("CARGO_MANIFEST_DIR"),
            "/../../crates/bench\" }\n"
        ),
        benches: &[(
            "ours",
            "fn main() {\n    let study = chronoscope_bench::Study::new(\"sum\").case(\"add\", |b| b.iter(|| 1 + 1));\n    \
             chronoscope_bench::main([study]);\n}\n",
        )],
        lock: concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"),
    },
    User {
        name: "criterion and divan",
        dependencies: "criterion = \"=0.8.2\"\ndivan = \"=0.1.21\"\n",
        benches: &[
            (
                "criterion",
                "use criterion::{Criterion, criterion_group, criterion_main};\nfn add(c: &mut Criterion) {\n    \
                 c.bench_function(\"add\", |b| b.iter(|| 1 + 1));\n}\ncriterion_group!(benches, add);\n\
                 criterion_main!(benches);\n",
            ),
            ("divan", "fn main() {\n    divan::main();\n}\n#[divan::bench]\nfn add() -> i32 {\n    1 + 1\n}\n"),
        ],
        lock: concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"),
    },
];

/// Seconds that a build takes from nothing: by the clock, and of all CPUs.
type Spent = [f64; 2];

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let folder = home()?;
    let places = USERS.map(|user| (folder.path().join(user.name), user));
    let mut crates = Vec::new();
    for (place, user) in &places {
        user.write(place).map_err(failed(place.display()))?;
        crates.push(match count(place) {
            Ok(count) => Value::number(count as f64, 0),
            // A quick run says nothing of time, and needs no registry.
            Err(_) if run.is_quick => Value::Nothing,
            Err(failure) => return Err(failure),
        });
    }
    let mut rounds: Vec<[Spent; 2]> = Vec::new();
    for round in run.times(5, 0) {
        run.now(format!("compile, run {}", round + 1));
        let mut spent = [[0.0; 2]; 2];
        // Who goes first alternates.
        for turn in 0..2 {
            let which = (round as usize + turn) % 2;
            spent[which] = build(&places[which].0)?;
        }
        rounds.push(spent);
    }
    let columns = "a crate of benchmarks with | crates | s | s of CPU | × their s | × their s of CPU";
    let mut table = Table::new(1, columns);
    for (at, (crates, user)) in crates.into_iter().zip(USERS).enumerate() {
        let spent = |which: usize| Value::extremes(rounds.iter().map(move |round| round[at][which]), 1);
        let ratio = |which: usize| if at == 0 { ratio(&rounds, which) } else { Value::Nothing };
        table.row([user.name.into(), crates, spent(0), spent(1), ratio(0), ratio(1)]);
    }
    section.table(table);
    section.say("Medians over rounds with extremes.");
    Ok(())
}

/// By how much ours takes longer, round by round.
fn ratio(rounds: &[[Spent; 2]], which: usize) -> Value {
    Value::extremes(rounds.iter().map(|[ours, peers]| ours[which] / peers[which]), 2)
}

impl User {
    fn write(&self, place: &Path) -> std::io::Result<()> {
        let mut manifest = format!(
            "[package]\nname = \"user\"\nedition = \"2024\"\n\n[dev-dependencies]\n{}\n[workspace]\n",
            self.dependencies
        );
        std::fs::create_dir_all(place.join("benches"))?;
        std::fs::create_dir_all(place.join("src"))?;
        std::fs::write(place.join("src/lib.rs"), "")?;
        for (name, text) in self.benches {
            manifest.push_str(&format!("\n[[bench]]\nname = \"{name}\"\nharness = false\n"));
            std::fs::write(place.join("benches").join(name).with_extension("rs"), text)?;
        }
        // Cargo strikes out what is not needed.
        std::fs::copy(self.lock, place.join("Cargo.lock"))?;
        std::fs::write(place.join("Cargo.toml"), manifest)
    }
}

/// Crates that are compiled for the user at `place`, without its own.
fn count(place: &Path) -> Result<usize, Failure> {
    let arguments = ["tree", "--quiet", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}"];
    let said = output_of(cargo(place).args(arguments), "cargo tree")?;
    let all: BTreeSet<&str> = said.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(all.iter().filter(|line| !line.is_empty()).count().saturating_sub(1))
}

/// Builds its benchmarks from nothing; what must be fetched was, to count the crates.
fn build(place: &Path) -> Result<Spent, Failure> {
    let target = place.join("target");
    output_of(cargo(place).args(["fetch", "--quiet"]), "cargo fetch")?;
    let (began, cpu_s) = (Instant::now(), children_s()?);
    let mut bench = cargo(place);
    output_of(bench.args(["bench", "--quiet", "--no-run"]).env("CARGO_TARGET_DIR", &target), "cargo bench --no-run")?;
    let spent = [began.elapsed().as_secs_f64(), children_s()? - cpu_s];
    std::fs::remove_dir_all(&target).map_err(failed(target.display()))?;
    Ok(spent)
}

fn cargo(place: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(place);
    command
}

/// CPU time of all children that have ended.
fn children_s() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(failed("the CPU time of builds is not known"))?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use bench_common::value::Number;

    use super::*;

    #[test]
    fn times_are_compared_within_rounds() {
        let rounds = [[[9.0, 22.0], [10.0, 20.0]], [[8.0, 21.0], [10.0, 20.0]], [[99.0, 99.0], [10.0, 20.0]]];
        let median = |which| match ratio(&rounds, which) {
            Value::Number(Number { value, .. }) => value,
            other => panic!("{other:?}"),
        };
        assert!((median(0) - 0.9).abs() < 1e-9 && (median(1) - 1.1).abs() < 1e-9);
        assert_eq!(ratio(&[], 0), Value::Nothing);
    }

    #[test]
    fn both_users_have_what_they_compile() {
        let folder = tempfile::tempdir().unwrap();
        for user in &USERS {
            let place = folder.path().join(user.name);
            user.write(&place).unwrap();
            assert!(place.join("Cargo.lock").is_file(), "{}", user.name);
            let manifest = std::fs::read_to_string(place.join("Cargo.toml")).unwrap();
            assert_eq!(manifest.matches("[[bench]]").count(), user.benches.len());
        }
    }
}
