pub mod ptp_clock;

use std::fmt;

use chronoscope_sources::os::OsClock;
use chronoscope_sources::{SourceId, SourceVisitor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ptp_clock::PtpClock;

/// A clock by name: one known to this build, or one from another build, another architecture or a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(from = "String", into = "String")]
pub enum ClockId {
    /// A source that this build knows or can read.
    Known(SourceId),
    /// A PTP clock of a machine.
    Ptp(PtpClock),
    /// Any other: it can be shown, but only its document describes it.
    Other(String),
}

impl ClockId {
    /// The library's causal clock of this granularity.
    pub fn granular(granularity_ns: u64) -> Self {
        Self::from(format!("Granular {}", granularity(granularity_ns)))
    }

    /// The clock that a user calls `name`: as in reports, or a system clock without its prefix, such as `monotonic` or
    /// `boottime`.
    pub fn called(name: &str) -> Option<Self> {
        let of_report = match Self::from(name) {
            Self::Other(_) => None,
            known => Some(known),
        };
        let short = name.to_ascii_lowercase().replace('-', "_");
        let prefixed = || SourceId::from_name(&format!("CLOCK_{}", short.to_ascii_uppercase())).map(Self::Known);
        // By these names on every platform, whatever the system calls them.
        let usual = || match short.as_str() {
            "monotonic" => Some(Self::Known(SourceId::Os(OsClock::Monotonic))),
            "realtime" => Some(Self::Known(SourceId::Os(OsClock::Realtime))),
            _ => None,
        };
        of_report.or_else(prefixed).or_else(usual)
    }

    /// The source, if this build knows it.
    pub const fn known(&self) -> Option<SourceId> {
        match self {
            Self::Known(id) => Some(*id),
            Self::Ptp(_) | Self::Other(_) => None,
        }
    }

    /// Passes the clock to `visitor`.
    ///
    /// # Errors
    /// If this build does not know the clock, or it cannot be read.
    pub fn visit<V: SourceVisitor>(&self, visitor: V) -> Result<V::Output, String> {
        match self {
            Self::Known(id) => id.visit(visitor).map_err(|unavailable| unavailable.to_string()),
            Self::Ptp(clock) => clock.visit(visitor),
            Self::Other(name) => Err(format!("unknown clock {name}")),
        }
    }

    /// Its name in reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(id) => id.name(),
            Self::Ptp(clock) => clock.name(),
            Self::Other(name) => name,
        }
    }

    /// Whether it is the CPU's counter, read with a dedicated instruction.
    pub fn is_counter(&self) -> bool {
        self.known().is_some_and(SourceId::is_counter)
    }

    /// Whether it may be set, and thus step back.
    pub fn is_settable(&self) -> bool {
        matches!(self, Self::Ptp(_)) || self.known().is_some_and(|id| id.facts().is_settable)
    }
}

/// A granularity as the clock's name has it: `100 ns`, `1 µs`.
fn granularity(ns: u64) -> String {
    if ns > 0 && ns.is_multiple_of(1_000) { format!("{} µs", ns / 1_000) } else { format!("{ns} ns") }
}

impl Default for ClockId {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl fmt::Display for ClockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<SourceId> for ClockId {
    fn from(id: SourceId) -> Self {
        Self::Known(id)
    }
}

impl From<&str> for ClockId {
    fn from(name: &str) -> Self {
        match SourceId::from_name(name) {
            Some(id) => Self::Known(id),
            None if let Some(clock) = PtpClock::from_name(name) => Self::Ptp(clock),
            None => Self::Other(name.to_owned()),
        }
    }
}

impl From<String> for ClockId {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<ClockId> for String {
    fn from(clock: ClockId) -> Self {
        Self::from(&clock)
    }
}

impl From<&ClockId> for String {
    fn from(clock: &ClockId) -> Self {
        clock.name().to_owned()
    }
}

impl PartialEq<SourceId> for ClockId {
    fn eq(&self, id: &SourceId) -> bool {
        self.known() == Some(*id)
    }
}

#[cfg(test)]
impl PartialEq<&str> for ClockId {
    fn eq(&self, name: &&str) -> bool {
        self.name() == *name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::timer::ReadOnce;
    use chronoscope_sources::Guarantee;

    #[test]
    fn every_clock_is_written_and_read_as_its_name() {
        let others = ["isb; cntvct", "lfence; rdtsc", "Granular 100 ns", "/dev/ptp0", ""].map(ClockId::from);
        for clock in SourceId::all().map(ClockId::Known).chain(others) {
            let written = serde_json::to_value(&clock).unwrap();
            assert_eq!(written, clock.name());
            assert_eq!(serde_json::from_value::<ClockId>(written).unwrap(), clock);
            assert_eq!(ClockId::from(clock.name()), clock);
        }
    }

    #[test]
    fn the_granular_clock_of_the_table_is_one_of_them() {
        assert_eq!(ClockId::granular(1_000), SourceId::Clock(Guarantee::Granular));
        assert_eq!(
            [0, 100, 2_000, 2_500].map(ClockId::granular).map(|clock| clock.to_string()),
            ["Granular 0 ns", "Granular 100 ns", "Granular 2 µs", "Granular 2500 ns"]
        );
    }

    #[test]
    fn short_names_are_those_of_system_clocks() {
        let monotonic = Some(ClockId::Known(SourceId::Os(OsClock::Monotonic)));
        for name in ["monotonic", "Monotonic", SourceId::Os(OsClock::Monotonic).name()] {
            assert_eq!(ClockId::called(name), monotonic, "{name}");
        }
        if cfg!(target_os = "linux") {
            assert_eq!(ClockId::called("monotonic-raw"), ClockId::called("CLOCK_MONOTONIC_RAW"));
            assert_eq!(ClockId::called("tai").unwrap().name(), "CLOCK_TAI");
        }
        assert_eq!(ClockId::called("/dev/ptp0").unwrap().name(), "/dev/ptp0");
        assert_eq!([ClockId::called("sundial"), ClockId::called(""), ClockId::called("CLOCK_")], [None, None, None]);
    }

    #[test]
    fn a_clock_that_this_build_does_not_know_is_shown_and_not_read() {
        let sundial = serde_json::from_str::<ClockId>("\"sundial\"").unwrap();
        assert_eq!(format!("{sundial:<9}|"), "sundial  |");
        assert_eq!(sundial.visit(ReadOnce), Err("unknown clock sundial".to_owned()));
        assert!(!sundial.is_counter() && !sundial.is_settable());
    }
}
