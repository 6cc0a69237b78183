//! The kernel's clock becomes synchronised, or is so no longer.

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::ns;

use super::shown_in::SHOWN_IN;
use crate::watch::sample::Sample;

pub const SYNC_CHANGED: Kind = Kind::warning(
    "sync_changed",
    Meaning {
        about: "the kernel's clock became synchronised, or is so no longer",
        evidence: "the maximum error that the kernel states (`max_error_ns`)",
        mend: "`chronoscope sync` says who steers it; see whether that daemon runs and reaches its servers",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Degraded);

#[derive(Debug, Default)]
pub struct Detector {
    last: Option<bool>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let kernel = sample.kernel.value()?;
        let last = self.last.replace(kernel.is_synchronised())?;
        if last == kernel.is_synchronised() {
            return None;
        }
        let error = ns(kernel.max_error_ns as f64);
        let finding = |said| Finding::new(SYNC_CHANGED, said).value("max_error_ns", kernel.max_error_ns as f64);
        Some(if kernel.is_synchronised() {
            let said = format!("the wall clock is synchronised again; its maximum error is {error}");
            Finding { severity: Severity::Notice, ..finding(said) }
        } else {
            finding(format!("the wall clock is no longer synchronised; its maximum error was {error}"))
                .advice("`chronoscope sync` says who steers it; see whether that daemon runs and reaches its servers")
        })
    }
}
