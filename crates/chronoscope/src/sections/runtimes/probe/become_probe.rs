//! The step between the coordinator and a probe: this program, restarted, which becomes the probe.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use chronoscope_clock::os::{CounterAccess, set_counter_access};
use nix::sys::prctl;
use nix::sys::signal::Signal;

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
    // If the coordinator is killed, the probe must not continue.
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    if access == FAULTS
        && let Err(unavailable) = set_counter_access(CounterAccess::Faults)
    {
        return Some(unavailable.to_string());
    }
    let error = Command::new(&program).args(arguments).exec();
    Some(format!("{} could not be started: {error}", program.display()))
}
