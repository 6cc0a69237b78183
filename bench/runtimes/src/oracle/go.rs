//! Go's package testing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench_common::failure::Failure;
use bench_common::process::output_of;
use tempfile::TempDir;

use super::{FOLDER, Interpreter, Measured, Oracle, Repetitions, scratch};
use crate::size::Size;

/// The benchmarks of go/clock_test.go, compiled.
pub(super) struct Testing {
    version: String,
    program: PathBuf,
    _folder: TempDir,
}

impl Testing {
    /// Compiles them: what is here, and nothing from the network.
    pub(super) fn find(go: &Path) -> Result<Self, Failure> {
        let local = |arguments: &[&str]| {
            let mut command = Command::new(go);
            command.args(arguments).current_dir(Path::new(FOLDER).join("go"));
            command.env("GOTOOLCHAIN", "local").env("GOPROXY", "off").env("GOFLAGS", "").env("GOWORK", "off");
            command
        };
        let name = go.display().to_string();
        let version = output_of(local(&["env", "GOVERSION"]), &name)?.trim().to_owned();
        let folder = scratch()?;
        let program = folder.path().join("clock.test");
        let mut build = local(&["test", "-c", "-o"]);
        build.arg(&program);
        output_of(build, &format!("{name} test -c"))?;
        Ok(Self { version, program, _folder: folder })
    }
}

impl Oracle for Testing {
    fn measure(&self, size: &Size) -> Result<Measured, Failure> {
        let mut command = Command::new(&self.program);
        command.args(["-test.run", "^$", "-test.bench", "."]);
        command.args(["-test.count", &size.repetitions.to_string()]);
        command.args(["-test.benchtime", &format!("{}ms", size.repetition.as_millis())]);
        Ok(Measured {
            harness: "testing.B".to_owned(),
            interpreter: Interpreter::version(&self.version),
            benchmarks: measured(&output_of(command, "go test")?)?,
        })
    }
}

/// Lines like `BenchmarkNow-2   1000000   43.38 ns/op`; the number of processors stands there unless it is 1.
fn measured(text: &str) -> Result<BTreeMap<String, Repetitions>, Failure> {
    let mut repetitions: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(name) = words.next().and_then(|name| name.strip_prefix("Benchmark")) else { continue };
        let words: Vec<&str> = words.collect();
        let Some(at) = words.iter().position(|word| *word == "ns/op").filter(|at| *at > 0) else { continue };
        let ns = words[at - 1].parse().map_err(|_| Failure::because(format!("go test printed {line:?}")))?;
        repetitions.entry(name.split('-').next().unwrap_or(name).to_owned()).or_default().push(ns);
    }
    if repetitions.is_empty() {
        return Err(Failure::because("go test measured nothing"));
    }
    Ok(repetitions.into_iter().filter_map(|(name, ns)| Some((name, Repetitions::of(ns)?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Figure;

    #[test]
    fn the_middle_of_the_repetitions_counts() {
        let found = measured(include_str!("../../fixtures/go.txt")).unwrap();
        let found: Vec<(&str, f64)> =
            found.iter().map(|(name, found)| (name.as_str(), found.reading(Figure::LatencyOnAll).ns)).collect();
        assert_eq!(found, [("Now", 43.5), ("NowUnixNano", 38.0), ("Since", 21.25)]);
        assert!(measured("PASS\n").is_err() && measured("BenchmarkNow 10 many ns/op").is_err());
    }
}
