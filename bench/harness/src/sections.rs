//! The sections of a run.

use serde::Serialize;

use crate::arguments::SectionName;
use crate::section::accuracy::Accuracy;
use crate::section::builds::Builds;
use crate::section::compile::Compile;
use crate::section::difference::Differences;
use crate::section::duration::Duration;
use crate::section::empty::Empty;
use crate::section::one_clock::OneClock;
use crate::section::peers::Peers;
use crate::section::scaling::Scaling;

/// The sections that were measured.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) accuracy: Option<Accuracy>,
    pub(crate) peers: Option<Peers>,
    pub(crate) difference: Option<Differences>,
    pub(crate) builds: Option<Builds>,
    pub(crate) duration: Option<Duration>,
    pub(crate) empty: Option<Empty>,
    pub(crate) one_clock: Option<OneClock>,
    pub(crate) scaling: Option<Scaling>,
    pub(crate) compile: Option<Compile>,
}

impl bench_common::report::Sections for Sections {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        let Self { accuracy, peers, difference, builds, duration, empty, one_clock, scaling, compile, .. } = self;
        vec![
            (SectionName::Accuracy.title(), accuracy.as_ref().map(Accuracy::show)),
            (SectionName::Peers.title(), peers.as_ref().map(Peers::show)),
            (SectionName::Difference.title(), difference.as_ref().map(Differences::show)),
            (SectionName::Builds.title(), builds.as_ref().map(Builds::show)),
            (SectionName::Duration.title(), duration.as_ref().map(Duration::show)),
            (SectionName::Empty.title(), empty.as_ref().map(Empty::show)),
            (SectionName::OneClock.title(), one_clock.as_ref().map(OneClock::show)),
            (SectionName::Scaling.title(), scaling.as_ref().map(Scaling::show)),
            (SectionName::Compile.title(), compile.as_ref().map(Compile::show)),
        ]
    }
}
