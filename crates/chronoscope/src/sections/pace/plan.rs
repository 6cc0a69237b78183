use std::time::Duration;

use chronoscope_bench::Failure;
use chronoscope_clock::pacer::{Behind, Pace};

use crate::arguments::{Late, PaceOptions};
use chronoscope_harness::quantity::length;

/// A shorter run has hardly any events.
const LENGTHS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(24 * 3600));

/// The plan of a pace.
#[derive(Clone, Debug)]
pub struct PacePlan {
    /// The rate.
    pub pace: Pace,
    /// Its length.
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
pub fn plan(options: &PaceOptions) -> Result<PacePlan, Failure> {
    let (events, per) = options.rate.0;
    let pace = Pace::new(events, per).map_err(|error| Failure::usage(format!("--rate: {error}")))?;
    let (shortest, longest) = LENGTHS;
    if !(shortest..=longest).contains(&options.length) {
        return Err(Failure::usage(format!(
            "--for {} is out of range ({}–{})",
            length(options.length),
            length(shortest),
            length(longest)
        )));
    }
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
