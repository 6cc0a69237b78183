//! Our side: what `chronoscope runtimes` says of a language's runtimes.

use std::process::Command;

use bench_common::failure::Failure;
use bench_common::process::{output_of, parse};
use serde::Deserialize;

use crate::arguments::Arguments;
use crate::language::{Figure, Language};
use crate::oracle::{Interpreter, Reading};

/// The parts of a record that are compared.
#[derive(Debug, Deserialize)]
struct Record {
    runtimes: Vec<Runtime>,
}

/// A runtime in the record.
#[derive(Debug, Deserialize)]
pub(crate) struct Runtime {
    kind: String,
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    executable: Option<String>,
    available: bool,
    reason_unavailable: Option<String>,
    loop_overhead_ns: Option<Latency>,
    clocks: Vec<Clock>,
}

#[derive(Debug, Deserialize)]
struct Clock {
    name: String,
    latency_ns: Option<Latency>,
    granularity_ns: Option<f64>,
    granularity: Option<Granularity>,
    crowd: Option<Crowd>,
}

#[derive(Debug, Deserialize)]
struct Latency {
    estimate: f64,
    p50: f64,
    minimum: f64,
}

#[derive(Debug, Deserialize)]
struct Granularity {
    step_ns_p50: f64,
}

#[derive(Debug, Deserialize)]
struct Crowd {
    ns: Middle,
}

#[derive(Debug, Deserialize)]
struct Middle {
    #[serde(alias = "median")]
    estimate: f64,
}

/// Has the product measure `language` once.
pub(crate) fn measure(language: Language, arguments: &Arguments) -> Result<Vec<Runtime>, Failure> {
    let program = arguments.program(language).display();
    let mut command = Command::new(&arguments.chronoscope);
    command.args(["runtimes", "--quick", "--quiet", "--format", "json", "--only", language.word()]);
    command.arg("--runtime").arg(format!("{}={program}", language.word()));
    runtimes(&output_of(command, "chronoscope runtimes")?)
}

fn runtimes(json: &str) -> Result<Vec<Runtime>, Failure> {
    parse(json, "chronoscope runtimes").map(|record: Record| record.runtimes)
}

/// The runtime that `interpreter` is, among those that the product measured.
pub(crate) fn find<'a>(
    runtimes: &'a [Runtime],
    language: Language,
    interpreter: &Interpreter,
) -> Result<&'a Runtime, Failure> {
    let of_kind = || runtimes.iter().filter(|runtime| runtime.kind == language.word());
    let found = of_kind().find(|runtime| interpreter.is(runtime.executable.as_deref(), runtime.version.as_deref()));
    let Some(found) = found else {
        let seen: Vec<String> = of_kind().map(Runtime::show).collect();
        return Err(Failure::because(format!(
            "chronoscope did not measure {interpreter}, which the harness used, but {}",
            seen.join("; ")
        )));
    };
    if !found.available {
        let reason = found.reason_unavailable.as_deref().unwrap_or("no reason given");
        return Err(Failure::because(format!("chronoscope could not measure {}: {reason}", found.show())));
    }
    Ok(found)
}

impl Runtime {
    /// Name, version and file.
    pub(crate) fn show(&self) -> String {
        let or_unknown = |what: &Option<String>| what.clone().unwrap_or_else(|| "unknown".into());
        format!("{} {} ({})", self.name, or_unknown(&self.version), or_unknown(&self.executable))
    }

    /// One figure of one clock; None if it was not measured.
    pub(crate) fn reading(&self, clock: &str, figure: Figure) -> Option<Reading> {
        let alone = |ns| Reading { ns, all_ns: None, least_ns: None };
        let batches =
            |found: &Latency| Reading { ns: found.estimate, all_ns: Some(found.p50), least_ns: Some(found.minimum) };
        let clock = || self.clocks.iter().find(|known| known.name == clock);
        match figure {
            Figure::Loop => self.loop_overhead_ns.as_ref().map(batches),
            Figure::Latency => clock()?.latency_ns.as_ref().map(batches),
            Figure::LatencyOnAll => clock()?.crowd.as_ref().map(|crowd| alone(crowd.ns.estimate)),
            Figure::MedianStep => clock()?.granularity.as_ref().map(|steps| alone(steps.step_ns_p50)),
            Figure::SmallestStep => clock()?.granularity_ns.map(alone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = include_str!("../fixtures/chronoscope.json");

    #[test]
    fn the_figures_of_a_clock_are_found() {
        let runtimes = runtimes(RECORD).unwrap();
        let java = Interpreter::file("/usr/lib/jvm/java-25/bin/java");
        let found = find(&runtimes, Language::Java, &java).unwrap();
        assert_eq!(found.show(), "OpenJDK 64-Bit Server VM 25.0.3+9-LTS (/usr/lib/jvm/java-25/bin/java)");
        let of = |figure| found.reading("System.nanoTime", figure).map(|found| found.ns);
        assert_eq!([of(Figure::Latency), of(Figure::LatencyOnAll)], [Some(17.25), Some(17.5)]);
        assert_eq!([of(Figure::MedianStep), of(Figure::SmallestStep)], [Some(18.0), Some(16.0)]);
        assert_eq!(found.reading("System.currentTimeMillis", Figure::LatencyOnAll), None);
        assert_eq!(
            found.reading("nothing", Figure::Loop),
            Some(Reading { ns: 0.5, all_ns: Some(0.75), least_ns: Some(0.25) })
        );
        assert_eq!(found.reading("Instant.now", Figure::Latency), None);
    }

    #[test]
    fn another_runtime_is_not_taken_for_it() {
        let runtimes = runtimes(RECORD).unwrap();
        let unknown = find(&runtimes, Language::Java, &Interpreter::file("/opt/java")).unwrap_err();
        assert!(unknown.to_string().contains("did not measure /opt/java"), "{unknown}");
        let broken = find(&runtimes, Language::Go, &Interpreter::version("go1.26.8")).unwrap_err();
        assert!(broken.to_string().ends_with("the compiler refused the probe"), "{broken}");
    }
}
