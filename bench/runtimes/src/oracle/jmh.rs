//! JMH, built and started by bench/jmh/run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use bench_common::failure::Failure;
use bench_common::process::{output_of, parse};
use serde::Deserialize;

use super::{FOLDER, Interpreter, Measured, Oracle, Repetitions, read, scratch};
use crate::language::Language;
use crate::size::Size;

const PREFIX: &str = "chronoscope.bench.Clocks.";

/// JMH with a Java to measure.
pub(super) struct Jmh {
    script: PathBuf,
    java: PathBuf,
}

/// One benchmark in JMH's results.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    jmh_version: String,
    benchmark: String,
    jvm: String,
    primary_metric: Metric,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    score_unit: String,
    /// By process and iteration.
    raw_data: Vec<Vec<f64>>,
}

impl Jmh {
    /// Builds it where that is needed.
    pub(super) fn find(java: &Path) -> Result<Self, Failure> {
        let script = Path::new(FOLDER).with_file_name("jmh").join("run");
        let mut list = Command::new(&script);
        list.arg("-l");
        output_of(list, "bench/jmh/run")?;
        Ok(Self { script, java: itself(java)? })
    }
}

impl Oracle for Jmh {
    fn measure(&self, size: &Size) -> Result<Measured, Failure> {
        let mut measured = self.run("OneThread", size.repetitions, size.repetition, size)?;
        let crowd = self.run("AllThreads", size.crowd_repetitions, size.crowd_repetition, size)?;
        measured.benchmarks.extend(crowd.benchmarks);
        Ok(measured)
    }
}

impl Jmh {
    /// A process for each benchmark of `class` that is compared.
    fn run(&self, class: &str, iterations: u32, iteration: Duration, size: &Size) -> Result<Measured, Failure> {
        let folder = scratch()?;
        let file = folder.path().join("jmh.json");
        let milliseconds = |length: Duration| format!("{}ms", length.as_millis());
        let mut command = Command::new(&self.script);
        command.arg(pattern(class)).arg("-jvm").arg(&self.java).args(["-f", "1", "-v", "SILENT"]);
        command.args(["-wi", &size.warm_ups.to_string(), "-w", &milliseconds(size.warm_up)]);
        command.args(["-i", &iterations.to_string(), "-r", &milliseconds(iteration)]);
        command.args(["-rf", "json", "-rff"]).arg(&file);
        output_of(command, "JMH")?;
        measured(&read(&file, "JMH")?)
    }
}

/// The file behind a name on the path, which may be a launcher's.
fn itself(java: &Path) -> Result<PathBuf, Failure> {
    let name = java.display();
    let said = Command::new(java).args(["-XshowSettings:properties", "-version"]).stdin(Stdio::null()).output();
    let said = said.map_err(|error| Failure::because(format!("{name} did not start: {error}")))?;
    let home = home(&String::from_utf8_lossy(&said.stderr)).map(|home| Path::new(home).join("bin/java"));
    home.ok_or_else(|| Failure::because(format!("{name} does not say where it is")))
}

fn home(settings: &str) -> Option<&str> {
    settings.lines().find_map(|line| line.trim().strip_prefix("java.home = "))
}

/// A pattern for exactly the benchmarks of `class` that are compared.
fn pattern(class: &str) -> String {
    let benchmarks = Language::Java.pairs().iter().map(|pair| pair.benchmark);
    let names: BTreeSet<&str> = benchmarks.filter(|name| name.starts_with(class)).collect();
    let names = Vec::from_iter(names);
    format!("^{PREFIX}({})$", names.join("|")).replace('.', "\\.")
}

fn measured(json: &str) -> Result<Measured, Failure> {
    let found: Vec<Found> = parse(json, "JMH")?;
    let Some(first) = found.first() else { return Err(Failure::because("JMH measured nothing")) };
    if let Some(odd) = found.iter().find(|one| one.primary_metric.score_unit != "ns/op") {
        return Err(Failure::because(format!("JMH counts {} in {}", odd.benchmark, odd.primary_metric.score_unit)));
    }
    Ok(Measured {
        harness: format!("JMH {}", first.jmh_version),
        interpreter: Interpreter::file(&first.jvm),
        benchmarks: found
            .iter()
            .filter_map(|one| {
                let name = one.benchmark.strip_prefix(PREFIX)?;
                Some((name.to_owned(), Repetitions::of(one.primary_metric.raw_data.concat())?))
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Figure;

    const RESULTS: &str = include_str!("../../fixtures/jmh.json");

    #[test]
    fn the_middle_of_the_iterations_counts() {
        let found = measured(RESULTS).unwrap();
        assert_eq!((found.harness.as_str(), found.interpreter), ("JMH 1.37", Interpreter::file("/opt/jdk/bin/java")));
        let alone = found.benchmarks["OneThread.nanoTimeLatency"].reading(Figure::Latency);
        assert_eq!((alone.ns, alone.all_ns, alone.least_ns), (17.0, Some(17.5), Some(17.0)));
        assert_eq!(found.benchmarks["AllThreads.nanoTimeLatency"].reading(Figure::LatencyOnAll).ns, 20.0);
        assert!(measured("[]").is_err() && measured("{}").is_err());
        let throughput = RESULTS.replace("ns/op", "ops/s");
        assert!(measured(&throughput).unwrap_err().to_string().contains("ops/s"));
    }

    #[test]
    fn java_says_where_it_is() {
        assert_eq!(home("Property settings:\n    java.home = /opt/jdk\n    java.io.tmpdir = /tmp\n"), Some("/opt/jdk"));
        assert_eq!(home(""), None);
    }

    #[test]
    fn the_pattern_names_each_benchmark_once() {
        assert_eq!(
            pattern("OneThread"),
            r"^chronoscope\.bench\.Clocks\.(OneThread\.currentTimeMillisLatency|OneThread\.nanoTimeGranularity|"
                .to_owned()
                + r"OneThread\.nanoTimeLatency|OneThread\.nothing)$"
        );
        assert!(!pattern("AllThreads").contains("OneThread"));
    }
}
