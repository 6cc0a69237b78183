//! Initramfs images, built by the scripts in `lab/images`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::child;
use crate::machine::Image;
use crate::stop::Stop;

/// A script's way to say that an image cannot be built here.
const CANNOT: i32 = 77;

/// Why there is no image.
#[derive(Clone, Debug)]
pub enum NotBuilt {
    /// It cannot be had here.
    Cannot(String),
    /// Its script failed.
    Failed(String),
    /// Somebody ended the run before it was there.
    Interrupted,
}

/// Builds the image of that name, unless it is there and newer than what goes into it.
///
/// # Errors
/// Why there is none.
pub fn build(scripts: &Path, folder: &Path, name: &str, stop: &Stop) -> Result<Image, NotBuilt> {
    if stop.cause().is_some() {
        return Err(NotBuilt::Interrupted);
    }
    let (initramfs, kernel) = (folder.join(name).with_extension("gz"), folder.join(name).with_extension("kernel"));
    let mut script = child::tree(scripts.join(name), None);
    let ran = child::output(script.arg(&initramfs).arg(&kernel), stop);
    let ran = ran.map_err(|error| NotBuilt::Failed(format!("lab/images/{name}: {error}")))?;
    let output = ran.ok_or(NotBuilt::Interrupted)?;
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
    stop: &Stop,
) -> BTreeMap<&'a str, Result<Image, NotBuilt>> {
    let mut images = BTreeMap::new();
    for name in names {
        images.entry(name).or_insert_with(|| build(scripts, folder, name, stop));
    }
    images
}
