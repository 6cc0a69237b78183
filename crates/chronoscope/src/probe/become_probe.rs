//! The step between the coordinator and a probe: this program, restarted, which becomes the probe.

use std::ffi::OsString;
use std::io::{Error, ErrorKind};
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
    if access == FAULTS
        && let Err(unavailable) = set_counter_access(CounterAccess::Faults)
    {
        return Some(unavailable.to_string());
    }
    let error = replace(Command::new(&program).args(arguments));
    Some(not_started(Path::new(&program), &error))
}

/// What to say of a program that could not be started.
fn not_started(program: &Path, error: &Error) -> String {
    let may_be_forbidden = error.kind() == ErrorKind::PermissionDenied && is_executable(program);
    let program = program.display();
    if may_be_forbidden {
        // The path comes last, since a long answer loses its end.
        format!("could not be started: {error}; if its file system is mounted noexec, set TMPDIR to another: {program}")
    } else {
        format!("{program} could not be started: {error}")
    }
}

/// Whether the file's own permissions let somebody run it.
#[cfg(unix)]
fn is_executable(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    program.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_program: &Path) -> bool {
    false
}

/// Becomes `command`; returns only if that fails.
#[cfg(unix)]
fn replace(command: &mut Command) -> Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn replace(_command: &mut Command) -> Error {
    Error::other("a program cannot become another one on this system")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_system_without_programs_has_a_mend() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("probe");
        let told = |mode, kind| {
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
            not_started(&program, &Error::from(kind)).contains("set TMPDIR")
        };
        assert!(told(0o700, ErrorKind::PermissionDenied));
        assert!(!told(0o600, ErrorKind::PermissionDenied), "its own permissions forbid it");
        assert!(!told(0o700, ErrorKind::OutOfMemory));
    }
}
