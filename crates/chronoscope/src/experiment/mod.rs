//! Experiments that teach: each asks a question whose obvious answer is wrong, measures it with the public API of the
//! harness, and says what the obvious answer is, what the model says, and what was published.

pub(crate) mod against;
mod backoff;
mod conclusions;
mod fibonacci;
mod omission;
mod reading;
pub(crate) mod show;
mod volatile;

use crate::record::study::StudyRecord;
use chronoscope_harness::Study;
use clap::ValueEnum;

pub(crate) use conclusions::Conclusions;

/// Which experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Experiment {
    /// What a volatile write costs, asked naively
    Volatile,
    /// The same as a function of the work around it, with three baselines
    Backoff,
    /// What stamps around a part of a loop claim with more threads than CPUs
    Omission,
    /// An operation that never settles, and three bad answers
    Fibonacci,
}

impl Experiment {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Volatile => "volatile",
            Self::Backoff => "backoff",
            Self::Omission => "omission",
            Self::Fibonacci => "fibonacci",
        }
    }

    /// What it measures. `cpus`: how many the threads will have.
    pub(crate) fn study(self, cpus: u32) -> Study {
        match self {
            Self::Volatile => volatile::study(),
            Self::Backoff => backoff::study(),
            Self::Omission => omission::study(cpus),
            Self::Fibonacci => fibonacci::study(),
        }
    }

    /// What its record says.
    pub(crate) fn conclude(self, record: &StudyRecord) -> Conclusions {
        match self {
            Self::Volatile => volatile::conclude(record),
            Self::Backoff => backoff::conclude(record),
            Self::Omission => omission::conclude(record),
            Self::Fibonacci => fibonacci::conclude(record),
        }
    }
}

#[cfg(test)]
pub(crate) mod synthetic;
