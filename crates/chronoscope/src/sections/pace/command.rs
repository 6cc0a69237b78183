use std::process::ExitCode;
use std::time::Duration;

use super::measure::{PaceWish, pace};
use chronoscope_bench::{Bar, Failure, Interrupt};
use chronoscope_clock::pacer::{Behind, Pace};
use chronoscope_harness::Start;

use crate::arguments::{Late, PaceOptions};
use crate::command::output::Output;
use crate::command::page::Shown;
use crate::command::study_run::tool;

/// Times for a run: shorter ones have hardly an event.
const LENGTHS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(24 * 3600));

/// Keeps a pace, and prints and saves how it was kept.
pub fn run(start: &Start, options: &PaceOptions) -> Result<ExitCode, Failure> {
    let wish = wish(options)?;
    let output = Output::prepare(options.format, options.output.as_deref())?;
    let interrupt = Interrupt::listen();
    let bar = Bar::new(options.quiet);
    let observe = |share: f64| {
        bar.shows(share, "keeping the pace");
        interrupt.happened()
    };
    let found = pace(start, &wish, tool(), observe);
    bar.finish();
    let record = found.map_err(|error| Failure::usage(error.to_string()))?;
    output.write(&record, Shown::default())?;
    let is_kept = record.pace.as_ref().is_some_and(|pace| pace.reason_ended.is_none() && pace.events > 0);
    Ok(ExitCode::from(u8::from(record.interrupted || !is_kept)))
}

fn wish(options: &PaceOptions) -> Result<PaceWish, Failure> {
    let (events, per) = options.rate.0;
    let pace = Pace::new(events, per).map_err(|error| Failure::usage(format!("--rate: {error}")))?;
    let (shortest, longest) = LENGTHS;
    if !(shortest..=longest).contains(&options.length) {
        return Err(Failure::usage(format!(
            "--for: {} is no time for a run; choose {} to {}",
            humantime::format_duration(options.length),
            humantime::format_duration(shortest),
            humantime::format_duration(longest)
        )));
    }
    if let Some(stall) = options.stall.filter(|stall| *stall >= options.length) {
        return Err(Failure::usage(format!(
            "--stall: {} would take the whole run of {}; choose less",
            humantime::format_duration(stall),
            humantime::format_duration(options.length)
        )));
    }
    Ok(PaceWish {
        pace,
        length: options.length,
        behind: match (options.behind, options.most_late) {
            (Late::CatchUp, None) => Behind::CatchUp,
            (Late::CatchUp, Some(limit)) => Behind::CatchUpWithin(limit),
            (Late::Skip, None) => Behind::Skip,
            (Late::Slip, None) => Behind::Slip,
            (Late::Skip | Late::Slip, Some(_)) => {
                return Err(Failure::usage(
                    "--most-late limits catching up; leave out --behind, or --most-late".to_owned(),
                ));
            }
        },
        poisson: options.poisson.then_some(options.seed),
        stall: options.stall,
        real_time: options.realtime,
        command: options.command.clone(),
    })
}
