use std::fs::{read_dir, remove_file, rename};
use std::io::{ErrorKind, Result as Written, Write};
use std::path::{Path, PathBuf};

use chronoscope_harness::Claim;

use super::Failure;

/// A file that is written atomically: it appears whole or not at all.
///
/// # Examples
/// ```
/// use chronoscope_bench::OutputFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("record.json");
/// let file = OutputFile::prepare("the record", &path)?;
/// assert!(!path.exists(), "nothing appears before everything is written");
/// file.write("{}")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    what: String,
    path: PathBuf,
    draft: Draft,
}

impl OutputFile {
    /// Creates a draft next to `path`, so that an unwritable path is detected before anything is measured. `what` is
    /// used in messages, such as "the record".
    ///
    /// # Errors
    /// With exit code 2, if the file cannot be created.
    pub fn prepare(what: &str, path: &Path) -> Result<Self, Failure> {
        let cannot = |why: String| Failure::usage(format!("cannot write {what} to {}: {why}", path.display()));
        if path.is_dir() {
            return Err(cannot("is a folder; name a file".to_owned()));
        }
        if path.exists() && !path.is_file() {
            return Err(cannot("not a regular file, so it cannot be replaced atomically; name a file".to_owned()));
        }
        // A program may change its folder before it writes.
        let whole = std::path::absolute(path).map_err(|error| cannot(error.to_string()))?;
        let folder = whole.parent().unwrap_or(Path::new("/"));
        let draft =
            Draft::new(folder).map_err(|error| cannot(format!("{error}; choose a file in a writable folder")))?;
        Ok(Self { what: what.to_owned(), path: whole, draft })
    }

    /// Writes `text` and moves the file into place.
    ///
    /// # Errors
    /// With exit code 1, if that fails; no file is left then.
    pub fn write(mut self, text: &str) -> Result<(), Failure> {
        let (what, path) = (&self.what, &self.path);
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::run(format!("could not write {what} to {}: {error}; no file was left there", path.display()))
        };
        let file = self.draft.claim.file();
        file.write_all(text.as_bytes()).map_err(|error| cannot(&error))?;
        file.sync_all().map_err(|error| cannot(&error))?;
        rename(self.draft.claim.path(), &self.path).map_err(|error| cannot(&error))?;
        self.draft.is_moved = true;
        Ok(())
    }
}

/// Refuses a destination that is one of the files read, or another destination: it would be lost.
///
/// # Errors
/// With exit code 2.
///
/// # Examples
/// ```
/// use std::path::Path;
///
/// let [page, record] = ["page.html", "record.json"].map(|name| Some(Path::new(name)));
/// assert!(chronoscope_bench::keep_apart(&[("--html", page)], &[("the document", record)]).is_ok());
/// let refused = chronoscope_bench::keep_apart(&[("--html", record)], &[("the document", record)]).unwrap_err();
/// assert_eq!(refused.to_string(), "--html record.json would replace the document; name another file");
/// ```
pub fn keep_apart(written: &[(&str, Option<&Path>)], read: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let place =
        |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
    for (at, (name, path)) in written.iter().enumerate() {
        let Some(path) = path else { continue };
        let mut others = read.iter().chain(&written[..at]);
        if let Some((other, _)) = others.find(|(_, other)| other.is_some_and(|other| place(other) == place(path))) {
            let path = path.display();
            return Err(Failure::usage(format!("{name} {path} would replace {other}; name another file")));
        }
    }
    Ok(())
}

/// What the names of drafts begin with.
const DRAFT: &str = ".chronoscope-draft-";

/// A file of a name of its own, with the permissions of any new file; removed unless it was moved.
// Not of `tempfile`: its files are their owner's alone, and whoever compiles a benchmark would wait for three crates more.
#[derive(Debug)]
struct Draft {
    claim: Claim,
    is_moved: bool,
}

impl Draft {
    /// Removes the drafts in `folder` of programs that were killed, too.
    fn new(folder: &Path) -> Written<Self> {
        // Names may be taken by other drafts of a process of this number, in another container or of another user.
        const MOST_TAKEN: u32 = 1000;
        let mut number = 0;
        loop {
            match Claim::new(&folder.join(format!("{DRAFT}{}-{number}", std::process::id()))) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_TAKEN => number += 1,
                claimed => {
                    let claim = claimed?;
                    remove_leftovers(folder, &claim);
                    return Ok(Self { claim, is_moved: false });
                }
            }
        }
    }
}

fn remove_leftovers(folder: &Path, own: &Claim) {
    let Ok(entries) = read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(DRAFT)) {
        if let Some(left) = Claim::on_leftover(&entry.path(), own) {
            let _ = remove_file(left.path());
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_moved {
            let _ = remove_file(self.claim.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, read_to_string};

    #[test]
    fn drafts_have_names_of_their_own_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        let names = || read_dir(folder.path()).unwrap().count();
        let [one, two] = ["one", "two"].map(|what| OutputFile::prepare(what, &path).unwrap());
        assert_eq!(names(), 2);
        one.write("1").unwrap();
        assert_eq!((read_to_string(&path).unwrap().as_str(), names()), ("1", 2));
        drop(two);
        assert_eq!(names(), 1);
        OutputFile::prepare("three", &path).unwrap().write("3").unwrap();
        assert_eq!((read_to_string(&path).unwrap().as_str(), names()), ("3", 1));
    }

    #[test]
    fn what_is_read_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a.json"), folder.path().join("b.json"));
        std::fs::write(&file, "{}").unwrap();
        let around = folder.path().join(".").join("a.json");
        let refused = keep_apart(&[("--output", Some(&around))], &[("the document", Some(&file))]).unwrap_err();
        assert!(refused.to_string().contains("replace"), "{refused}");
        assert!(keep_apart(&[("--output", Some(&other)), ("--junit", Some(&other))], &[]).is_err(), "not there yet");
        assert!(keep_apart(&[("--output", Some(&other)), ("--junit", None)], &[("it", Some(&file))]).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn drafts_of_programs_that_were_killed_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let living = OutputFile::prepare("one", &at("one")).unwrap();
        for name in [".chronoscope-draft-1-0", ".chronoscope-1-0", "draft"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::os::unix::fs::symlink(at("draft"), at(".chronoscope-draft-2-0")).unwrap();
        drop(OutputFile::prepare("two", &at("two")).unwrap());
        let is_there = |name: &str| at(name).symlink_metadata().is_ok();
        assert!(!is_there(".chronoscope-draft-1-0"));
        assert!([".chronoscope-1-0", "draft", ".chronoscope-draft-2-0"].into_iter().all(is_there));
        living.write("1").unwrap();
        assert!(is_there("one"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_readable_as_any_new_one() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| folder.path().join(name).metadata().unwrap().permissions().mode();
        OutputFile::prepare("a file", &folder.path().join("ours")).unwrap().write("").unwrap();
        File::create_new(folder.path().join("usual")).unwrap();
        assert_eq!(mode("ours"), mode("usual"));
    }
}
