//! The other side: the harnesses that the languages' users measure with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bench_common::process::{all, failed, output_of, read};
use bench_common::value::sorted;
use bench_common::{Failure, Run};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::language::{JAVA, Language};
use crate::ours::itself;

/// The folder of this benchmark, with what the harnesses run.
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// What is installed where the interpreter has none.
const REQUIREMENT: &str = "pyperf==2.10.0";
const JMH_PREFIX: &str = "chronoscope.bench.Clocks.";
const JMH_BACKOFF: &str = "chronoscope.bench.Backoff";

#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) harness: String,
    /// What ran it, without links.
    pub(crate) interpreter: PathBuf,
    /// By the benchmark's name: nanoseconds of each repetition, rising; at least one.
    pub(crate) benchmarks: BTreeMap<String, Vec<f64>>,
}

/// Nanoseconds of an operation behind so many tokens of work.
pub(crate) type Times = BTreeMap<(String, u64), f64>;

/// A harness that is ready to measure once: so many repetitions, each hardly longer than our batches, so that some of them hold
/// nothing that others took.
pub(crate) type Oracle = Box<dyn Fn(&Run) -> Result<Measured, Failure>>;

/// The harness of `language`, for what `program` runs, or why it cannot be had here.
pub(crate) fn find(language: &Language, program: &Path) -> Result<Oracle, Failure> {
    match language.name {
        "java" => by_jmh(program),
        "go" => by_testing(program),
        _ => by_pyperf(program),
    }
}

fn repetitions(run: &Run) -> u32 {
    run.pick(200, 50)
}

fn scratch() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(failed("no temporary folder"))
}

/// The file behind a name on the path, which may be a launcher's.
fn java_itself(java: &Path) -> Result<PathBuf, Failure> {
    let name = java.display();
    let said = Command::new(java).args(["-XshowSettings:properties", "-version"]).stdin(Stdio::null()).output();
    let said = said.map_err(failed(format!("{name} did not start")))?;
    let home = java_home(&String::from_utf8_lossy(&said.stderr)).map(|home| Path::new(home).join("bin/java"));
    home.ok_or_else(|| Failure::run(format!("{name} does not say where it is")))
}

fn java_home(settings: &str) -> Option<&str> {
    settings.lines().find_map(|line| line.trim().strip_prefix("java.home = "))
}

/// JMH, built and started by bench/jmh/run, with a Java to measure.
fn by_jmh(program: &Path) -> Result<Oracle, Failure> {
    let script = jmh_script()?;
    let java = java_itself(program)?;
    Ok(Box::new(move |run| {
        let mut measured = jmh(&script, &java, "OneThread", repetitions(run), "1ms")?;
        // Longer where all processors are busy, since what ends a repetition needs one of them, too.
        measured.benchmarks.extend(jmh(&script, &java, "AllThreads", run.pick(40, 10), "20ms")?.benchmarks);
        Ok(measured)
    }))
}

/// What starts JMH, built.
fn jmh_script() -> Result<PathBuf, Failure> {
    let script = Path::new(FOLDER).with_file_name("jmh").join("run");
    output_of(Command::new(&script).arg("-l"), "bench/jmh/run")?;
    Ok(script)
}

/// A process of JMH for each benchmark of `class` that is compared.
fn jmh(script: &Path, java: &Path, class: &str, iterations: u32, each: &str) -> Result<Measured, Failure> {
    of_jmh(&jmh_results(script, java, &jmh_pattern(class), iterations, each)?)
}

/// What JMH leaves of a process for each benchmark that matches `pattern`.
fn jmh_results(script: &Path, java: &Path, pattern: &str, iterations: u32, each: &str) -> Result<Json, Failure> {
    let folder = scratch()?;
    let file = folder.path().join("jmh.json");
    let mut command = Command::new(script);
    command.arg(pattern).arg("-jvm").arg(java).args(["-f", "1", "-v", "SILENT", "-wi", "5", "-w", "200ms"]);
    command.args(["-i", &iterations.to_string(), "-r", each, "-rf", "json", "-rff"]).arg(&file);
    output_of(&mut command, "JMH")?;
    read(&file, "JMH")
}

/// The operations of the experiment `backoff`, by benchmark and tokens: the lower decile of short iterations, in nanoseconds.
pub(crate) fn backoff_by_jmh(program: &Path) -> Result<impl Fn(&Run) -> Result<Times, Failure>, Failure> {
    let script = jmh_script()?;
    let java = java_itself(program)?;
    Ok(move |run: &Run| {
        let pattern = format!("^{}\\.", JMH_BACKOFF.replace('.', "\\."));
        of_jmh_backoff(&jmh_results(&script, &java, &pattern, run.pick(100, 20), "2ms")?)
    })
}

fn of_jmh_backoff(results: &Json) -> Result<Times, Failure> {
    let cell = |one: &Json| {
        let name = one["benchmark"].as_str()?.strip_prefix(JMH_BACKOFF)?.trim_start_matches('.').to_owned();
        let tokens = one["params"]["tokens"].as_str()?.parse().ok()?;
        let ns = sorted(all(&one["primaryMetric"]["rawData"]).flat_map(all).filter_map(Json::as_f64))?;
        (one["primaryMetric"]["scoreUnit"] == "ns/op").then(|| ((name, tokens), ns[ns.len() / 10]))
    };
    let found: BTreeMap<_, _> = all(results).filter_map(cell).collect();
    if found.is_empty() { Err(Failure::run("JMH measured nothing in ns/op")) } else { Ok(found) }
}

fn jmh_pattern(class: &str) -> String {
    let mut names: Vec<&str> =
        JAVA.pairs.iter().map(|(_, _, benchmark)| *benchmark).filter(|name| name.starts_with(class)).collect();
    names.sort_unstable();
    names.dedup();
    format!("^{JMH_PREFIX}({})$", names.join("|")).replace('.', "\\.")
}

fn of_jmh(results: &Json) -> Result<Measured, Failure> {
    let odd = all(results).find(|one| one["primaryMetric"]["scoreUnit"] != "ns/op");
    let Some((first, None)) = results.get(0).map(|first| (first, odd)) else {
        let unit = odd.map(|odd| odd["primaryMetric"]["scoreUnit"].to_string());
        return Err(Failure::run(unit.map_or("JMH measured nothing".into(), |unit| format!("JMH counts in {unit}"))));
    };
    let benchmark = |one: &Json| {
        let name = one["benchmark"].as_str()?.strip_prefix(JMH_PREFIX)?;
        // By process and iteration.
        Some((name.to_owned(), sorted(all(&one["primaryMetric"]["rawData"]).flat_map(all).filter_map(Json::as_f64))?))
    };
    Ok(Measured {
        harness: format!("JMH {}", first["jmhVersion"].as_str().unwrap_or("?")),
        interpreter: itself(first["jvm"].as_str().unwrap_or("?")),
        benchmarks: all(results).filter_map(benchmark).collect(),
    })
}

/// Compiles Go's benchmarks: what is here, and nothing from the network.
fn by_testing(go: &Path) -> Result<Oracle, Failure> {
    let name = go.display().to_string();
    let local = || {
        let mut command = Command::new(go);
        command.current_dir(Path::new(FOLDER).join("go"));
        command.envs([("GOTOOLCHAIN", "local"), ("GOPROXY", "off"), ("GOFLAGS", ""), ("GOWORK", "off")]);
        command
    };
    let root = output_of(local().args(["env", "GOROOT"]), &name)?;
    let folder = scratch()?;
    output_of(local().args(["test", "-c", "-o"]).arg(folder.path().join("clock.test")), &format!("{name} test -c"))?;
    let interpreter = itself(Path::new(root.trim()).join("bin/go"));
    Ok(Box::new(move |run| {
        let mut command = Command::new(folder.path().join("clock.test"));
        command.args(["-test.run", "^$", "-test.bench", ".", "-test.benchtime", "1ms"]);
        let said = output_of(command.args(["-test.count", &repetitions(run).to_string()]), "go test")?;
        let (harness, interpreter) = ("testing.B".into(), interpreter.clone());
        Ok(Measured { harness, interpreter, benchmarks: of_testing(&said)? })
    }))
}

/// Lines like `BenchmarkNow-2   1000000   43.38 ns/op`; the number of processors is there unless it is 1.
fn of_testing(text: &str) -> Result<BTreeMap<String, Vec<f64>>, Failure> {
    let mut repetitions: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(name) = words.first().and_then(|name| name.strip_prefix("Benchmark")) else { continue };
        let Some(at) = words.iter().position(|word| *word == "ns/op") else { continue };
        let ns = words[at - 1].parse().map_err(|_| Failure::run(format!("go test printed {line:?}")))?;
        repetitions.entry(name.split('-').next().unwrap_or(name).to_owned()).or_default().push(ns);
    }
    if repetitions.is_empty() {
        return Err(Failure::run("go test measured nothing"));
    }
    Ok(repetitions.into_iter().filter_map(|(name, ns)| Some((name, sorted(ns)?))).collect())
}

fn by_pyperf(python: &Path) -> Result<Oracle, Failure> {
    let python = with_pyperf(python)?;
    Ok(Box::new(move |run| {
        let folder = scratch()?;
        let file = folder.path().join("pyperf.json");
        let mut command = Command::new(&python);
        command.arg("-B").arg(Path::new(FOLDER).join("python/clocks.py")).args(["--quiet", "--processes", "1"]);
        // pyperf doubles its loops until they take so long.
        command.args(["--values", &repetitions(run).to_string(), "--warmups", "2", "--min-time", "0.001"]);
        output_of(command.arg("-o").arg(&file), "pyperf")?;
        of_pyperf(&read(&file, "pyperf")?)
    }))
}

/// `python` if it has pyperf; else puts it into an environment of that interpreter below the folder of builds.
fn with_pyperf(python: &Path) -> Result<PathBuf, Failure> {
    let asked =
        |python: &Path, text: &str| output_of(Command::new(python).args(["-c", text]), &python.display().to_string());
    let file = asked(python, "import os, sys; print(os.path.realpath(sys.executable))")?;
    if asked(python, "import pyperf").is_ok() {
        return Ok(python.to_owned());
    }
    let name = file.trim().replace(['/', '\\', ':'], "-");
    let environment = Path::new(FOLDER).with_file_name("target").join("pyperf").join(name.trim_start_matches('-'));
    let inside = environment.join("bin/python");
    if asked(&inside, "import pyperf").is_err() {
        eprintln!("bench-runtimes: installing {REQUIREMENT} into {}", environment.display());
        output_of(Command::new(python).args(["-m", "venv"]).arg(&environment), "python -m venv")?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT];
        output_of(Command::new(&inside).args(install), "pip install pyperf")?;
    }
    Ok(inside)
}

/// A file of pyperf's results. What all benchmarks have in common stands at its head.
fn of_pyperf(suite: &Json) -> Result<Measured, Failure> {
    let metadata = |name: &str| suite["metadata"][name].as_str();
    if metadata("unit") != Some("second") {
        return Err(Failure::run(format!("pyperf counts in {:?}", metadata("unit"))));
    }
    let python = metadata("python_executable").ok_or_else(|| Failure::run("pyperf names no interpreter"))?;
    let benchmark = |benchmark: &Json| {
        let name = benchmark["metadata"]["name"].as_str().or(metadata("name"))?;
        // A process has no values if it only found out how many loops to make.
        let seconds = all(&benchmark["runs"]).flat_map(|run| all(&run["values"])).filter_map(Json::as_f64);
        Some((name.to_owned(), sorted(seconds.map(|seconds| seconds * 1e9))?))
    };
    Ok(Measured {
        harness: format!("pyperf {}", metadata("perf_version").unwrap_or_default()),
        interpreter: itself(python),
        benchmarks: all(&suite["benchmarks"]).filter_map(benchmark).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    fn middle(found: &BTreeMap<String, Vec<f64>>, name: &str) -> f64 {
        bench_common::value::median(found[name].iter().copied()).unwrap()
    }

    #[test]
    fn what_jmh_leaves_is_read() {
        const RESULTS: &str = include_str!("../fixtures/jmh.json");
        let found = of_jmh(&json(RESULTS)).unwrap();
        assert_eq!((found.harness.as_str(), found.interpreter), ("JMH 1.37", itself("/opt/jdk/bin/java")));
        assert_eq!(found.benchmarks["OneThread.nanoTimeLatency"], [17.0, 17.5, 22.5]);
        assert_eq!(middle(&found.benchmarks, "AllThreads.nanoTimeLatency"), 20.0);
        assert!(of_jmh(&json("[]")).is_err() && of_jmh(&json("{}")).is_err());
        let throughput = of_jmh(&json(&RESULTS.replace("ns/op", "ops/s")));
        assert!(throughput.unwrap_err().to_string().contains("ops/s"));
    }

    #[test]
    fn what_jmh_leaves_of_operations_behind_work_is_read() {
        let one = |benchmark: &str, unit: &str| {
            serde_json::json!({ "benchmark": format!("chronoscope.bench.Backoff.{benchmark}"), "params": { "tokens": "5" },
                                "primaryMetric": { "scoreUnit": unit, "rawData": [[3.0, 1.0, 2.0]] } })
        };
        let found = of_jmh_backoff(&serde_json::json!([one("consume", "ns/op"), one("return42", "ops/s")])).unwrap();
        assert_eq!(found, BTreeMap::from([(("consume".to_owned(), 5), 1.0)]));
        assert!(of_jmh_backoff(&json("[]")).is_err());
    }

    #[test]
    fn java_says_where_it_is() {
        let settings = "Property settings:\n    java.home = /opt/jdk\n    java.io.tmpdir = /tmp\n";
        assert_eq!([java_home(settings), java_home("")], [Some("/opt/jdk"), None]);
    }

    #[test]
    fn the_pattern_names_each_benchmark_once() {
        assert_eq!(
            jmh_pattern("OneThread"),
            r"^chronoscope\.bench\.Clocks\.(OneThread\.currentTimeMillisLatency|OneThread\.nanoTimeGranularity|"
                .to_owned()
                + r"OneThread\.nanoTimeLatency)$"
        );
        assert!(!jmh_pattern("AllThreads").contains("OneThread"));
    }

    #[test]
    fn what_go_prints_is_read() {
        let found = of_testing(include_str!("../fixtures/go.txt")).unwrap();
        assert_eq!(["Now", "NowUnixNano", "Since"].map(|name| middle(&found, name)), [43.5, 38.0, 21.25]);
        assert!(of_testing("PASS\n").is_err() && of_testing("BenchmarkNow 10 many ns/op").is_err());
    }

    #[test]
    fn what_pyperf_leaves_is_read() {
        const RESULTS: &str = include_str!("../fixtures/pyperf.json");
        let found = of_pyperf(&json(RESULTS)).unwrap();
        assert_eq!((found.harness.as_str(), found.interpreter), ("pyperf 2.10.0", itself("/opt/bin/python")));
        let [counter, time] = ["perf_counter_ns", "time_ns"].map(|name| middle(&found.benchmarks, name));
        assert!((counter - 56.0).abs() < 1e-9 && (time - 55.0).abs() < 1e-9);
        assert!(of_pyperf(&json(&RESULTS.replace("\"second\"", "\"byte\""))).is_err());
    }
}
