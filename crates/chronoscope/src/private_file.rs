//! Files and folders that are this user's alone, whatever the umask.

use std::fs::{DirBuilder, File};
use std::io::Result;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates `folder`, which must not exist.
pub fn create_folder(folder: &Path) -> Result<()> {
    builder().create(folder)
}

/// Creates `folder` and those above it, unless they exist.
pub fn create_folders(folder: &Path) -> Result<()> {
    builder().recursive(true).create(folder)
}

fn builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(false);
    #[cfg(unix)]
    builder.mode(0o700);
    builder
}

/// Creates `file`, which must not exist.
pub fn create(file: &Path) -> Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(file)
}
