//! The record: everything that was seen, as plain data.

pub use chronoscope_harness::record::*;

pub use crate::answers::report::*;
pub use crate::document::*;
pub use crate::sections::causality::report::*;
pub use crate::sections::clocks::library_clock::report::*;
pub use crate::sections::clocks::report::*;
pub use crate::sections::contention::report::*;
pub use crate::sections::pace::report::*;
pub use crate::sections::pauses::report::*;
pub use crate::sections::reads::report::*;
pub use crate::sections::runtimes::report::*;
pub use crate::sections::thread_release::report::*;
