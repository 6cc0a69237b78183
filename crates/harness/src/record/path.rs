#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// The path of a clock read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// An instruction reads the counter.
    Register,
    /// Code mapped into the process by the kernel reads the counter or a shared page.
    Vdso,
    /// The kernel is entered.
    Syscall,
}

/// How a clock's path is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathEvidence {
    /// The strength of the evidence.
    pub method: PathMethod,
    /// The procedure and its result.
    pub detail: String,
}

/// The strength of the evidence for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PathMethod {
    /// By construction, the read is that instruction or that system call.
    ByConstruction,
    /// A process whose system call was forbidden could still read the clock, or could not.
    Proved,
    /// The system calls of a process reading the clock were counted.
    Counted,
    /// Inferred from timing; may be wrong.
    Inferred,
}
