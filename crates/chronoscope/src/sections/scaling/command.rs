use std::process::ExitCode;

use chronoscope_bench::{Failure, Interrupt, OutputFile, StudyProgress, page_width, print};
use chronoscope_harness::Start;
use chronoscope_render::study::html;

use crate::arguments::{Format, ScalingOptions};
use crate::command::concluded::Concluded;
use crate::command::study_run;
use crate::sections::scaling::{Depth, Program, Wanted};

/// Measures clocks over backoff and threads, and says from where on they scale.
pub fn run(start: &Start, options: &ScalingOptions) -> Result<ExitCode, Failure> {
    let run = &options.run;
    let depth = match (run.quick, run.thorough) {
        (true, _) => Depth::Quick,
        (_, true) => Depth::Thorough,
        _ => Depth::Normal,
    };
    let wanted = Wanted {
        clocks: options.clock.clone(),
        threads: options.threads.clone().map(|list| list.0),
        cpus: run.cpus.clone().map(|list| list.0),
        depth,
        budget: run.duration,
    };
    // Worker processes go no further.
    let program = Program::new(start, wanted)?;
    let file = run.output.as_deref().map(|path| OutputFile::prepare("the record", path)).transpose()?;
    let browser = options.html.as_deref().map(|path| OutputFile::prepare("the page", path)).transpose()?;
    let mut progress = StudyProgress::new(run.quiet, Interrupt::listen());
    let found = program.run(&study_run::tool(), &mut progress);
    progress.finish();
    let mut record = found?;
    record.command = Some(Concluded::Scaling.name());
    let json = Concluded::Scaling.json(&record)?;
    // All are tried whatever becomes of the others, so that a full disk or a closed pipe loses nothing measured.
    let width = page_width();
    let printed = match run.format {
        Format::Human => print(&Concluded::Scaling.human(&record, options.verbose, width)),
        Format::Json => print(&json),
    };
    let saved = file.map_or(Ok(()), |file| file.write(&json));
    let shown = browser.map_or(Ok(()), |file| file.write(&html(&record)));
    saved.and(shown).and(printed)?;
    let grave = run.strict && record.has_warning();
    Ok(ExitCode::from(u8::from(grave || !record.is_whole())))
}
