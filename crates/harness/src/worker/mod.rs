//! Worker processes: whatever measures does so in a process of its own.
//!
//! Address layout, page colour and CPU frequency differ by chance between processes, so an estimate over several
//! includes variation that a single one hides. A worker may also die, for example from an illegal instruction, without
//! discarding earlier results.
//!
//! All workers speak one protocol, `probes/PROTOCOL.md`: this program restarted for a task, a benchmark program restarted for a
//! study, and the probe of a language runtime. One JSON request, then one JSON message per line, the last of type `end`.

mod conversation;
mod failure;
mod launcher;
mod protocol;
mod serve;

pub use conversation::{Hear, Limit, Terms, attend};
pub use failure::WorkerFailure;
pub use launcher::{Launch, Launcher};
pub use protocol::{Identity, PROTOCOL, line, message};
pub(crate) use serve::{Head, STUDY, request, say, serve};
pub use serve::{is_worker, serve_if_asked};
