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
        F::ResolutionIsNotGranularity => matches!(view, View::Clocks | View::Runtimes),
        F::RuntimeTickCoarse
        | F::RuntimeOnSlowPath
        | F::WallClockForIntervals
        | F::RuntimeLoopDoubtful
        | F::RuntimeNotSteady
        | F::RuntimeNotParallel
        | F::RuntimeFailed => view == View::Runtimes,
        F::IntervalNearLatency
        | F::IntervalClaimRefuted
        | F::OsClockOnSlowPath
        | F::PathInferred
        | F::BetterClocksourceAvailable
        | F::TscNotInvariant
        | F::CounterTraps
        | F::CounterForbidden
        | F::FrequencyMisdeclared => view == View::Clocks,
        F::NegativeElapsed | F::OsClockCoarse | F::FrequencyScaling => matches!(view, View::Clocks | View::Reads),
        F::TscDistrusted => matches!(view, View::Clocks | View::Causality),
        F::NoisyMachine => view == View::Reads,
        F::CpuQuota => matches!(view, View::Clocks | View::Reads),
        F::NonCausalRead | F::UnorderedReadNotCausal | F::CrossCpuSkew | F::OneCpu => view == View::Causality,
        F::EarlyPause => matches!(view, View::Pause | View::Runtimes),
        _ => true,
    }
}
