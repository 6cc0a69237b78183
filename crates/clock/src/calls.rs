//! Holds the system calls of a process until a listener lets them go on, by which they can be counted.
//!
//! What is held can be looked at by a process that may do nothing else to it: no privilege is needed and nothing is traced.
//! Meant for chronoscope's own table of language runtimes. Needs the feature `calls`.
//!
//! # Platform
//! Linux 5.5 or later on x86-64 and aarch64; elsewhere [`hold`] fails.
//!
//! # Sources
//! seccomp_unotify(2).

pub use crate::os::calls::{Call, hold, next, release};
