//! Folders and files that are this user's alone, whatever the umask: programs are written into them and run.

use std::fs::{DirBuilder, File};
use std::io::{Result, Write};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use tempfile::TempDir;

/// A folder for the probes of a run, removed when dropped.
pub fn run_folder() -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("chronoscope-");
    #[cfg(unix)]
    builder.permissions(std::fs::Permissions::from_mode(0o700));
    builder.tempdir()
}

/// Creates `folder`, which must not exist.
pub fn create(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(false);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder)
}

/// Creates `file`, which must not exist, with this text.
pub fn write(file: &Path, text: &str) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(file)?.write_all(text.as_bytes())
}
