//! The step between the coordinator and a probe: this program, restarted, which becomes the probe.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use chronoscope_sources::os::{CounterAccess, set_counter_access};

/// The first argument of a program that is to become a probe.
const ARGUMENT: &str = "__chronoscope-probe";
/// The second, if it drops the right to read the counter.
const FAULTS: &str = "faults";
const NO_FAULTS: &str = "-";

/// The arguments before the probe's own program.
pub fn become_arguments(counter_faults: bool) -> [&'static str; 2] {
    [ARGUMENT, if counter_faults { FAULTS } else { NO_FAULTS }]
}

/// Becomes the probe named by the arguments, if they request it; then this returns only if it fails, with the reason.
pub fn become_if_asked(mut arguments: impl Iterator<Item = OsString>) -> Option<String> {
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let (Some(access), Some(program)) = (arguments.next(), arguments.next()) else {
        return Some("a probe needs a program".to_owned());
    };
    end_with_coordinator();
    if access == FAULTS
        && let Err(unavailable) = set_counter_access(CounterAccess::Faults)
    {
        return Some(unavailable.to_string());
    }
    let error = replace(Command::new(&program).args(arguments));
    Some(format!("{} could not be started: {error}", Path::new(&program).display()))
}

/// If the coordinator is killed, the probe must not continue.
#[cfg(target_os = "linux")]
fn end_with_coordinator() {
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
}

#[cfg(not(target_os = "linux"))]
fn end_with_coordinator() {}

/// Becomes `command`; returns only if that fails.
#[cfg(unix)]
fn replace(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn replace(_command: &mut Command) -> std::io::Error {
    std::io::Error::other("a program cannot become another one on this system")
}
