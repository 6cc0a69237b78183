use super::task::Request;
use crate::document::Record;
use crate::engine::session::Session;
use crate::sections::clocks::library_clock::estimate;

/// Long enough for a clock to have looked at its reference many times.
const BUDGET_MS: u64 = 50;

/// Has a worker read the library's clock and writes what the clock then says of itself into the record.
pub fn finish(session: &Session<'_>, record: &mut Record) {
    let answer = session.ask_alone(BUDGET_MS, &Request);
    match answer {
        Ok((said, _)) => record.clocks.library_clock = Some(estimate::library_clock(&said)),
        Err(failure) => record.clocks.reason_library_clock_unknown = Some(failure.to_string()),
    }
}
