use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

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
    draft: NamedTempFile,
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
            return Err(cannot(
                "not a regular file, so it cannot be replaced atomically; redirect --format json instead".to_owned(),
            ));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let draft = tempfile::Builder::new()
            .prefix(".chronoscope-")
            .tempfile_in(folder)
            .map_err(|error| cannot(format!("{error}; choose a file in a writable folder")))?;
        Ok(Self { what: what.to_owned(), path: path.to_owned(), draft })
    }

    /// Writes `text` and moves the file into place.
    ///
    /// # Errors
    /// With exit code 1, if that fails; no file is left then.
    pub fn write(mut self, text: &str) -> Result<(), Failure> {
        let (what, path) = (&self.what, &self.path);
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::run(format!(
                "could not write {what} to {}: {error}; nothing was written. With --format json the record can be redirected \
                 from standard output",
                path.display()
            ))
        };
        self.draft.write_all(text.as_bytes()).map_err(|error| cannot(&error))?;
        self.draft.as_file().sync_all().map_err(|error| cannot(&error))?;
        readable_as_usual(&self.draft).map_err(|error| cannot(&error))?;
        self.draft.persist(&self.path).map_err(|error| cannot(&error.error))?;
        Ok(())
    }
}

/// Gives the draft, created readable only by its owner, the usual permissions of a new file.
#[cfg(unix)]
fn readable_as_usual(draft: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let probe = draft.path().with_extension("mode");
    let mode = std::fs::File::create_new(&probe)?.metadata().map(|metadata| metadata.permissions().mode());
    std::fs::remove_file(&probe)?;
    draft.as_file().set_permissions(std::fs::Permissions::from_mode(mode?))
}

/// A file gets those of its folder on Windows.
#[cfg(not(unix))]
fn readable_as_usual(_draft: &NamedTempFile) -> std::io::Result<()> {
    Ok(())
}
