//! Maximum error of the wall clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chrony::Chrony;
use super::daemon::DaemonKind;
use super::discipline::{Discipline, DisciplineState};
use super::kernel::Kernel;
use chronoscope_harness::record::Known;

/// Maximum error of the wall clock relative to UTC, and its basis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// Maximum error, in either direction.
    pub error_ns: f64,
    /// The source.
    pub basis: BoundBasis,
}

/// The basis of a bound. Each rests on its own assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BoundBasis {
    /// chronyd: |offset| + root dispersion + root delay / 2.
    Chrony,
    /// The kernel's maximum error, as stated by a daemon, plus all that may have accrued since.
    KernelMaxError,
}

impl BoundBasis {
    /// How it is computed.
    pub const fn formula(self) -> &'static str {
        match self {
            Self::Chrony => "chronyd's |offset| + root dispersion + root delay / 2",
            Self::KernelMaxError => {
                "the kernel's maximum error + what it has yet to slew + 506 µs of growth and rounding"
            }
        }
    }

    pub const fn assumption(self) -> &'static str {
        match self {
            Self::Chrony => "the reference clock at the root of chronyd's source is right",
            Self::KernelMaxError => {
                "the daemon declares its error truthfully and the clock drifts by less than 500 ppm between updates"
            }
        }
    }
}

/// The best bound that the sources support.
pub fn conclude(discipline: &Discipline, kernel: &Known<Kernel>, chrony: &Known<Chrony>) -> Known<Bound> {
    if let Some(chrony) = chrony.value().filter(|chrony| chrony.is_synchronised()) {
        return Known::Value(Bound { error_ns: chrony.error_bound_ns(), basis: BoundBasis::Chrony });
    }
    if let Some(by) = discipline.by.filter(|by| states_zero(*by) && discipline.state == DisciplineState::Disciplined) {
        return Known::Unavailable(format!(
            "{} declares an error of 0 at each adjustment: the kernel's maximum error leaves out the network's",
            by.name()
        ));
    }
    let of_kernel = |ns: &u64| Known::Value(Bound { error_ns: *ns as f64, basis: BoundBasis::KernelMaxError });
    kernel.and_then(|kernel| match kernel.is_synchronised() {
        true => kernel.error_bound_ns.and_then(of_kernel),
        false => Known::Unavailable("the kernel says unsynchronised".to_owned()),
    })
}

/// Which daemons tell the kernel that the error is 0.
///
/// # Sources
/// systemd timesyncd-manager.c (`manager_adjust_clock`), linuxptp sysclk.c (`sysclk_set_sync`), OpenNTPD portable
/// (`update_time_sync_status`).
const fn states_zero(kind: DaemonKind) -> bool {
    matches!(kind, DaemonKind::Timesyncd | DaemonKind::Phc2sys | DaemonKind::OpenNtpd)
}
