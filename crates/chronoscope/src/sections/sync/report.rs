//! The section's report: plain data, each part from one source or with a reason for its absence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::Bound;
use super::chrony::Chrony;
use super::daemon::Daemon;
use super::discipline::Discipline;
use super::kernel::Kernel;
use super::ptp::PtpDevice;
use super::slew::Slew;
use super::step::WallStep;
use super::timesyncd::Timesyncd;
use chronoscope_harness::record::Known;

/// Whether the wall clock is disciplined, by what, its maximum error, and the slew of `CLOCK_MONOTONIC`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncReport {
    /// Whether the wall clock is disciplined, and by what.
    pub discipline: Discipline,
    /// Its maximum error.
    pub bound: Known<Bound>,
    /// The current rate of `CLOCK_MONOTONIC` relative to `CLOCK_MONOTONIC_RAW`.
    pub slew: Slew,
    /// By how much the wall clock was set during the observation.
    pub step: Known<WallStep>,
    /// The kernel's state.
    pub kernel: Known<Kernel>,
    /// chronyd's report.
    pub chrony: Known<Chrony>,
    /// systemd-timesyncd's state.
    pub timesyncd: Known<Timesyncd>,
    /// Running programs that may keep a clock.
    pub daemons: Known<Vec<Daemon>>,
    /// The machine's PTP clocks.
    pub ptp: Known<Vec<PtpDevice>>,
}

impl SyncReport {
    /// Why there is no bound, unless that is the evidence that nothing disciplines the clock: whoever tells this has told that.
    pub fn reason_without_bound(&self) -> Option<&str> {
        match &self.bound {
            Known::Unavailable(why) if !self.discipline.evidence.contains(why) => Some(why),
            _ => None,
        }
    }
}
