//! Checks that every case runs: `--test`, and what `cargo test` and nextest start.

use super::{Failure, Interrupt, StudyProgress, print};
use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::Mode;
use chronoscope_harness::{Start, Study, StudyOptions};

/// The minimum number of processes per study.
const PROCESSES: u32 = 2;

/// Runs every case once per thread count and parameter, in one process, at the study's smallest backoff, and prints
/// whether it failed; false if any did.
pub(super) fn run(
    chosen: &[(&Study, StudyOptions)],
    start: &Start,
    quiet: bool,
    interrupt: Interrupt,
) -> Result<bool, Failure> {
    let mut is_well = true;
    for (study, options) in chosen {
        let refused = |error: chronoscope_harness::StudyError| Failure::usage(error.to_string());
        let plan = study.plan(options, start.allowed_cpus()).map_err(refused)?;
        let once = (*study).clone().mode(Mode::SingleShot).rounds(1);
        let options = StudyOptions {
            budget: Some(std::time::Duration::from_millis(1)),
            backoff: plan.backoff_tokens.first().map(|tokens| vec![*tokens]),
            // The time is over after the first.
            processes: Some(PROCESSES),
            ..options.clone()
        };
        let tool = Tool { name: env!("CARGO_PKG_NAME").to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let mut progress = StudyProgress::new(quiet, interrupt.clone());
        let record = once.run(&options, tool, &mut progress);
        progress.finish();
        let record = record.map_err(|error| Failure::run(error.to_string()))?;
        for case in &plan.cases {
            let mut failures = record.study().failures.iter().filter(|failure| failure.case == *case);
            let (failure, more) = (failures.next(), failures.count());
            let ran = record.study().cells.iter().any(|cell| cell.case == *case && cell.iterations > 0);
            let said = match failure {
                Some(failure) => {
                    let at = if failure.at.is_empty() { String::new() } else { format!(" at {}", failure.at) };
                    let others = if more > 0 { format!(", and at {more} other parameters") } else { String::new() };
                    format!("FAILED{at}{others}: {}", failure.reason)
                }
                None if ran => "ok".to_owned(),
                None => "not run".to_owned(),
            };
            is_well &= failure.is_none() && ran;
            print(&format!("test {}/{case} ... {said}\n", study.name()))?;
        }
        if record.interrupted {
            return Ok(false);
        }
    }
    Ok(is_well)
}
