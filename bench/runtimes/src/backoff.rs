//! The model of a volatile write in the JVM: what operations take more than the work before them, by `chronoscope experiment backoff --runtime
//! java` and by JMH.

use bench_common::process::{all, document};
use bench_common::value::Count;
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_harness::record::Estimate;
use chronoscope_harness::stats::median_interval;
use serde_json::Value as Json;

use crate::language::JAVA;
use crate::oracle::{self, Times};

/// Our name of an operation, and JMH's; the first is the work alone.
const OPERATIONS: [(&str, &str); 5] = [
    ("baseline: consume", "consume"),
    ("baseline: consume, return 42", "return42"),
    ("baseline: consume, return a field", "returnField"),
    ("plain v++", "plainIncrement"),
    ("volatile v++", "volatileIncrement"),
];
/// Of both sides.
const TOKENS: [u64; 5] = [0, 2, 5, 10, 20];
const CONFIDENCE: f64 = 0.95;
/// What the two may differ by: this share of JMH's difference, or as many nanoseconds.
const SHARE: f64 = 0.03;
const LEAST_NS: f64 = 0.3;

/// Has either side measure once in each round. Who begins changes from round to round.
pub(crate) fn compare(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let program = run.runtime(JAVA.name).unwrap_or(JAVA.program.as_ref());
    let jmh = match oracle::backoff_by_jmh(program) {
        Ok(jmh) => jmh,
        Err(reason) => {
            section.say(format!("Skipped: {reason}"));
            return Ok(());
        }
    };
    let runtime = format!("{}={}", JAVA.name, program.display());
    let depth: &[&str] = run.pick(&[], &["--quick"]);
    let arguments = [&["experiment", "backoff", "--runtime", &runtime], depth].concat();
    let mut rounds: Vec<[Times; 2]> = Vec::new();
    let done = run.repeat("backoff", 9, 3, |round| {
        let ours = || document(&run.chronoscope, &arguments);
        let before = if round % 2 == 0 { Some(ours()?) } else { None };
        let theirs = jmh(run)?;
        rounds.push([times(&before.map_or_else(ours, Ok)?), theirs]);
        Ok(())
    });
    table(&rounds, section);
    done.map(drop)
}

/// What our document has of operations on one thread.
fn times(document: &Json) -> Times {
    let cell = |cell: &Json| {
        let of = |name: &str| OPERATIONS.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| (*theirs).to_owned());
        let is_of_one = cell["threads"] == 1;
        let name = of(cell["case"].as_str()?)?;
        is_of_one.then_some(((name, cell["backoff_tokens"].as_u64()?), cell["time_ns"]["estimate"].as_f64()?))
    };
    all(&document["content"]["study"]["cells"]).filter_map(cell).collect()
}

/// What the operation takes more than the work alone.
fn difference(times: &Times, name: &str, tokens: u64) -> Option<f64> {
    let of = |name: &str| times.get(&(name.to_owned(), tokens));
    Some(of(name)? - of(OPERATIONS[0].1)?)
}

fn table(rounds: &[[Times; 2]], section: &mut Section) {
    let mut table = Table::new(2, "operation | tokens | ours ns | JMH ns | ours − JMH, ns | allowed ns | too far, ns");
    let (mut narrow, mut confidence) = (Vec::new(), None);
    for (ours, theirs) in &OPERATIONS[1..] {
        for tokens in TOKENS {
            let sides = rounds.iter().filter_map(|round| {
                Some([difference(&round[0], theirs, tokens)?, difference(&round[1], theirs, tokens)?])
            });
            let sides: Vec<[f64; 2]> = sides.collect();
            let interval = |of: fn(&[f64; 2]) -> f64| median_interval(sides.iter().map(of), CONFIDENCE);
            let found =
                interval(|[ours, _]| *ours).zip(interval(|[_, jmh]| *jmh)).zip(interval(|[ours, jmh]| ours - jmh));
            let Some(((ours_ns, jmh_ns), apart)) = found else { continue };
            let allowed_ns = (SHARE * jmh_ns.estimate.abs()).max(LEAST_NS);
            narrow.push(apart.half_width() < allowed_ns);
            confidence = Some(apart.confidence);
            table.row([
                (*ours).into(),
                tokens.into(),
                Value::estimate(ours_ns, 2),
                Value::estimate(jmh_ns, 2),
                Value::estimate(apart, 2),
                Value::number(allowed_ns, 2),
                too_far(apart, allowed_ns),
            ]);
        }
    }
    section.table(table);
    let mut sure = Table::new(1, "of both sides | cells");
    sure.row([Value::from("half of the interval is below what is allowed"), Count::of(narrow).into()]);
    section.table(sure);
    if let Some(confidence) = confidence {
        section.say(format!(
            "Rounds: {}. One thread; times less that of the work alone. In brackets: {:.1} % intervals of medians over rounds.",
            rounds.len(),
            100.0 * confidence
        ));
    }
}

/// How much farther apart the two sides are than allowed: 0 where they agree.
fn too_far(apart: Estimate, allowed_ns: f64) -> Value {
    Value::number((apart.estimate.abs() - allowed_ns).max(0.0), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_what_both_sides_measure() {
        let cell = |case: &str, threads: u32, ns: f64| serde_json::json!({ "case": case, "backoff_tokens": 5, "threads": threads, "time_ns": { "estimate": ns } });
        let cells = [cell("baseline: consume", 1, 4.0), cell("volatile v++", 1, 11.0), cell("volatile v++", 2, 99.0)];
        let found = times(&serde_json::json!({ "content": { "study": { "cells": cells } } }));
        assert_eq!(difference(&found, "volatileIncrement", 5), Some(7.0));
        assert_eq!(difference(&found, "plainIncrement", 5), None);
    }

    #[test]
    fn a_difference_within_what_is_allowed_is_none() {
        let apart = |estimate: f64| Estimate { estimate, low: estimate - 0.1, high: estimate + 0.1, confidence: 0.95 };
        assert_eq!(too_far(apart(-0.29), 0.3), Value::number(0.0, 2));
        assert_eq!(too_far(apart(-0.5), 0.3), Value::number(0.2, 2));
    }
}
