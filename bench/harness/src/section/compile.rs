//! What the author of a benchmark compiles before its first result: with this harness, and with two peers together.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bench_common::failure::Failure;
use bench_common::process::output_of;
use bench_common::spread::Spread;
use bench_common::table;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Serialize;

use crate::size::Size;

/// A crate of benchmarks: its name, what it depends on, its benchmarks, and the lock file whose versions it takes, where it has them.
struct User {
    name: &'static str,
    dependencies: &'static str,
    benches: &'static [(&'static str, &'static str)],
    lock: &'static str,
}

/// As the documentation of each begins, with the features that are on by default.
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

/// What both compile, ours first.
#[derive(Debug, Serialize)]
pub(crate) struct Compile {
    /// None where no registry could be asked.
    crates: [Option<usize>; 2],
    rounds: Vec<[Spent; 2]>,
}

/// What a build took, from nothing.
#[derive(Clone, Copy, Debug, Serialize)]
struct Spent {
    wall_s: f64,
    cpu_s: f64,
}

pub(crate) fn measure(size: &Size) -> Result<Compile, Failure> {
    let folder = tempfile::tempdir().map_err(|error| Failure::because(format!("no temporary folder: {error}")))?;
    let mut found = Compile { crates: [None; 2], rounds: Vec::new() };
    for (user, crates) in USERS.iter().zip(&mut found.crates) {
        let place = folder.path().join(user.name);
        user.write(&place).map_err(|error| Failure::because(format!("{}: {error}", place.display())))?;
        // A quick run says nothing of time, and needs no registry.
        *crates = match user.crates(&place) {
            Err(_) if size.compile == 0 => None,
            counted => Some(counted?),
        };
    }
    for round in 0..size.compile {
        eprintln!("bench-harness: compile, run {} of {}", round + 1, size.compile);
        let mut spent = [Spent { wall_s: 0.0, cpu_s: 0.0 }; 2];
        // Who goes first alternates.
        for turn in 0..2 {
            let which = (round as usize + turn) % 2;
            spent[which] = USERS[which].build(&folder.path().join(USERS[which].name))?;
        }
        found.rounds.push(spent);
    }
    Ok(found)
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

    /// Crates that are compiled, without the user's own.
    fn crates(&self, place: &Path) -> Result<usize, Failure> {
        let mut tree = cargo(place);
        tree.args(["tree", "--quiet", "--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}"]);
        let said = output_of(tree, "cargo tree")?;
        let all: BTreeSet<&str> = said.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        Ok(all.iter().filter(|line| !line.is_empty()).count().saturating_sub(1))
    }

    /// Builds its benchmarks from nothing; what must be fetched was, to count the crates.
    fn build(&self, place: &Path) -> Result<Spent, Failure> {
        let target = place.join("target");
        let mut fetch = cargo(place);
        fetch.args(["fetch", "--quiet"]);
        output_of(fetch, "cargo fetch")?;
        let (began, cpu_s) = (Instant::now(), children_s()?);
        let mut bench = cargo(place);
        bench.args(["bench", "--quiet", "--no-run"]).env("CARGO_TARGET_DIR", &target);
        output_of(bench, "cargo bench --no-run")?;
        let spent = Spent { wall_s: began.elapsed().as_secs_f64(), cpu_s: children_s()? - cpu_s };
        std::fs::remove_dir_all(&target).map_err(|error| Failure::because(format!("{}: {error}", target.display())))?;
        Ok(spent)
    }
}

fn cargo(place: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(place);
    command
}

/// CPU time of all children that have ended.
fn children_s() -> Result<f64, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|error| Failure::because(format!("the CPU time of builds is not known: {error}")))?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}

impl Compile {
    pub(crate) fn crates(&self) -> Option<usize> {
        self.crates[0]
    }

    /// By how much ours takes longer: the median over rounds, of CPU time or of the clock's, whichever is more.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let of = |value: fn(&Spent) -> f64| self.ratios(value).map(|ratio| ratio.median);
        of(|spent| spent.cpu_s).zip(of(|spent| spent.wall_s)).map(|(cpu, wall)| cpu.max(wall))
    }

    fn ratios(&self, value: fn(&Spent) -> f64) -> Option<Spread> {
        Spread::of(self.rounds.iter().map(|[ours, peers]| value(ours) / value(peers)))
    }

    pub(crate) fn show(&self) -> String {
        let row = |at: usize| {
            let of = |value: fn(&Spent) -> f64| {
                table::or_dash(
                    Spread::of(self.rounds.iter().map(|round| value(&round[at]))).map(|s| s.show_extremes(1)),
                )
            };
            vec![
                USERS[at].name.to_owned(),
                table::or_dash(self.crates[at].map(|crates| crates.to_string())),
                of(|spent| spent.wall_s),
                of(|spent| spent.cpu_s),
            ]
        };
        let headings = ["a crate of benchmarks with", "crates", "s (extremes)", "s of CPU (extremes)"];
        let ratio = |value| table::or_dash(self.ratios(value).map(|ratio| ratio.show_extremes(2)));
        format!(
            "{}\n\nFrom nothing to `cargo bench --no-run`, in turn; default features and profile. Ours take {} of the time and {} of \
             the\nCPU time (extremes of the rounds).",
            table::numbers(&headings, [row(0), row(1)]),
            ratio(|spent| spent.wall_s),
            ratio(|spent| spent.cpu_s),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearer_of_both_times_decides() {
        let spent = |wall_s, cpu_s| Spent { wall_s, cpu_s };
        let round = |ours, peers| [ours, peers];
        let rounds = vec![
            round(spent(9.0, 22.0), spent(10.0, 20.0)),
            round(spent(8.0, 21.0), spent(10.0, 20.0)),
            round(spent(99.0, 99.0), spent(10.0, 20.0)),
        ];
        let found = Compile { crates: [Some(59), Some(100)], rounds };
        assert!((found.ratio().unwrap() - 1.1).abs() < 1e-9);
        assert_eq!(Compile { crates: [Some(59), Some(100)], rounds: Vec::new() }.ratio(), None);
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
