//! Files that are locked while their owner lives, so that what it leaves when it is killed differs from what is in use.

use std::fs::{File, TryLockError, symlink_metadata};
use std::io::{ErrorKind, Result};
use std::path::{Path, PathBuf};

use crate::os;

/// A new file that is locked until this is dropped, or this process ends. It is not removed.
///
/// # Examples
/// ```
/// use chronoscope_harness::Claim;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("draft");
/// let claim = Claim::new(&path)?;
/// assert!(Claim::on_leftover(&path, &claim).is_none(), "its owner lives");
/// assert!(Claim::new(&path).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    file: File,
}

impl Claim {
    /// Creates the file, with the permissions of any new one. Where a file system has no locks, it is never a leftover.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, or somebody removes it as a leftover at this moment; whatever else prevents it.
    pub fn new(path: &Path) -> Result<Self> {
        let file = File::create_new(path)?;
        // On Windows nothing tells whose a leftover is, so none is removed and none need be locked.
        let is_lost = cfg!(unix)
            && match file.try_lock() {
                Err(TryLockError::WouldBlock) => true,
                Ok(()) => !os::is_at(&file, path),
                Err(TryLockError::Error(_)) => false,
            };
        if is_lost { Err(ErrorKind::AlreadyExists.into()) } else { Ok(Self { path: path.to_owned(), file }) }
    }

    /// The claim on a file that such a claim created, for the owner of `own`, once nobody holds it. None if it is held, is somebody
    /// else's, or is anything but a plain file of that one name.
    pub fn on_leftover(path: &Path, own: &Self) -> Option<Self> {
        if !symlink_metadata(path).ok()?.is_file() {
            return None;
        }
        // In between, it may have become a link or a pipe.
        let file = os::open_as_it_is(path).ok()?;
        let is_ours = os::is_alone_and_of_owner(&file, &own.file) && file.try_lock().is_ok() && os::is_at(&file, path);
        is_ours.then(|| Self { path: path.to_owned(), file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file itself.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{hard_link, write};
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_nobody_holds_is_a_leftover() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let own = Claim::new(&at("own")).unwrap();
        let held = Claim::new(&at("held")).unwrap();
        drop(Claim::new(&at("left")).unwrap());
        write(at("linked"), "").unwrap();
        hard_link(at("linked"), at("twice")).unwrap();
        symlink(at("left"), at("link")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        for name in ["own", "held", "linked", "twice", "link", "folder", "nothing"] {
            assert!(Claim::on_leftover(&at(name), &own).is_none(), "{name}");
        }
        // One at a time.
        let left = Claim::on_leftover(&at("left"), &own);
        assert!(left.is_some() && Claim::on_leftover(&at("left"), &own).is_none());
        drop((left, held));
        assert!(Claim::on_leftover(&at("held"), &own).is_some());
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("draft");
        write(&path, "mine").unwrap();
        assert_eq!(Claim::new(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
}
