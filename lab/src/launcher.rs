//! Starts a program without something that it usually has.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::ValueEnum;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::sys;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Launcher {
    /// The CPU's counter: reading it is a segmentation fault (`PR_SET_TSC`)
    NoTsc,
    /// Twelve system calls that a measuring program makes and strict containers refuse: they fail with EPERM
    Seccomp,
    /// The boot's time: it lives in a time namespace 1000 s ahead
    Timens,
}

impl Launcher {
    /// Becomes the program, or tells why not.
    pub fn start(self, command: &[String]) -> io::Error {
        let Some((program, arguments)) = command.split_first() else {
            return io::Error::other("no program");
        };
        let prepared = match self {
            Self::NoTsc => sys::forbid_tsc(),
            Self::Seccomp => refuse_calls(),
            Self::Timens => return through_time_namespace(program, arguments),
        };
        match prepared {
            Ok(()) => Command::new(program).args(arguments).exec(),
            Err(error) => error,
        }
    }
}

/// Calls of a measuring program that containers' profiles refuse, a selection; which of them one refuses depends on its profile.
const REFUSED: [libc::c_long; 12] = [
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_setpriority,
    libc::SYS_seccomp,
    libc::SYS_ptrace,
    libc::SYS_perf_event_open,
    libc::SYS_process_vm_readv,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_syslog,
    libc::SYS_mlockall,
    libc::SYS_unshare,
];

/// Makes those calls fail with EPERM, for this process and those that it becomes or starts.
fn refuse_calls() -> io::Result<()> {
    let rules = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, refused, architecture)
        .and_then(TryInto::try_into)
        .map_err(io::Error::other)?;
    seccompiler::apply_filter(&filter).map_err(io::Error::other)
}

/// Only children live in a new time namespace, so this process stays and ends as its child does.
fn through_time_namespace(program: &str, arguments: &[String]) -> io::Error {
    match sys::unshare_time(1_000).and_then(|()| sys::by_fork(Command::new(program).args(arguments)).status()) {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
