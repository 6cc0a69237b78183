use std::time::Duration;

use chronoscope_bench::{Failure, time, whole_number};
use chronoscope_clock::pacer::{Behind, Pace};
use clap::{Args, ValueEnum};

use super::rate::Rate;
use crate::plan::within;
use crate::run_options::Destinations;
use chronoscope_harness::quantity::length;

/// A shorter run has hardly any events.
const LENGTHS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(24 * 3600));

/// Options of a pace.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Events per second, e.g. 100k or 33.3, or per time, e.g. 30/1min
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: Rate,

    /// How long to run
    #[arg(long = "for", value_name = "TIME", value_parser = pace_time, allow_hyphen_values = true, default_value = "10s")]
    pub length: Duration,

    /// What to do with late events
    #[arg(long = "on-late", alias = "behind", value_enum, value_name = "POLICY", default_value_t)]
    pub behind: Late,

    /// Skip events later than this instead of catching up
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub most_late: Option<Duration>,

    /// Poisson arrivals at this rate, as from many independent users
    #[arg(long)]
    pub poisson: bool,

    /// Seed of the Poisson arrivals
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "poisson",
        value_parser = seed,
        allow_hyphen_values = true
    )]
    pub seed: u64,

    /// Stall the handling of one event for this long, to show response time against service time
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub stall: Option<Duration>,

    /// Use the real-time scheduling policy, where permitted
    #[arg(long)]
    pub realtime: bool,

    #[command(flatten)]
    pub to: Destinations,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// What to do with late events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Late {
    /// Run them at once, one after another
    #[default]
    CatchUp,
    /// Skip and count them
    Skip,
    /// Shift the schedule by the delay
    Slip,
}

fn pace_time(text: &str) -> Result<Duration, String> {
    time(text, "10 ms to 24 h")
}

fn stall(text: &str) -> Result<Duration, String> {
    time(text, "a time shorter than --for, such as 50ms")
}

fn seed(text: &str) -> Result<u64, String> {
    whole_number(text, "0 to 18446744073709551615")
}

#[derive(Clone, Debug)]
pub struct PacePlan {
    /// The rate.
    pub pace: Pace,
    pub length: Duration,
    /// What to do with late events.
    pub behind: Behind,
    /// Poisson arrivals at this rate, with this seed.
    pub poisson: Option<u64>,
    /// Extra handling time of one event.
    pub stall: Option<Duration>,
    /// Whether to request the real-time policy.
    pub real_time: bool,
}

/// The plan for `options`.
///
/// # Errors
/// Which of them is invalid, and what is accepted.
pub fn plan(options: &Options) -> Result<PacePlan, Failure> {
    let (events, per) = options.rate.0;
    let pace = Pace::new(events, per).map_err(|error| Failure::usage(format!("--rate: {error}")))?;
    within(options.length, LENGTHS, "--for")?;
    if let Some(stall) = options.stall.filter(|stall| *stall >= options.length) {
        return Err(Failure::usage(format!(
            "--stall {} is out of range: must be shorter than the run ({})",
            length(stall),
            length(options.length)
        )));
    }
    Ok(PacePlan {
        pace,
        length: options.length,
        behind: match (options.behind, options.most_late) {
            (Late::CatchUp, None) => Behind::CatchUp,
            (Late::CatchUp, Some(limit)) => Behind::CatchUpWithin(limit),
            (Late::Skip, None) => Behind::Skip,
            (Late::Slip, None) => Behind::Slip,
            (Late::Skip | Late::Slip, Some(_)) => {
                return Err(Failure::usage("--most-late limits catching up; drop --on-late or --most-late".to_owned()));
            }
        },
        poisson: options.poisson.then_some(options.seed),
        stall: options.stall,
        real_time: options.realtime,
    })
}
