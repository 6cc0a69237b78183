//! What is known of the clocks before any is measured: by the probe, by construction, by declaration.

use chronoscope_sources::os::declared_resolution_ns;
use chronoscope_sources::{Family, SourceId};

use crate::clock_id::ClockId;
use crate::engine::session::{KnownClock, Session};
use crate::sections::clocks::report::{ClockReport, ClocksReport};
use chronoscope_harness::record::{Path, PathEvidence, PathMethod};

/// Every clock that this build knows, available or not.
pub fn begin(session: &Session<'_>) -> ClocksReport {
    let mut clocks: Vec<ClockReport> = session.clocks.iter().filter_map(report).collect();
    if let Some(frequency) = session.machine.tsc.frequency {
        let counters = clocks.iter_mut().filter(|clock| clock.is_counter() && clock.available);
        counters.for_each(|clock| clock.resolution_ns_declared = Some(1e9 / frequency.hz));
    }
    ClocksReport { clocks, ..ClocksReport::default() }
}

fn report(KnownClock { name: clock, reason_unavailable }: &KnownClock) -> Option<ClockReport> {
    let reason_unavailable = reason_unavailable.clone();
    match clock {
        ClockId::Known(id) => Some(report_of(*id, reason_unavailable)),
        ClockId::Ptp(_) => Some(report_of_ptp(clock, reason_unavailable)),
        ClockId::Other(_) => None,
    }
}

/// What is known of a PTP clock before it is read.
fn report_of_ptp(clock: &ClockId, reason_unavailable: Option<String>) -> ClockReport {
    let detail = "an open device is read by the system call".to_owned();
    ClockReport {
        name: clock.clone(),
        available: reason_unavailable.is_none(),
        reason_unavailable,
        path: Some(Path::Syscall),
        path_evidence: Some(PathEvidence { method: PathMethod::ByConstruction, detail }),
        ordered: true,
        ..ClockReport::default()
    }
}

fn report_of(id: SourceId, reason_unavailable: Option<String>) -> ClockReport {
    let facts = id.facts();
    let by_construction = match facts.family {
        Family::Counter => Some((Path::Register, "the read is the instruction itself")),
        Family::Library => Some((Path::Register, "the counter, converted by the library")),
        Family::System => {
            (id == SourceId::MonotonicSystemCall).then_some((Path::Syscall, "the read is the system call itself"))
        }
    };
    ClockReport {
        name: id.into(),
        available: reason_unavailable.is_none(),
        reason_unavailable,
        path: by_construction.map(|(path, _)| path),
        path_evidence: by_construction
            .map(|(_, detail)| PathEvidence { method: PathMethod::ByConstruction, detail: detail.to_owned() }),
        ordered: facts.is_ordered,
        causal_by_design: facts.is_causal,
        traps_under_hypervisor: facts.traps_under_hypervisor,
        resolution_ns_declared: declared_ns(id).map(|ns| ns as f64),
        ..ClockReport::default()
    }
}

/// The resolution declared by the system or the library; the counter's follows once its frequency is measured.
fn declared_ns(id: SourceId) -> Option<u64> {
    match id.facts().declared_step {
        Some(step) => u64::try_from(step.as_nanos()).ok(),
        None => id.os_clock().and_then(|clock| declared_resolution_ns(clock).ok()),
    }
}
