//! The library clock's report on itself.

pub mod report;
pub mod task;
pub mod view;

use crate::engine::session::Session;
use chronoscope_harness::record::Known;

/// Long enough for a clock to check its reference many times.
const BUDGET_MS: u64 = 50;

/// The report on itself of the library's clock, after a worker has read it.
pub fn measured(session: &Session<'_>) -> Known<report::LibraryClock> {
    session.ask_alone(BUDGET_MS, &task::LibraryClockTask).map(|(clock, _)| clock).into()
}
