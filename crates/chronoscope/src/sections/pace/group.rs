//! The process group of a consumer, in which what it starts stays unless it leaves by itself.
//!
//! It is a group of its own: all of it can be ended, and what is left of it keeps no pipe open. So a terminal's Ctrl-C no
//! longer reaches it, and must be passed on. It cannot read from the terminal either. On Windows there is no such group.

#[cfg(unix)]
pub use of_unix::{interrupt, is_there, kill, lead};

#[cfg(not(unix))]
pub use of_others::{interrupt, is_there, kill, lead};

#[cfg(unix)]
mod of_unix {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    pub fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// To be called as long as one of it is there, or just was: later its number may be another's.
    pub fn kill(child: &Child) {
        signal(child, Signal::SIGKILL);
    }

    /// As the terminal would.
    pub fn interrupt(child: &Child) {
        signal(child, Signal::SIGINT);
    }

    /// Whether it has a process left that can be ended.
    pub fn is_there(child: &Child) -> bool {
        killpg(of(child), None).is_ok()
    }

    fn signal(child: &Child, signal: Signal) {
        // An empty group needs none.
        let _ = killpg(of(child), signal);
    }

    fn of(child: &Child) -> Pid {
        Pid::from_raw(child.id().cast_signed())
    }
}

#[cfg(not(unix))]
mod of_others {
    use std::process::{Child, Command};

    pub fn lead(_command: &mut Command) {}

    pub fn kill(_child: &Child) {}

    pub fn interrupt(_child: &Child) {}

    pub fn is_there(_child: &Child) -> bool {
        false
    }
}
