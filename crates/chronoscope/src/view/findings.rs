use crate::View;
use crate::finding::FindingId;
use crate::findings::all;
use crate::page::Page;
use crate::record::Record;

/// All findings that concern one view.
pub fn concerning(page: &mut Page, record: &Record, view: View) {
    all(page, record.findings.iter().filter(|finding| concerns(finding.id, view)));
}

/// A kind that no view claims is shown in all, so that none can be lost.
fn concerns(id: FindingId, view: View) -> bool {
    use FindingId as F;
    match id {
        F::ResolutionIsNotGranularity => matches!(view.name(), "clocks" | "runtimes"),
        F::RuntimeTickCoarse
        | F::RuntimeOnSlowPath
        | F::WallClockForIntervals
        | F::RuntimeLoopDoubtful
        | F::RuntimeNotSteady
        | F::RuntimeNotParallel
        | F::RuntimeFailed => view.name() == "runtimes",
        F::IntervalNearLatency
        | F::IntervalClaimRefuted
        | F::OsClockOnSlowPath
        | F::PathInferred
        | F::BetterClocksourceAvailable
        | F::TscNotInvariant
        | F::CounterTraps
        | F::CounterForbidden
        | F::FrequencyMisdeclared => view.name() == "clocks",
        F::NegativeElapsed | F::OsClockCoarse | F::FrequencyScaling => matches!(view.name(), "clocks" | "reads"),
        F::TscDistrusted => matches!(view.name(), "clocks" | "causality"),
        F::NoisyMachine => view.name() == "reads",
        F::CpuQuota => matches!(view.name(), "clocks" | "reads"),
        F::NonCausalRead | F::UnorderedReadNotCausal | F::CrossCpuSkew | F::OneCpu => view.name() == "causality",
        F::EarlyPause => matches!(view.name(), "pauses" | "runtimes"),
        _ => true,
    }
}
