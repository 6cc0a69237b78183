use std::path::Path;
use std::process::ExitCode;

use chronoscope_bench::{Failure, OutputFile};
use chronoscope_harness::Start;

use super::measure::measured;
use super::output::{Output, keep_apart};
use super::page::Shown;
use super::saved::{saved, text_in};
use crate::answers::gate::junit::junit;
use crate::answers::gate::rule::{Rule, gate};
use crate::answers::gate::rules_file;
use crate::document::Record;
use crate::engine::Planned;
use crate::gate_options::GateOptions;

/// Judges a check or a saved document, then prints and saves the judgement.
pub fn run(start: &Start, options: &GateOptions) -> Result<ExitCode, Failure> {
    // The document judged may be replaced by itself with the judgement, but not by XML.
    let (rules_file, document) = (options.rules.as_deref(), options.document.as_deref());
    keep_apart(
        &[("--output", options.run.output.as_deref()), ("--junit", options.junit.as_deref())],
        &[("the rules", rules_file)],
    )?;
    keep_apart(&[("--junit", options.junit.as_deref())], &[("the document", document)])?;
    let rules = rules(options)?;
    let saved = options.document.as_deref().map(read).transpose()?;
    let output = Output::prepare(options.run.format, options.run.output.as_deref())?;
    let xml = options.junit.as_deref().map(|path| OutputFile::prepare("the JUnit file", path)).transpose()?;
    let mut record = match saved {
        Some(record) => record,
        None => checked(start, options)?,
    };
    let gate = gate(&record, &rules);
    let text = junit(&record, &gate).map_err(|error| Failure::run(format!("could not write XML: {error}")))?;
    let is_passed = gate.passed;
    record.content.gate = Some(gate);
    // Each is tried even if the other fails.
    let written = output.write(&record, Shown::default());
    xml.map_or(Ok(()), |file| file.write(&text)).and(written)?;
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
            "there is no rule; give a file of rules or options such as --require vdso or --max-latency monotonic=40ns",
        ));
    }
    Ok(rules)
}

fn read(path: &Path) -> Result<Record, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be judged: {why}", path.display()));
    let record = saved(path).map_err(&cannot)?;
    match &record.content.comparison {
        Some(_) => Err(cannot("it is a comparison, and measures nothing; name a document that it compares".to_owned())),
        None => Ok(record),
    }
}

fn checked(start: &Start, options: &GateOptions) -> Result<Record, Failure> {
    let planned = Planned::check(&Default::default(), &options.run, start.allowed_cpus());
    Ok(measured(start, &options.run, planned?))
}
