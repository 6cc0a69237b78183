use std::path::PathBuf;

use super::case::Case;
use super::outline::CaseOutline;
use crate::worker::Launcher;

/// Another build of a study's program, from [`Study::other_build`](super::Study::other_build). Within one run its processes take
/// turns with those of this build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherBuild {
    pub(super) program: PathBuf,
    pub(super) name: String,
    pub(super) outlines: Vec<CaseOutline>,
}

impl OtherBuild {
    /// Its file or revision, as pages and documents name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts its processes, with the arguments of this one.
    pub(super) fn launcher(&self) -> Launcher {
        Launcher::of(self.program.clone()).restarting()
    }

    /// Its cases, with nothing to run.
    pub(super) fn cases(&self) -> Vec<Case> {
        self.outlines.iter().map(Case::of_another_build).collect()
    }
}
