//! The sections of a run.

use serde::Serialize;

use crate::honesty::Honesty;
use crate::pacing::Pacing;
use crate::pauses::Pauses;

/// What was measured; None for what was not asked for.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Sections {
    pub(crate) is_quick: bool,
    pub(crate) pauses: Option<Pauses>,
    pub(crate) loaded: Option<Pauses>,
    pub(crate) pacing: Option<Pacing>,
    pub(crate) pacing_loaded: Option<Pacing>,
    pub(crate) honesty: Option<Honesty>,
}

impl bench_common::report::Sections for Sections {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("pauses", self.pauses.as_ref().map(Pauses::show)),
            ("pauses on a busy CPU", self.loaded.as_ref().map(Pauses::show)),
            ("pacing", self.pacing.as_ref().map(Pacing::show)),
            ("pacing on a busy CPU", self.pacing_loaded.as_ref().map(Pacing::show)),
            ("honesty", self.honesty.as_ref().map(Honesty::show)),
        ]
    }
}
