//! The probes: one source file per language runtime, each run from source by the runtime's own launcher.
//!
//! `PROTOCOL.md`, in the same folder, specifies what they are asked and what they answer.
//!
//! # Examples
//! ```
//! assert_eq!(chronoscope_probes::JAVA.file, "Probe.java");
//! assert!(chronoscope_probes::JAVA.text.contains("System.nanoTime"));
//! ```
#![no_std]
#![forbid(unsafe_code)]

/// One probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that its file must have.
    pub file: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// For Java virtual machines from version 11 on.
pub const JAVA: Source = Source { file: "Probe.java", text: include_str!("../java/Probe.java") };

/// For .NET and Mono.
pub const CSHARP: Source = Source { file: "Probe.cs", text: include_str!("../csharp/Probe.cs") };

/// For Go.
pub const GO: Source = Source { file: "probe.go", text: include_str!("../go/probe.go") };

/// For Node.js.
pub const NODE: Source = Source { file: "probe.mjs", text: include_str!("../node/probe.mjs") };

/// For Python from version 3.7 on.
pub const PYTHON: Source = Source { file: "probe.py", text: include_str!("../python/probe.py") };

/// For compilers of C.
pub const C: Source = Source { file: "probe.c", text: include_str!("../c/probe.c") };
