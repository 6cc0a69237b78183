use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file that is to appear whole or not at all.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    draft: NamedTempFile,
}

impl OutputFile {
    /// Makes room for `path` beside it, so that a path that cannot be written is known before anything is measured.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Failure> {
        let cannot = |why: String| Failure::usage(format!("the record cannot be saved to {}: {why}", path.display()));
        if path.is_dir() {
            return Err(cannot("it is a folder; name a file".to_owned()));
        }
        if path.exists() && !path.is_file() {
            return Err(cannot(
                "it is no ordinary file, so it cannot appear whole; redirect --format json instead".to_owned(),
            ));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let draft = tempfile::Builder::new()
            .prefix(".chronoscope-")
            .tempfile_in(folder)
            .map_err(|error| cannot(format!("{error}; choose a file in a folder that you may write to")))?;
        Ok(Self { path: path.to_owned(), draft })
    }

    /// Writes `text` and puts the file in its place.
    pub(crate) fn write(mut self, text: &str) -> Result<(), Failure> {
        let path = self.path.clone();
        let cannot = |error: &dyn std::fmt::Display| {
            Failure::run(format!(
                "the record could not be saved to {}: {error}; nothing was put there. With --format json it can be \
                 redirected from standard output",
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

/// Gives the draft, which is made for its owner alone, the permissions that a new file has here.
fn readable_as_usual(draft: &NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let probe = draft.path().with_extension("mode");
    let mode = std::fs::File::create_new(&probe)?.metadata().map(|metadata| metadata.permissions().mode());
    std::fs::remove_file(&probe)?;
    draft.as_file().set_permissions(std::fs::Permissions::from_mode(mode?))
}

/// Prints `text` on standard output, with its colours if that is wanted there.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // Whoever read the output has had enough of it.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::run(format!("standard output could not be written: {error}"))),
        Ok(()) => Ok(()),
    }
}
