//! The hypervisor takes CPU time away.

use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{ns, percent};

use super::shown_in::SHOWN_IN;
use crate::watch::sample::{Sample, Steal};

pub const TIME_STOLEN: Kind = Kind::warning(
    "time_stolen",
    Meaning {
        about: "the hypervisor gave CPU time of this machine to others",
        evidence: "the share of all CPUs and its error (`stolen_share` ± `error_share`), and the time (`stolen_ns`)",
        mend: "ask for a host with fewer guests, or for CPUs of your own",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Noisy);

/// A larger share of all CPUs is an event.
const SHARE: f64 = 0.01;
/// No more is told until it was below this, or is twice what was told.
const QUIET_SHARE: f64 = SHARE / 2.0;
/// A share over less is mostly the counter's step.
const SHORTEST_NS: u64 = 5_000_000_000;

#[derive(Debug, Default)]
pub struct Detector {
    start: Option<Steal>,
    told: Option<f64>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = *sample.steal.as_ref()?.value()?;
        let start = *self.start.get_or_insert(now);
        let passed_ns = now.at_ns.saturating_sub(start.at_ns);
        if passed_ns < SHORTEST_NS {
            return None;
        }
        self.start = Some(now);
        // Kernels have counted it backwards, and a CPU may come and go.
        let stolen_ns = now.stolen_ns.checked_sub(start.stolen_ns).filter(|_| now.cpus == start.cpus)?;
        let whole_ns = passed_ns as f64 * f64::from(now.cpus.max(1));
        let (share, error) = (stolen_ns as f64 / whole_ns, now.step_ns as f64 / whole_ns);
        if share + error < QUIET_SHARE {
            self.told = None;
        }
        let is_more = self.told.is_none_or(|told| share - error > 2.0 * told);
        (share - error > SHARE && is_more).then(|| {
            self.told = Some(share);
            found(share, error, stolen_ns, passed_ns)
        })
    }
}

fn found(share: f64, error: f64, stolen_ns: u64, passed_ns: u64) -> Finding {
    let said = format!(
        "the hypervisor took {} of all CPUs in {}: {} (± {})",
        percent(share * 100.0),
        ns(passed_ns as f64),
        ns(stolen_ns as f64),
        percent(error * 100.0)
    );
    Finding::new(TIME_STOLEN, said)
        .value("stolen_share", share)
        .value("error_share", error)
        .value("stolen_ns", stolen_ns as f64)
        .value("over_ns", passed_ns as f64)
        .advice(
            "whatever is timed meanwhile includes it: `chronoscope hiccups` shows the gaps; ask for CPUs of your own",
        )
}
