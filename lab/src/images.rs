//! Initramfs images, built by the scripts in `lab/images`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::machine::Image;

/// A script's way to say that an image cannot be built here.
const CANNOT: i32 = 77;

/// Builds the image of that name, unless it is there and newer than what goes into it.
///
/// # Errors
/// The inner one says why it cannot be had here; the outer one that its script failed.
pub fn build(scripts: &Path, folder: &Path, name: &str) -> Result<Result<Image, String>, String> {
    let (initramfs, kernel) = (folder.join(name).with_extension("gz"), folder.join(name).with_extension("kernel"));
    let ran = Command::new(scripts.join(name))
        .arg(&initramfs)
        .arg(&kernel)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let output = ran.map_err(|error| format!("lab/images/{name}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(Ok(Image { initramfs, kernel })),
        Some(CANNOT) => Ok(Err(said)),
        _ => Err(format!("lab/images/{name} ended with {}: {said}", output.status)),
    }
}

/// All that are wanted, each once.
///
/// # Errors
/// The first script that failed.
pub fn build_all<'a>(
    scripts: &Path,
    folder: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<&'a str, Result<Image, String>>, String> {
    let mut images = BTreeMap::new();
    for name in names {
        if !images.contains_key(name) {
            images.insert(name, build(scripts, folder, name)?);
        }
    }
    Ok(images)
}
