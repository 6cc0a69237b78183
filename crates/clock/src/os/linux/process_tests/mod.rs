//! Anything a process may do to the clock, done to a real one on a real kernel: forks at every step, signals at every
//! instruction, stops, sandboxes, namespaces, a restore elsewhere.
//!
//! Tests that change a process permanently run in a [child](child) of a [fresh process](fresh) with a single thread, so
//! that a crash fails only one test.

mod check;
mod child;
mod counter_access;
mod errno;
#[cfg(target_arch = "x86_64")]
mod every_instruction;
mod fork;
mod fresh;
mod interval_timer;
mod no_files;
#[cfg(target_arch = "x86_64")]
mod restore;
mod sched_guards;
mod seccomp;
mod shared;
mod signal;
mod sleeps;
mod stop;
mod switch;
mod time_namespace;

/// The full name of a test of this module, for [`fresh::in_fresh_process`].
macro_rules! here {
    ($test:ident) => {{
        let _: fn() = $test;
        concat!(module_path!(), "::", stringify!($test))
    }};
}
use here;
