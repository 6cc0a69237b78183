//! The folder for the probes of a run.

use std::io::Result;
use std::path::Path;

use chronoscope_harness::Claim;
use chronoscope_harness::worker::Launcher;
use tempfile::TempDir;

use super::claimed_folder::claimed;
use super::heir::Heir;

/// Removed when dropped, after the programs that the run has left behind were ended.
pub struct RunFolder {
    // In the order in which they end.
    _heir: Option<Heir>,
    _claim: Claim,
    folder: TempDir,
}

impl RunFolder {
    /// Also removes folders of runs that were killed.
    pub fn new(launcher: &Launcher) -> Result<Self> {
        let (claim, folder) = claimed(&std::path::absolute(std::env::temp_dir())?)?;
        Ok(Self { _heir: Heir::of(folder.path(), launcher).ok(), _claim: claim, folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
