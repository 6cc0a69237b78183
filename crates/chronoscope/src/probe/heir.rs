//! Whoever ends what a run has started, once the run has ended, even if it was killed: this program, restarted, which waits for that.

use std::ffi::OsString;
use std::io::{Read, Result, Write, stdin};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chronoscope_harness::rest;
use chronoscope_harness::worker::Launcher;

use super::claimed_folder::claimed;

/// The first argument of a program that is to be an heir. The second is the run's folder.
const ARGUMENT: &str = "__chronoscope-heir";
/// The variable that tells the programs of a run, and all that they start: it is their folder, below the run's.
pub const MARK: &str = "CHRONOSCOPE_RUN";
/// What a run says that ends by itself, and so removes its folder.
const DONE: &[u8] = b"done";

/// Dropping it ends whatever the run's programs have left running.
pub struct Heir(Child);

impl Heir {
    /// Of the run in `folder`.
    pub fn of(folder: &Path, launcher: &Launcher) -> Result<Self> {
        let mut command = Command::new(launcher.program());
        command.arg(ARGUMENT).arg(folder).env_clear().current_dir("/");
        // Neither a Ctrl-C nor what kills the run's process group reaches it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Self)
    }
}

impl Drop for Heir {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.0.stdin.take() {
            let _ = pipe.write_all(DONE);
        }
        let _ = self.0.wait();
    }
}

/// Serves as the heir that the arguments request, if they do.
pub fn inherit_if_asked(mut arguments: impl Iterator<Item = OsString>) -> bool {
    let (true, Some(folder)) = (arguments.next().is_some_and(|first| first == ARGUMENT), arguments.next()) else {
        return false;
    };
    let mut heard = Vec::new();
    // Until the other end is closed, as it is when the run is killed.
    let _ = stdin().read_to_end(&mut heard);
    let folder = Path::new(&folder);
    end_all(folder);
    if let (true, Some(parent)) = (heard != DONE, folder.parent()) {
        drop(claimed(parent));
    }
    true
}

/// Kills the programs of the run in `folder` and all that they have started, unless it has thrown its environment away.
fn end_all(folder: &Path) {
    // One that forks meanwhile may be missed once.
    const MOST_LOOKS: u32 = 200;
    const BETWEEN: Duration = Duration::from_millis(5);
    let mark = [MARK.as_bytes(), b"=", folder.as_os_str().as_encoded_bytes(), b"/"].concat();
    for _ in 0..MOST_LOOKS {
        if kill_marked(&mark) == 0 {
            return;
        }
        rest(BETWEEN);
    }
}

/// Kills every process with a variable that begins so, and counts them.
#[cfg(target_os = "linux")]
fn kill_marked(mark: &[u8]) -> usize {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::fs::File;

    const LARGEST_ENVIRONMENT: u64 = 16 << 20;
    let is_marked = |number: i32| {
        let mut environment = Vec::new();
        let opened = File::open(format!("/proc/{number}/environ"));
        let read = opened.and_then(|file| file.take(LARGEST_ENVIRONMENT).read_to_end(&mut environment));
        read.is_ok() && environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark))
    };
    let kill = |number: i32| {
        // Opened before it is looked at: its number may become another's.
        let process = pidfd_open(Pid::from_raw(number)?, PidfdFlags::empty()).ok()?;
        is_marked(number).then(|| pidfd_send_signal(process, Signal::KILL).ok()).flatten()
    };
    let entries = Path::new("/proc").read_dir().into_iter().flatten().flatten();
    entries.filter_map(|entry| kill(entry.file_name().to_str()?.parse().ok()?)).count()
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(_mark: &[u8]) -> usize {
    0
}
