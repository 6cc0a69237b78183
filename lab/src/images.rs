//! Initramfs images, built by the scripts in `lab/images`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::machine::Image;

/// A script's way to say that an image cannot be built here.
const CANNOT: i32 = 77;

/// Why there is no image.
#[derive(Clone, Debug)]
pub enum NotBuilt {
    /// It cannot be had here.
    Cannot(String),
    /// Its script failed.
    Failed(String),
}

/// Builds the image of that name, unless it is there and newer than what goes into it.
///
/// # Errors
/// Why there is none.
pub fn build(scripts: &Path, folder: &Path, name: &str) -> Result<Image, NotBuilt> {
    let (initramfs, kernel) = (folder.join(name).with_extension("gz"), folder.join(name).with_extension("kernel"));
    let mut script = Command::new(scripts.join(name));
    let ran = script.arg(&initramfs).arg(&kernel).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = ran.map_err(|error| NotBuilt::Failed(format!("lab/images/{name}: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(Image { initramfs, kernel }),
        Some(CANNOT) => Err(NotBuilt::Cannot(said)),
        _ => Err(NotBuilt::Failed(format!("lab/images/{name} ended with {}: {said}", output.status))),
    }
}

/// All that are wanted, each once.
pub fn build_all<'a>(
    scripts: &Path,
    folder: &Path,
    names: impl Iterator<Item = &'a str>,
) -> BTreeMap<&'a str, Result<Image, NotBuilt>> {
    let mut images = BTreeMap::new();
    for name in names {
        images.entry(name).or_insert_with(|| build(scripts, folder, name));
    }
    images
}
