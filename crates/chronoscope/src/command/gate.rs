use std::path::Path;
use std::process::ExitCode;

use chronoscope_bench::{Failure, OutputFile, each_tried};
use chronoscope_harness::Start;

use super::identical_operations::IdenticalOperations;
use super::measure::measured;
use super::output::{Output, keep_apart};
use super::page::Shown;
use super::saved::{saved, text_in};
use crate::answers::gate::contradiction::contradiction;
use crate::answers::gate::junit::junit;
use crate::answers::gate::rule::{Needs, Rule, gate};
use crate::answers::gate::rules_file;
use crate::document::Record;
use crate::engine::Planned;
use crate::gate_options::GateOptions;
use crate::run_options::RunOptions;

/// Judges what the rules need measured, or a saved document, then prints and saves the judgement.
pub fn run(start: &Start, options: &GateOptions) -> Result<ExitCode, Failure> {
    let (to, junit_file) = (&options.run.to, ("--junit", options.junit.as_deref()));
    keep_apart(&[to.document(), to.presented.page(), junit_file], &[("the rules", options.rules.as_deref())])?;
    // The document judged may be replaced by itself with the judgement, but by nothing else.
    keep_apart(&[to.presented.page(), junit_file], &[("the document", options.document.as_deref())])?;
    let rules = rules(options)?;
    let saved = options.document.as_deref().map(|path| read(path, &rules)).transpose()?;
    let output = Output::prepare(to)?;
    let xml = options.junit.as_deref().map(|path| OutputFile::prepare("the JUnit file", path)).transpose()?;
    let mut record = match saved {
        Some(record) => record,
        None => measured_here(start, &options.run, &rules)?,
    };
    let gate = gate(&record, &rules);
    let text = junit(&record, &gate).map_err(|error| Failure::run(format!("could not write XML: {error}")))?;
    let is_passed = gate.passed;
    record.content.gate = Some(gate);
    let written = output.write(&record, Shown::default());
    each_tried("chronoscope", [xml.map_or(Ok(()), |file| file.write(&text)), written])?;
    Ok(ExitCode::from(u8::from(!is_passed)))
}

/// Bytes of a file of rules, each of which is a short line.
const LONGEST_RULES: u64 = 1_000_000;

/// The rules of the file and of the options.
fn rules(options: &GateOptions) -> Result<Vec<Rule>, Failure> {
    let mut rules = Vec::new();
    if let Some(path) = &options.rules {
        let cannot = |why: String| Failure::usage(format!("{} is no file of rules: {why}", path.display()));
        let text = text_in(path, LONGEST_RULES).map_err(cannot)?;
        rules.extend(rules_file::rules(&text).map_err(cannot)?);
    }
    rules.extend(options.rules());
    if rules.is_empty() {
        return Err(Failure::usage(
            "there is no rule; give a file of rules or options such as --require vdso, --max-latency monotonic=40ns or --resolve 2%",
        ));
    }
    Ok(rules)
}

fn need(rules: &[Rule], needed: Needs) -> bool {
    rules.iter().any(|rule| rule.needs == needed)
}

/// The document in a file, if it has the noise floor that rules may be about.
fn read(path: &Path, rules: &[Rule]) -> Result<Record, Failure> {
    let cannot = |why: &str| Failure::usage(format!("{} cannot be judged: {why}", path.display()));
    let record = saved(path).map_err(|why| cannot(&why))?;
    if let Some(why) = contradiction(&record) {
        return Err(cannot(&format!("it contradicts itself: {why}; name a document as it was written")));
    }
    match () {
        () if record.content.comparison.is_some() => {
            Err(cannot("it is a comparison, and measures nothing; name a document that it compares"))
        }
        () if need(rules, Needs::NoiseFloor) && record.content.noise_floor.is_none() => Err(cannot(
            "it has no noise floor, which --resolve is about; run gate --resolve without --document, on the machine itself",
        )),
        () => Ok(record),
    }
}

/// What the rules need: a check, the noise floor or both. All is planned before anything is measured.
fn measured_here(start: &Start, run: &RunOptions, rules: &[Rule]) -> Result<Record, Failure> {
    let check = || Planned::check(&Default::default(), run, start.allowed_cpus());
    if !need(rules, Needs::NoiseFloor) {
        return Ok(measured(start, run, check()?));
    }
    let study = IdenticalOperations::planned(start, run)?;
    if !need(rules, Needs::Check) {
        return study.measured(run);
    }
    let checked = measured(start, run, check()?);
    if checked.interrupted { Ok(checked) } else { study.measured_after(checked, run) }
}
