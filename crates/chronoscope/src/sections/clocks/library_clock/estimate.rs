use chronoscope_clock::{Reason, TrustState};
use serde::Serialize;

use super::task::Samples;
use crate::sections::clocks::library_clock::report::{LibraryClock, LibraryClockReason, LibraryClockState};

/// What the library's clock said of itself, in the words of the record.
pub fn library_clock(said: &Samples) -> LibraryClock {
    let reason = |reason: &Reason| LibraryClockReason { name: name(reason), clause: reason.clause().to_owned() };
    LibraryClock {
        state: match said.state {
            TrustState::Verified => LibraryClockState::Verified,
            TrustState::Degraded => LibraryClockState::Degraded,
            TrustState::Fallback => LibraryClockState::Fallback,
        },
        rate_source: name(&said.rate_source),
        rate_source_said: said.rate_source.to_string(),
        reasons: said.reasons.iter().map(reason).collect(),
        error_bound_ns: said.error_bound_ns,
        counter_hz: said.counter_hz,
        checks: said.checks.made,
        checks_outside: said.checks.outside,
        worst_outside_ns: said.checks.worst_ns,
    }
}

/// The name of a variant as serde spells it.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::clocks::library_clock::task::Checks;
    use chronoscope_clock::RateSource;

    #[test]
    fn reasons_have_names_and_clauses() {
        let said = Samples {
            state: TrustState::Fallback,
            rate_source: RateSource::SystemClock,
            reasons: vec![Reason::CounterForbidden],
            error_bound_ns: 0,
            counter_hz: None,
            checks: Checks { made: 9, outside: 2, worst_ns: 5 },
        };
        let found = library_clock(&said);
        assert_eq!((found.state, found.rate_source.as_str()), (LibraryClockState::Fallback, "system_clock"));
        assert_eq!(found.reasons[0].name, "counter_forbidden");
        assert_eq!(found.reasons[0].clause, Reason::CounterForbidden.clause());
    }
}
