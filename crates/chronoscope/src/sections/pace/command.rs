use std::process::ExitCode;

use super::measure::pace;
use super::plan::plan;
use chronoscope_bench::{Bar, Failure, Interrupt};
use chronoscope_harness::Start;

use crate::arguments::PaceOptions;
use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run::tool;

/// Keeps a pace, then prints and saves how well it was kept.
pub fn run(start: &Start, options: &PaceOptions) -> Result<ExitCode, Failure> {
    let plan = plan(options)?;
    let output = Output::prepare(options.format, options.output.as_deref())?;
    let interrupt = Interrupt::listen();
    let mut bar = Bar::new(options.quiet);
    let observe = |share: f64| {
        bar.shows(share, "pacing");
        interrupt.happened()
    };
    let record = pace(start, &plan, tool(), observe);
    bar.clear();
    output.write(&record, Shown::default())?;
    let has_events = record.pace.as_ref().is_some_and(|pace| pace.events > 0);
    Ok(ExitCode::from(u8::from(record.interrupted || !has_events)))
}
