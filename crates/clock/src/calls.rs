//! Stops a process at chosen system calls, so that they can be counted. An observing process needs no privilege, and
//! nothing is traced. For chronoscope's table of language runtimes. Needs the feature `calls`.
//!
//! # Platform
//! Linux 5.5 or later on x86-64 and aarch64; elsewhere [`hold`] fails.
//!
//! # Sources
//! seccomp_unotify(2).

pub use crate::os::calls::{Call, hold, next, release};
