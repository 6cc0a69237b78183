//! pyperf, for the same interpreter as the probe's.

use std::path::{Path, PathBuf};
use std::process::Command;

use bench_common::failure::Failure;
use bench_common::process::{output_of, parse};
use serde::Deserialize;

use super::{FOLDER, Interpreter, Measured, Oracle, Repetitions, read, scratch};
use crate::size::Size;

/// What is installed where the interpreter has none.
const REQUIREMENT: &str = "pyperf==2.10.0";

/// An interpreter that has pyperf.
pub(super) struct Pyperf {
    python: PathBuf,
}

/// A file of pyperf's results. What all benchmarks have in common stands at its head.
#[derive(Debug, Deserialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    metadata: Metadata,
}

#[derive(Debug, Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Metadata,
    runs: Vec<Run>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    name: Option<String>,
    perf_version: Option<String>,
    python_executable: Option<String>,
    unit: Option<String>,
}

/// A process; without values if it only found out how many loops to make.
#[derive(Debug, Deserialize)]
struct Run {
    #[serde(default)]
    values: Vec<f64>,
}

impl Pyperf {
    /// Takes pyperf of `python`, else puts it into an environment of that interpreter below the folder of builds.
    pub(super) fn find(python: &Path) -> Result<Self, Failure> {
        let asked = |python: &Path, text: &str| {
            let mut command = Command::new(python);
            command.args(["-c", text]);
            output_of(command, &python.display().to_string())
        };
        let file = asked(python, "import os, sys; print(os.path.realpath(sys.executable))")?;
        if asked(python, "import pyperf").is_ok() {
            return Ok(Self { python: python.to_owned() });
        }
        let name = file.trim().replace(['/', '\\', ':'], "-");
        let environment = Path::new(FOLDER).with_file_name("target").join("pyperf").join(name.trim_start_matches('-'));
        let inside = environment.join("bin/python");
        if asked(&inside, "import pyperf").is_err() {
            eprintln!("bench-runtimes: installing {REQUIREMENT} into {}", environment.display());
            let mut create = Command::new(python);
            create.args(["-m", "venv"]).arg(&environment);
            output_of(create, "python -m venv")?;
            let mut install = Command::new(&inside);
            install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT]);
            output_of(install, "pip install pyperf")?;
        }
        Ok(Self { python: inside })
    }
}

impl Oracle for Pyperf {
    fn measure(&self, size: &Size) -> Result<Measured, Failure> {
        let folder = scratch()?;
        let file = folder.path().join("pyperf.json");
        let mut command = Command::new(&self.python);
        command.arg("-B").arg(Path::new(FOLDER).join("python/clocks.py")).args(["--quiet", "--processes", "1"]);
        command.args(["--values", &size.repetitions.to_string(), "--warmups", "2"]);
        // pyperf doubles its loops until they take so long.
        command.args(["--min-time", &size.repetition.as_secs_f64().to_string(), "-o"]).arg(&file);
        output_of(command, "pyperf")?;
        measured(&read(&file, "pyperf")?)
    }
}

fn measured(json: &str) -> Result<Measured, Failure> {
    let suite: Suite = parse(json, "pyperf")?;
    let metadata = suite.metadata;
    if metadata.unit.as_deref() != Some("second") {
        return Err(Failure::because(format!("pyperf counts in {:?}", metadata.unit)));
    }
    let python = metadata.python_executable.ok_or_else(|| Failure::because("pyperf names no interpreter"))?;
    let repetitions = |benchmark: &Benchmark| {
        Repetitions::of(benchmark.runs.iter().flat_map(|run| &run.values).map(|seconds| seconds * 1e9))
    };
    Ok(Measured {
        harness: format!("pyperf {}", metadata.perf_version.unwrap_or_default()),
        interpreter: Interpreter::file(python),
        benchmarks: suite
            .benchmarks
            .iter()
            .filter_map(|benchmark| {
                let name = benchmark.metadata.name.clone().or_else(|| metadata.name.clone())?;
                Some((name, repetitions(benchmark)?))
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Figure;

    const RESULTS: &str = include_str!("../../fixtures/pyperf.json");

    #[test]
    fn the_middle_of_the_values_counts() {
        let found = measured(RESULTS).unwrap();
        assert_eq!(
            (found.harness.as_str(), found.interpreter),
            ("pyperf 2.10.0", Interpreter::file("/opt/bin/python"))
        );
        assert_eq!(found.benchmarks.keys().collect::<Vec<_>>(), ["perf_counter_ns", "time_ns"]);
        let median = |name: &str| found.benchmarks[name].reading(Figure::Latency).all_ns.unwrap();
        assert!((median("perf_counter_ns") - 56.0).abs() < 1e-9 && (median("time_ns") - 55.0).abs() < 1e-9);
        assert!(measured(&RESULTS.replace("\"second\"", "\"byte\"")).is_err());
    }
}
