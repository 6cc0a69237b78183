use std::io::Error;
use std::os::unix::process::{CommandExt, parent_id};
use std::process::{Command, id};

/// Has the kernel kill the process that `command` starts when the thread that starts it ends, however that ends. What the process
/// starts in turn is not killed.
///
/// # Platform
/// Linux.
///
/// # Sources
/// `PR_SET_PDEATHSIG` in prctl(2): it holds across `execve`, unless that program has rights of its own.
///
/// # Examples
/// ```
/// let mut command = std::process::Command::new("true");
/// assert!(chronoscope_sources::os::kill_with_parent(&mut command).status().unwrap().success());
/// ```
pub fn kill_with_parent(command: &mut Command) -> &mut Command {
    let parent = id();
    let begin = move || {
        // A kernel that refuses lets it outlive a parent that is killed, which is no reason not to start it.
        // SAFETY: it sets a number of this process, and reads no memory.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        // A parent that had ended before sends no signal.
        if parent_id() == parent { Ok(()) } else { Err(Error::from_raw_os_error(libc::ESRCH)) }
    };
    // SAFETY: between fork and exec, which may follow a fork of many threads, the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(begin) }
}
