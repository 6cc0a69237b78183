//! Initramfs images, built by the scripts in `lab/images`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::child;
use crate::machine::Image;
use crate::stop::Stop;
use crate::sys;

/// The order in which they are built, for those that it names: first what most scenarios want, then what is soon built, last what
/// takes a compiler minutes. Others follow.
const ORDER: [&str; 7] = ["plain", "nested", "xen", "runtimes", PEERS, "windows", "arm"];
/// A script's way to say that an image cannot be built here.
const CANNOT: i32 = 77;

/// The image with the peers, which is laid over others.
pub const PEERS: &str = "peers";

/// What tells a script whether to install packages and targets that are missing.
const INSTALL: &str = "CHRONOSCOPE_LAB_INSTALL";

#[derive(Clone, Debug)]
pub struct Scripts {
    pub from: PathBuf,
    pub to: PathBuf,
    pub may_install: bool,
}

#[derive(Clone, Debug)]
pub enum NotBuilt {
    Cannot(String),
    Failed(String),
    Interrupted,
}

/// Builds the image of that name, unless it is there and newer than what goes into it.
pub fn build(scripts: &Scripts, name: &str, stop: &Stop) -> Result<Image, NotBuilt> {
    if stop.cause().is_some() {
        return Err(NotBuilt::Interrupted);
    }
    let [initramfs, kernel] = ["gz", "kernel"].map(|end| scripts.to.join(name).with_extension(end));
    let mut script = child::tree(scripts.from.join(name), None);
    script.env(INSTALL, if scripts.may_install { "yes" } else { "no" });
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
    all: Vec<(&'a str, OnceLock<Result<Image, NotBuilt>>)>,
}

impl<'a> Images<'a> {
    pub fn wanted(names: impl Iterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = names.collect::<BTreeSet<_>>().into_iter().collect();
        names.sort_by_key(|name| ORDER.iter().position(|of| of == name).unwrap_or(ORDER.len()));
        Self { all: names.into_iter().map(|name| (name, OnceLock::new())).collect() }
    }

    pub fn build(&self, scripts: &Scripts, stop: &Stop) {
        for (name, built) in &self.all {
            built.get_or_init(|| build(scripts, name, stop));
        }
    }

    pub fn are_built(&self) -> bool {
        self.all.iter().all(|(_, built)| built.get().is_some())
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
    fn each_is_built_once_and_in_order() {
        let images = Images::wanted(["another", "arm", "plain", "runtimes", "plain"].into_iter());
        let names: Vec<&str> = images.all.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["plain", "runtimes", "arm", "another"]);
        assert!(images.get("plain").is_none() && !images.are_built());
        let stop = Stop::default();
        stop.interrupt();
        let scripts = Scripts { from: "nowhere".into(), to: "nowhere".into(), may_install: false };
        images.build(&scripts, &stop);
        assert!(matches!(images.get("plain"), Some(Err(NotBuilt::Interrupted))));
        assert!(images.get("missing").is_none() && images.are_built());
    }
}
