use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::part::{Part, PartRow};
use crate::plan::{Depth, PlanError, within};

pub const HICCUPS: Part = Part::Hiccups;

pub const PARTS: &[PartRow] = &[PartRow::on_request(HICCUPS, "stalls of idle threads", 1)];

/// In less time a thread that sleeps looks fewer than a hundred times; longer runs than a day are mistakes.
const LENGTH: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(24 * 3600));

/// Options of a watch for hiccups.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Observe for this long, 100 ms to 24 h; PROGRAM is then asked to end [default: the length of the run, 10s; with
    /// PROGRAM, until it ends]
    #[arg(
        long = "for",
        value_name = "TIME",
        value_parser = length_of,
        allow_hyphen_values = true,
        conflicts_with = "duration"
    )]
    pub length: Option<Duration>,

    /// Also write an HdrHistogram interval log to FILE, as it goes: an interval per second, CPU and way of waiting
    #[arg(long, value_name = "FILE")]
    pub log: Option<String>,

    /// Spin even while PROGRAM runs, which takes CPU time from it: by default only sleeping threads watch then
    #[arg(long)]
    pub spin: bool,

    /// Run this program meanwhile and observe until it ends. Its output goes to standard error. Without --spin nothing
    /// spins
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "duration")]
    pub command: Vec<String>,
}

fn length_of(text: &str) -> Result<Duration, String> {
    chronoscope_bench::time(text, "100 ms to 24 h")
}

/// How long to watch for hiccups, and next to which program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HiccupsPlan {
    /// Observation time, in milliseconds; null for the time of the part, or until the program ends.
    pub for_ms: Option<u64>,
    /// The file of the interval log.
    pub log: Option<String>,
    /// The program to run meanwhile, and its arguments; empty for none.
    pub command: Vec<String>,
    /// Whether a spinning thread watches too.
    pub spins: bool,
}

impl HiccupsPlan {
    /// How long to observe; None until the program ends.
    pub fn limit(&self, budget: Duration) -> Option<Duration> {
        match self.for_ms {
            Some(ms) => Some(Duration::from_millis(ms)),
            None => self.command.is_empty().then_some(budget),
        }
    }
}

/// # Errors
/// Which option is invalid, and what is accepted.
pub fn plan(options: &Options) -> Result<HiccupsPlan, PlanError> {
    options.length.map(|length| within(length, LENGTH, "--for")).transpose()?;
    Ok(HiccupsPlan {
        // At most a day, so it fits.
        for_ms: options.length.map(|length| length.as_millis() as u64),
        log: options.log.clone(),
        spins: options.spin || options.command.is_empty(),
        command: options.command.clone(),
    })
}

pub const fn time_alone(depth: Depth) -> Duration {
    match depth {
        Depth::Quick => Duration::from_secs(2),
        Depth::Normal => Duration::from_secs(10),
        Depth::Thorough => Duration::from_secs(60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_of_range_is_refused_with_the_range() {
        let plan = |ms| plan(&Options { length: Some(Duration::from_millis(ms)), ..Options::default() });
        assert_eq!(plan(100).unwrap().for_ms, Some(100));
        assert_eq!(plan(86_400_000).unwrap().for_ms, Some(86_400_000));
        assert!(plan(99).is_err() && plan(86_400_001).is_err());
    }

    #[test]
    fn nothing_spins_next_to_a_program_unless_asked_to() {
        let command = vec!["make".to_owned()];
        let beside = Options { command, ..Options::default() };
        assert!(plan(&Options::default()).unwrap().spins);
        assert!(!plan(&beside).unwrap().spins);
        assert!(plan(&Options { spin: true, ..beside }).unwrap().spins);
    }

    #[test]
    fn a_program_is_observed_until_it_ends_or_its_time_is_over() {
        let budget = Duration::from_secs(10);
        let mut plan = HiccupsPlan { command: vec!["make".to_owned()], ..HiccupsPlan::default() };
        assert_eq!(plan.limit(budget), None);
        plan.for_ms = Some(300);
        assert_eq!(plan.limit(budget), Some(Duration::from_millis(300)));
        assert_eq!(HiccupsPlan::default().limit(budget), Some(budget));
    }
}
