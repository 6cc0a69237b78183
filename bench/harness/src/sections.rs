//! The sections of a run.

use serde::Serialize;

use crate::arguments::SectionName;
use crate::section::accuracy::Accuracy;
use crate::section::difference::Differences;
use crate::section::empty::Empty;
use crate::section::peers::Peers;

/// The sections that were measured.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) accuracy: Option<Accuracy>,
    pub(crate) peers: Option<Peers>,
    pub(crate) difference: Option<Differences>,
    pub(crate) empty: Option<Empty>,
}

impl bench_common::report::Sections for Sections {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        let Self { accuracy, peers, difference, empty, .. } = self;
        vec![
            (SectionName::Accuracy.title(), accuracy.as_ref().map(Accuracy::show)),
            (SectionName::Peers.title(), peers.as_ref().map(Peers::show)),
            (SectionName::Difference.title(), difference.as_ref().map(Differences::show)),
            (SectionName::Empty.title(), empty.as_ref().map(Empty::show)),
        ]
    }
}
