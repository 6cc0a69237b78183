use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use chronoscope_sources::os::{executed_path, kill_with_parent};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::unistd::{Pid, SysconfVar, sysconf};

pub(crate) use super::unix::{
    Events, Group, Pipe, Readable, is_alone_and_of_owner, is_at, open_as_it_is, parent_id, signal_name, signal_of,
    system, wait,
};

/// The longest string of a process's environment, in bytes.
pub(crate) const LONGEST_VARIABLE: usize = 128 * 1024 - 1;

/// Buffer for output written between two reads, in bytes.
const PIPE_BYTES: i32 = 1 << 20;
const THIS_THREAD: Pid = Pid::from_raw(0);

pub(crate) fn allowed_cpus() -> Result<Vec<u32>, String> {
    match sched_getaffinity(THIS_THREAD) {
        Ok(set) => {
            Ok((0..CpuSet::count()).filter(|cpu| set.is_set(*cpu).unwrap_or(false)).map(|cpu| cpu as u32).collect())
        }
        // A sandbox may refuse the call and show the file.
        Err(error) => listed_cpus().ok_or_else(|| unsuccessful("sched_getaffinity", error)),
    }
}

/// The CPUs in the kernel's list of those allowed to this thread.
fn listed_cpus() -> Option<Vec<u32>> {
    let status = super::text("/proc/thread-self/status").ok()?;
    cpus_in(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim())
}

/// The numbers in a list such as `0-3,6`.
fn cpus_in(list: &str) -> Option<Vec<u32>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    let ranges: Vec<_> = list.split(',').map(range).collect::<Option<_>>()?;
    Some(ranges.into_iter().flatten().collect())
}

/// What to say of a system call that did not succeed.
fn unsuccessful(call: &str, error: Errno) -> String {
    let how = if matches!(error, Errno::EPERM | Errno::EACCES | Errno::ENOSYS) { "was refused" } else { "failed" };
    format!("{call} {how}: {}", error.desc())
}

pub(crate) fn bind(cpus: &[u32]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(*cpu as usize)
            .map_err(|_| format!("CPU {cpu} is beyond the {} this build can name", CpuSet::count()))?;
    }
    sched_setaffinity(THIS_THREAD, &set).map_err(|error| {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        unsuccessful(&format!("sched_setaffinity to CPU {}", cpus.join(",")), error)
    })
}

pub(crate) fn involuntary_switches() -> Option<u64> {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).ok()?;
    u64::try_from(usage.involuntary_context_switches()).ok()
}

pub(crate) fn clock_ticks_per_second() -> Option<u64> {
    configured(SysconfVar::CLK_TCK)
}

pub(crate) fn page_bytes() -> Option<u64> {
    configured(SysconfVar::PAGE_SIZE)
}

fn configured(what: SysconfVar) -> Option<u64> {
    sysconf(what).ok().flatten().and_then(|value| u64::try_from(value).ok())
}

pub(crate) fn performance_counter_hz() -> Option<u64> {
    None
}

/// The file of this program.
pub(crate) fn this_program() -> Result<PathBuf, String> {
    // The link names the very file being executed, even if it has been replaced on disk.
    let itself = Path::new("/proc/self/exe");
    if itself.exists() {
        return Ok(itself.to_owned());
    }
    // The path used at start, relative to the working directory at the time.
    let program = executed_path().map(|path| Path::new(OsStr::from_bytes(path.to_bytes())));
    if let Some(program) = program.filter(|program| program.exists()) {
        return Ok(program.to_owned());
    }
    Err("cannot find the program's own file: /proc is not mounted".to_owned())
}

/// Makes the process lead its own process group, and end with the thread that starts it.
pub(crate) fn lead_group(command: &mut Command) {
    super::unix::lead_group(kill_with_parent(command));
}

pub(crate) fn open_log(path: &str) -> std::io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

/// A smaller pipe makes the process wait, a blocking one the coordinator; neither affects a result.
pub(super) fn enlarge(pipe: &impl AsFd) {
    let _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(PIPE_BYTES));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_is_what_the_call_says() {
        assert_eq!(cpus_in("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(cpus_in("7"), Some(vec![7]));
        assert_eq!((cpus_in(""), cpus_in("1-x")), (None, None));
        assert_eq!(listed_cpus(), allowed_cpus().ok());
    }

    #[test]
    fn a_refused_call_is_named() {
        assert_eq!(
            unsuccessful("sched_getaffinity", Errno::EPERM),
            "sched_getaffinity was refused: Operation not permitted"
        );
        assert_eq!(unsuccessful("sched_getaffinity", Errno::EINVAL), "sched_getaffinity failed: Invalid argument");
    }
}
