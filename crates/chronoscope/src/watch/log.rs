use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chronoscope_bench::Failure;

/// A file to which lines are appended, each in one write: readers never see half of one.
#[derive(Debug)]
pub struct Log {
    file: File,
    path: PathBuf,
    /// Why no more is written.
    pub reason_ended: Option<String>,
}

impl Log {
    /// Opens the file, and leaves what is in it. A last line that was cut off, by a full disk or a lost machine, is ended. A pipe
    /// whose reader does not keep up ends the log: a watch that waited for it would see nothing meanwhile.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let cannot =
            |error| Failure::usage(format!("could not open the log {}: {error}; name a writable file", path.display()));
        let mut options = File::options();
        options.read(true).append(true).create(true);
        // Of regular files it changes nothing.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
        let file = options.open(path).map_err(cannot)?;
        let mut log = Self { file, path: path.to_owned(), reason_ended: None };
        log.end_line().map_err(cannot)?;
        Ok(log)
    }

    fn end_line(&mut self) -> std::io::Result<()> {
        // A pipe or a terminal has no end to look at.
        if !self.file.metadata()?.is_file() || self.file.metadata()?.len() == 0 {
            return Ok(());
        }
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        if last != *b"\n" { self.file.write_all(b"\n") } else { Ok(()) }
    }

    /// Appends a line; the first failure is the last attempt.
    pub fn write(&mut self, line: &str) {
        if self.reason_ended.is_none() {
            let written = self.file.write_all(format!("{line}\n").as_bytes());
            self.reason_ended = written.err().map(|error| match error.kind() {
                ErrorKind::WouldBlock => format!("{}: its reader does not keep up", self.path.display()),
                _ => format!("{}: {error}", self.path.display()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_and_a_broken_one_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut log = Log::open(&path).unwrap();
        log.write("{\"a\":1}");
        drop(log);
        std::fs::write(&path, "{\"a\":1}\n{\"cut").unwrap();
        for _ in 0..2 {
            let mut log = Log::open(&path).unwrap();
            log.write("{\"b\":2}");
            assert_eq!(log.reason_ended, None);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"cut\n{\"b\":2}\n{\"b\":2}\n");
    }

    #[test]
    fn a_log_that_cannot_be_opened_is_refused_with_its_name() {
        let refused = Log::open(Path::new("/nonexistent/folder/events.jsonl")).unwrap_err().to_string();
        assert!(refused.contains("/nonexistent/folder/events.jsonl"), "{refused}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_that_nobody_reads_ends_the_log_and_does_not_stop_the_watch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut log = Log::open(&path).unwrap();
        let lines = (0..100_000).take_while(|_| {
            log.write(&"a".repeat(100));
            log.reason_ended.is_none()
        });
        assert!(lines.count() > 10);
        assert!(log.reason_ended.is_some_and(|why| why.contains("pipe")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_ends_the_log_with_its_reason() {
        let mut log = Log::open(Path::new("/dev/full")).unwrap();
        log.write("a");
        let reason = log.reason_ended.clone().unwrap();
        assert!(reason.contains("/dev/full") && reason.contains("space"), "{reason}");
    }
}
