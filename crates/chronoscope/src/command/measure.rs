use std::process::ExitCode;

use crate::View;
use crate::engine;
use crate::finding::Severity;
use crate::plan::{Depth, Plan, Wish};
use crate::record::{Outcome, Part, Record, Tool};
use chronoscope_bench::{Failure, Interrupt, OutputFile, page_width, print};
use chronoscope_harness::Start;

use crate::arguments::{Format, RunOptions};
use crate::progress::Progress;

/// Measures `parts` (none named: all of a check), prints the record and saves it. `wish` says what of them is wanted
/// beyond what `run` does.
pub fn run(start: &Start, run: &RunOptions, wish: Wish, parts: &[Part], view: View) -> Result<ExitCode, Failure> {
    let wish = completed(wish, run, parts);
    let plan = Plan::new(&wish, start.allowed_cpus()).map_err(|error| Failure::usage(format!("{error}")))?;
    let file = run.output.as_deref().map(|path| OutputFile::prepare("the record", path)).transpose()?;
    let mut progress = Progress::new(run.quiet, Interrupt::listen());
    let tool = Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let record = engine::run(start, plan, tool, &mut progress);
    progress.finish();
    let json = crate::json::json(&record).map_err(|error| Failure::run(error.to_string()))?;
    // Both are tried whatever becomes of the other, so that a full disk or a closed pipe loses nothing measured.
    let printed = print(&match run.format {
        Format::Human => crate::view::terminal_at(&record, view, page_width()),
        Format::Json => json.clone(),
    });
    let saved = file.map_or(Ok(()), |file| file.write(&json));
    saved.and(printed)?;
    Ok(ExitCode::from(u8::from(record.interrupted || measured_nothing(&record) || fails(run, &record))))
}

fn measured_nothing(record: &Record) -> bool {
    !record.parts.iter().any(|report| matches!(report.outcome, Outcome::Done | Outcome::Incomplete))
}

fn completed(wish: Wish, run: &RunOptions, parts: &[Part]) -> Wish {
    let depth = match (run.quick, run.thorough) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Thorough,
        _ => Depth::Normal,
    };
    Wish { depth, budget: run.duration, cpus: run.cpus.clone().map(|list| list.0), parts: parts.to_vec(), ..wish }
}

fn fails(run: &RunOptions, record: &Record) -> bool {
    run.strict && record.findings.iter().any(|finding| finding.severity >= Severity::Warning)
}
