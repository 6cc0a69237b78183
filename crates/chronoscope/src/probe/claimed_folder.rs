//! Folders that are locked while their owner lives, and this user's alone: programs are written into them and started.

use std::fs::{Metadata, remove_dir_all};
use std::io::{ErrorKind, Result};
use std::path::Path;

use chronoscope_harness::Claim;
use tempfile::TempDir;

/// What its name begins with.
const PREFIX: &str = "chronoscope-";
/// The file in it that is locked.
const OWNER: &str = "owner";
const MOST_TRIES: u32 = 100;

/// A new folder in `parent`, from which those of runs that were killed are removed.
pub fn claimed(parent: &Path) -> Result<(Claim, TempDir)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let mut tries = 0;
    let (claim, folder) = loop {
        let folder = builder.tempdir_in(parent)?;
        match Claim::new(&folder.path().join(OWNER)) {
            // Another program removed it as a leftover, before it was locked.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => tries += 1,
            claimed => break (claimed?, folder),
        }
    };
    for entry in parent.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            remove_if_left(&entry.path(), &claim);
        }
    }
    Ok((claim, folder))
}

/// Removes `folder` if it is one of a run that has ended, and of the owner of `own`.
fn remove_if_left(folder: &Path, own: &Claim) {
    if folder.symlink_metadata().is_ok_and(|found| is_private(&found)) {
        // Held until the folder is gone: nobody else removes it meanwhile.
        if let Some(_left) = Claim::on_leftover(&folder.join(OWNER), own) {
            let _ = remove_dir_all(folder);
        }
    }
}

#[cfg(unix)]
fn is_private(folder: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    folder.is_dir() && folder.permissions().mode() & 0o777 == 0o700
}

#[cfg(not(unix))]
fn is_private(_folder: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn folders_of_runs_that_were_killed_are_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let made = |name: &str, mode: u32, owner: &str| {
            create_dir(at(name)).unwrap();
            write(at(name).join(owner), "").unwrap();
            write(at(name).join("probe"), "").unwrap();
            set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        };
        made("chronoscope-left", 0o700, OWNER);
        made("chronoscope-shared", 0o755, OWNER);
        made("chronoscope-unowned", 0o700, "file");
        made("other", 0o700, OWNER);
        symlink(at("other"), at("chronoscope-link")).unwrap();
        // What it contains may link elsewhere.
        symlink(at("other"), at("chronoscope-left").join("link")).unwrap();
        let (claim, living) = claimed(parent.path()).unwrap();
        assert!(!at("chronoscope-left").exists());
        drop(claimed(parent.path()).unwrap());
        let stay = ["chronoscope-shared", "chronoscope-unowned", "other", "chronoscope-link"];
        assert!(stay.iter().all(|name| at(name).join("probe").exists()));
        assert!(living.path().join(OWNER).exists());
        drop(claim);
        let living = living.keep();
        drop(claimed(parent.path()).unwrap());
        assert!(!living.exists());
    }
    #[test]
    fn those_who_remove_leftovers_at_once_leave_each_other_theirs() {
        let parent = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let (_claim, folder) = claimed(parent.path()).unwrap();
                        assert!(folder.path().join(OWNER).exists());
                    }
                });
            }
        });
        assert_eq!(parent.path().read_dir().unwrap().count(), 0);
    }
}
