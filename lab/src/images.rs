//! Initramfs images, built by the scripts in `lab/images`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use crate::child;
use crate::machine::Image;
use crate::stop::Stop;
use crate::sys;

/// A script's way to say that an image cannot be built here.
const CANNOT: i32 = 77;

/// The image with the peers, which is laid over others.
pub const PEERS: &str = "peers";

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
    // After machines that run meanwhile: their CPUs must run at the same time.
    sys::come_last(&mut script);
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

/// The images that a run wants, each built once.
pub struct Images<'a> {
    /// In the order in which they are built.
    all: Vec<(&'a str, OnceLock<Result<Image, NotBuilt>>)>,
}

impl<'a> Images<'a> {
    /// Of these names, one for each scenario and how long it may take: what most scenarios want is built first, and of several
    /// images the one that is needed longest.
    pub fn wanted(names: impl Iterator<Item = (&'a str, Duration)>) -> Self {
        let mut wanted = BTreeMap::<&str, (usize, Duration)>::new();
        for (name, limit) in names {
            let (count, longest) = wanted.entry(name).or_default();
            *count += 1;
            *longest = limit.max(*longest);
        }
        let mut names: Vec<&str> = wanted.keys().copied().collect();
        names.sort_by_key(|name| Reverse(wanted[name]));
        Self { all: names.into_iter().map(|name| (name, OnceLock::new())).collect() }
    }

    /// Builds them one after the other.
    pub fn build(&self, scripts: &Path, folder: &Path, stop: &Stop) {
        for (name, built) in &self.all {
            built.get_or_init(|| build(scripts, folder, name, stop));
        }
    }

    /// The image of that name, or why there is none; None while it is not built.
    pub fn get(&self, name: &str) -> Option<&Result<Image, NotBuilt>> {
        self.all.iter().find(|(of, _)| *of == name)?.1.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_scenarios_want_comes_first() {
        let wanted = [("arm", 300), ("plain", 60), ("runtimes", 600), ("plain", 90)];
        let images = Images::wanted(wanted.into_iter().map(|(name, limit)| (name, Duration::from_secs(limit))));
        assert_eq!(images.all.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["plain", "runtimes", "arm"]);
        assert!(images.get("plain").is_none());
        let stop = Stop::default();
        stop.interrupt();
        images.build(Path::new("nowhere"), Path::new("nowhere"), &stop);
        assert!(matches!(images.get("plain"), Some(Err(NotBuilt::Interrupted))));
        assert!(images.get("another").is_none());
    }
}
