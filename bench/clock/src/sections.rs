//! The sections of a run.

use serde::Serialize;

use crate::arguments::SectionName;
use crate::section::accuracy::Accuracy;
use crate::section::first_use::FirstUse;
use crate::section::forks::Forks;
use crate::section::intervals::Intervals;
use crate::section::latency::Latency;
use crate::section::litmus::Litmus;
use crate::section::threads::Threads;
use crate::section::work::Added;

/// The sections that were measured.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) latency: Option<Latency>,
    pub(crate) work: Option<Added>,
    pub(crate) threads: Option<Threads>,
    pub(crate) first_use: Option<FirstUse>,
    pub(crate) litmus: Option<Litmus>,
    pub(crate) accuracy: Option<Accuracy>,
    pub(crate) intervals: Option<Intervals>,
    pub(crate) forks: Option<Forks>,
}

impl bench_common::report::Sections for Sections {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        let Self { latency, work, threads, first_use, litmus, accuracy, intervals, forks, .. } = self;
        vec![
            (SectionName::Latency.title(), latency.as_ref().map(Latency::show)),
            (SectionName::Work.title(), work.as_ref().map(Added::show)),
            (SectionName::Threads.title(), threads.as_ref().map(Threads::show)),
            (SectionName::FirstUse.title(), first_use.as_ref().map(FirstUse::show)),
            (SectionName::Litmus.title(), litmus.as_ref().map(Litmus::show)),
            (SectionName::Accuracy.title(), accuracy.as_ref().map(Accuracy::show)),
            (SectionName::Intervals.title(), intervals.as_ref().map(Intervals::show)),
            (SectionName::Forks.title(), forks.as_ref().map(Forks::show)),
        ]
    }
}
