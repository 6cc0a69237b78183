//! What the program can be told to do, one file each.

mod completions;
pub mod concluded;
mod experiment;
mod man;
mod measure;
mod schema;
mod show;
pub mod study_run;

use std::process::ExitCode;

use crate::View;
use crate::plan::{RuntimesWish, Wish};
use crate::record::Part;
use chronoscope_bench::Failure;
use chronoscope_harness::Start;

use crate::arguments::{
    Arguments, CheckOptions, Command, LatchOptions, MonotimeOptions, PauseOptions, RuntimesOptions,
};

const CLOCKS: &[Part] = &[Part::Paths, Part::Latency, Part::Granularity, Part::Intervals];
const READS: &[Part] = &[Part::Reads];
const CAUSALITY: &[Part] = &[Part::Offsets, Part::Litmus];
const MONOTIME: &[Part] = &[Part::Monotime];
const PAUSE: &[Part] = &[Part::Pause];
const RUNTIMES: &[Part] = &[Part::Runtimes];
const LATCH: &[Part] = &[Part::Latch];

/// Does what the arguments say.
pub fn run(arguments: Arguments, start: &Start) -> Result<ExitCode, Failure> {
    let none = Wish::default;
    match arguments.command {
        None => measure::run(start, &arguments.check.run, answers(&arguments.check), &[], View::Check),
        Some(Command::Check(options)) => measure::run(start, &options.run, answers(&options), &[], View::Check),
        Some(Command::Clocks(options)) => measure::run(start, &options.run, answers(&options), CLOCKS, View::Clocks),
        Some(Command::Reads(options)) => measure::run(start, &options, none(), READS, View::Reads),
        Some(Command::Causality(options)) => measure::run(start, &options, none(), CAUSALITY, View::Causality),
        Some(Command::Monotime(options)) => {
            measure::run(start, &options.run, combinations(&options), MONOTIME, View::Monotime)
        }
        Some(Command::Latch(options)) => measure::run(start, &options.run, released(&options), LATCH, View::Latch),
        Some(Command::Pause(options)) => measure::run(start, &options.run, paused(&options), PAUSE, View::Pause),
        Some(Command::Runtimes(options)) => {
            measure::run(start, &options.run, asked_of(&options), RUNTIMES, View::Runtimes)
        }
        Some(Command::Pace(options)) => crate::sections::pace::command::run(start, &options),
        Some(Command::Experiment(options)) => experiment::run(start, &options),
        Some(Command::Selftest(options)) => crate::sections::selftest::command::run(start, &options),
        Some(Command::Scaling(options)) => crate::sections::scaling::command::run(start, &options),
        Some(Command::Show(options)) => show::run(&options),
        Some(Command::Schema { study, pace }) => schema::run(study, pace),
        Some(Command::Completions { shell }) => completions::run(shell),
        Some(Command::Man) => man::run(),
    }
}

/// What a run of these parts prints.
fn view_of(parts: &[Part]) -> View {
    let are = |these: &[Part]| parts.len() == these.len() && these.iter().all(|part| parts.contains(part));
    let alone = [
        (CLOCKS, View::Clocks),
        (READS, View::Reads),
        (CAUSALITY, View::Causality),
        (MONOTIME, View::Monotime),
        (PAUSE, View::Pause),
        (RUNTIMES, View::Runtimes),
        (LATCH, View::Latch),
    ];
    alone.into_iter().find(|(these, _)| are(these)).map_or(View::Check, |(_, view)| view)
}

/// The intervals to answer for.
fn answers(options: &CheckOptions) -> Wish {
    Wish { questions: options.interval.clone(), ..Wish::default() }
}

/// The granularities and numbers of threads to combine.
fn combinations(options: &MonotimeOptions) -> Wish {
    Wish {
        granularities: options.granularity.clone().map(|list| list.0).unwrap_or_default(),
        threads: options.threads.clone().map(|list| list.0).unwrap_or_default(),
        ..Wish::default()
    }
}

/// The pauses to try.
fn paused(options: &PauseOptions) -> Wish {
    Wish {
        pause_lengths: options.length.clone(),
        pause_load: options.load,
        pause_real_time: options.realtime,
        ..Wish::default()
    }
}

/// What to ask of language runtimes.
fn asked_of(options: &RuntimesOptions) -> Wish {
    let mut only = options.only.clone();
    only.sort_unstable();
    only.dedup();
    let added = options.runtime.iter().map(|place| place.0.clone()).collect();
    let runtimes = RuntimesWish { only, added, pause: options.pause, latch_threads: options.latch };
    Wish { runtimes, ..Wish::default() }
}

/// The number of threads to release.
fn released(options: &LatchOptions) -> Wish {
    Wish { latch_threads: options.threads, ..Wish::default() }
}
