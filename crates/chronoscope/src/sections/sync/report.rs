//! What the section reports: plain data, each part from one source or with the reason why there is none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bound::Bound;
use super::chrony::Chrony;
use super::daemon::Daemon;
use super::discipline::Discipline;
use super::kernel::Kernel;
use super::known::Known;
use super::ptp::PtpDevice;
use super::slew::Slew;
use super::step::WallStep;
use super::timesyncd::Timesyncd;

/// Whether the wall clock is disciplined, by whom, how far off it is at most, and how fast `CLOCK_MONOTONIC` is slewed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyncReport {
    /// Whether the wall clock is disciplined, and by whom.
    pub discipline: Discipline,
    /// How far it is off at most.
    pub bound: Known<Bound>,
    /// How fast `CLOCK_MONOTONIC` runs against `CLOCK_MONOTONIC_RAW` now.
    pub slew: Slew,
    /// By how much the wall clock was set during the observation.
    pub step: Known<WallStep>,
    /// The kernel's own word.
    pub kernel: Known<Kernel>,
    /// chronyd's own word.
    pub chrony: Known<Chrony>,
    /// systemd-timesyncd's own word.
    pub timesyncd: Known<Timesyncd>,
    /// What runs here that may keep a clock.
    pub daemons: Known<Vec<Daemon>>,
    /// The PTP clocks of this machine.
    pub ptp: Known<Vec<PtpDevice>>,
}
