//! The probes: one source file per language runtime, each run from source by the runtime's own launcher; and the kinds of
//! runtimes, a row each.
//!
//! `PROTOCOL.md`, in the same folder, specifies what they are asked and what they answer.
//!
//! # Examples
//! ```
//! use chronoscope_probes::RuntimeKind;
//!
//! let probe = RuntimeKind::Java.row().probe;
//! assert_eq!(probe.file, "Probe.java");
//! assert!(probe.text.contains("System.nanoTime"));
//! ```
#![forbid(unsafe_code)]

mod kind;

pub use kind::{KindRow, RuntimeKind, Start};

/// One probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that its file must have.
    pub file: &'static str,
    /// Its content.
    pub text: &'static str,
}
