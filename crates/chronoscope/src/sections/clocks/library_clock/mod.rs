//! The library clock's report on itself.

pub mod report;
pub mod task;
pub mod view;

use crate::document::Record;
use crate::engine::session::Session;

/// Long enough for a clock to check its reference many times.
const BUDGET_MS: u64 = 50;

/// Has a worker read the library's clock and writes its report on itself into the record.
pub fn finish(session: &Session<'_>, record: &mut Record) {
    match session.ask_alone(BUDGET_MS, &task::Request) {
        Ok((clock, _)) => record.clocks.library_clock = Some(clock),
        Err(failure) => record.clocks.reason_library_clock_unknown = Some(failure.to_string()),
    }
}
