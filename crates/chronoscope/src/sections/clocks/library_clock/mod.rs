//! The library clock's report on itself.

pub mod report;
pub mod task;
pub mod view;

use crate::engine::session::Session;
use crate::sections::clocks::report::ClocksReport;

/// Long enough for a clock to check its reference many times.
const BUDGET_MS: u64 = 50;

/// Has a worker read the library's clock and writes its report on itself into the section's.
pub fn finish(session: &Session<'_>, report: &mut ClocksReport) {
    report.library_clock = Some(session.ask_alone(BUDGET_MS, &task::LibraryClockTask).map(|(clock, _)| clock).into());
}
