use chronoscope_sources::SourceId;

use super::task::{self, PathsTask};
use crate::clock_id::ClockId;
use crate::engine::session::Session;
use crate::engine::stages::{Found, StageError, needs_linux, outcome};
use crate::sections::clocks::plan::PATHS;
use crate::sections::clocks::report::{ClockReport, ClocksReport};
use chronoscope_harness::record::{Estimate, Path, PathEvidence, PathMethod};

/// A clock cheaper than this share of the real system call is assumed not to make it.
const VDSO_SHARE_OF_SYSTEM_CALL: f64 = 0.5;
/// A clock that makes none should cost less than this share of it.
const SYSTEM_CALL_SHARE: f64 = 0.9;

/// Determines each clock's path by forbidding the system call in a worker.
pub fn run(session: &mut Session<'_>, mut report: ClocksReport) -> Found<ClocksReport> {
    needs_linux("a path is proved by forbidding the system call (seccomp), which works")?;
    let sources: Vec<ClockId> = session
        .available(&session.plan.clocks)
        .into_iter()
        .filter(|clock| matches!(clock.known(), Some(SourceId::Os(_))))
        .collect();
    if sources.is_empty() {
        return Err(StageError::Skipped("no system clock is readable".to_owned()));
    }
    let request = PathsTask(sources.clone());
    let (samples, _) = session.ask_alone(session.budget_ms(PATHS), &request)?;
    let mut reasons = Vec::new();
    for (name, failed) in sources.iter().zip(samples) {
        let Some(clock) = report.clock_mut(name) else { continue };
        note(clock, failed);
        reasons.extend(clock.reason_path_unknown.as_ref().map(|reason| format!("{name}: {reason}")));
    }
    Ok((report, outcome(sources.len(), reasons)))
}

/// Records the path implied by the number of reads that `failed` with the system call forbidden: one of two, or why
/// neither.
fn note(clock: &mut ClockReport, failed: Option<u32>) {
    const READS: u32 = task::READS;
    let Some(failed) = failed else {
        let reason = "it could not be read in the process meant to run without the system call";
        clock.reason_path_unknown = Some(reason.to_owned());
        return;
    };
    let (path, saw) = match failed {
        0 => (Path::Vdso, "still succeeded: no system call"),
        READS => (Path::Syscall, "all failed: each is a system call"),
        // A mixture proves neither path.
        _ => {
            clock.reason_path_unknown =
                Some(format!("{failed} of {READS} reads failed with clock_gettime forbidden by seccomp"));
            return;
        }
    };
    let detail = format!("with clock_gettime forbidden by seccomp, {READS} reads {saw}");
    clock.path = Some(path);
    clock.path_evidence = Some(PathEvidence { method: PathMethod::Proved, detail });
}

/// Infers the path of clocks for which no proof could be attempted, from their cost relative to the real system call. A
/// clock with an inconclusive proof gets none. `why`: why there is no proof.
pub fn infer(mut report: ClocksReport, why: Option<&str>) -> ClocksReport {
    let cost = |clock: &ClockReport| clock.latency_ns.as_ref().map(|latency| latency.p50);
    let why = why.unwrap_or("not tried");
    let Some(call_ns) = report.clock(&SourceId::MonotonicSystemCall.into()).and_then(cost) else {
        return report;
    };
    let is_open =
        |clock: &&mut ClockReport| clock.available && clock.path.is_none() && clock.reason_path_unknown.is_none();
    for clock in report.clocks.iter_mut().filter(is_open) {
        let Some(ns) = cost(clock) else { continue };
        let share = ns / call_ns;
        clock.path = Some(if share < VDSO_SHARE_OF_SYSTEM_CALL { Path::Vdso } else { Path::Syscall });
        let detail =
            format!("{why}; a read costs {} the system call", chronoscope_harness::quantity::RATIO.value(share));
        clock.path_evidence = Some(PathEvidence { method: PathMethod::Inferred, detail });
    }
    report
}

/// Proves the paths once more that the costs measured since contradict: a clock may enter the kernel at one time and not at another, as
/// long as the vDSO cannot read its counter.
pub fn prove_again(session: &Session<'_>, mut report: ClocksReport) -> ClocksReport {
    let doubts = contradicted(&report);
    if doubts.is_empty() {
        return report;
    }
    let request = PathsTask(doubts.iter().map(|(name, _)| name.clone()).collect());
    let samples = session.ask_alone(session.budget_ms(PATHS), &request).map(|(samples, _)| samples).unwrap_or_default();
    for (place, (name, doubt)) in doubts.into_iter().enumerate() {
        let Some(clock) = report.clock_mut(&name) else { continue };
        reconcile(clock, doubt, samples.get(place).copied().flatten());
    }
    report
}

/// Why a proof is doubted.
#[derive(Clone, Copy)]
struct Doubt {
    /// The share of the real system call that a read costs.
    share: f64,
    /// Whether all of its interval contradicts the proof: one batch next to other threads may take any time.
    is_certain: bool,
}

/// The clocks whose proved path does not go with what a read costs.
fn contradicted(report: &ClocksReport) -> Vec<(ClockId, Doubt)> {
    let system_call = report.clock(&SourceId::MonotonicSystemCall.into());
    let Some(call) = system_call.and_then(|clock| clock.latency_ns.as_ref()) else { return Vec::new() };
    let is_proved = |clock: &&ClockReport| {
        clock.path_evidence.as_ref().is_some_and(|evidence| evidence.method == PathMethod::Proved)
    };
    let doubt = |clock: &ClockReport| {
        let (path, read) = (clock.path?, clock.latency_ns.as_ref()?);
        let share = read.p50 / call.p50;
        let whole = read.per_read.over(&call.per_read).filter(Estimate::has_interval);
        let is_certain = whole.is_some_and(|whole| [whole.low, whole.high].iter().all(|end| !goes_with(path, *end)));
        (!goes_with(path, share)).then(|| (clock.name.clone(), Doubt { share, is_certain }))
    };
    report.clocks.iter().filter(is_proved).filter_map(doubt).collect()
}

/// Whether a read on this path can cost this share of the real system call.
fn goes_with(path: Path, share: f64) -> bool {
    match path {
        Path::Syscall => share >= VDSO_SHARE_OF_SYSTEM_CALL,
        Path::Vdso => share < SYSTEM_CALL_SHARE,
        Path::Register => true,
    }
}

/// Settles on one path, or on none, after a second proof in which `failed` reads failed.
fn reconcile(clock: &mut ClockReport, doubt: Doubt, failed: Option<u32>) {
    let first = clock.path.take();
    clock.path_evidence = None;
    note(clock, failed);
    let Some(path) = clock.path else { return };
    let is_confirmed = first == Some(path);
    if is_confirmed && (path == Path::Vdso || !doubt.is_certain) {
        // The vDSO is as slow as the kernel where the counter itself is. Two proofs outweigh a figure that a busy moment explains.
        return;
    }
    if !is_confirmed && goes_with(path, doubt.share) {
        let evidence = clock.path_evidence.iter_mut();
        evidence.for_each(|evidence| evidence.detail.push_str("; at the start of the run it took the other path"));
        return;
    }
    (clock.path, clock.path_evidence) = (None, None);
    let costs = chronoscope_harness::quantity::RATIO.value(doubt.share);
    clock.reason_path_unknown =
        Some(format!("it changes: a read costs {costs} the system call, which contradicts the proof"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{latency, readable};

    const CLOCK: &str = "CLOCK_MONOTONIC";

    /// A clock that costs 20 ns, where the system call costs 200, after a proof with `failed` reads and this ending.
    fn after(failed: Option<Option<u32>>, reason: Option<&str>) -> ClockReport {
        let call = SourceId::MonotonicSystemCall.name();
        let mut system_call = readable(call);
        system_call.path = Some(Path::Syscall);
        system_call.latency_ns = Some(latency(200.0));
        let mut clock = readable(CLOCK);
        clock.latency_ns = Some(latency(20.0));
        if let Some(failed) = failed {
            note(&mut clock, failed);
        }
        let report = ClocksReport { clocks: vec![clock, system_call], ..ClocksReport::default() };
        infer(report, reason).clocks.remove(0)
    }

    fn method(clock: &ClockReport) -> Option<PathMethod> {
        clock.path_evidence.as_ref().map(|evidence| evidence.method)
    }

    #[test]
    fn reads_that_all_did_the_same_prove_a_path() {
        for (failed, path) in [(0, Path::Vdso), (task::READS, Path::Syscall)] {
            let clock = after(Some(Some(failed)), None);
            assert_eq!((clock.path, method(&clock)), (Some(path), Some(PathMethod::Proved)));
            assert_eq!(clock.reason_path_unknown, None);
        }
    }

    #[test]
    fn a_mixture_is_neither_path_and_no_guess_takes_its_place() {
        for failed in [1, 137, task::READS - 1] {
            let clock = after(Some(Some(failed)), None);
            assert_eq!((clock.path, method(&clock)), (None, None));
            let reason = clock.reason_path_unknown.as_deref().unwrap();
            assert!(reason.starts_with(&format!("{failed} of 1000")), "{reason}");
        }
    }

    #[test]
    fn a_clock_that_the_worker_could_not_read_says_so() {
        let clock = after(Some(None), None);
        assert_eq!((clock.path, method(&clock)), (None, None));
        assert!(clock.reason_path_unknown.as_deref().unwrap().contains("read"));
    }

    /// A clock that costs so many nanoseconds where the system call costs 15 µs, proved with so many failed reads before and after.
    fn twice(ns: f64, before: u32, after: u32) -> ClockReport {
        proved_twice(ns, 0.01, before, after)
    }

    /// The same, with figures that are known to this share; by one process alone, if none.
    fn proved_twice(ns: f64, known_to: f64, before: u32, after: u32) -> ClockReport {
        let figure = |ns: f64| {
            let mut figure = latency(ns);
            let (low, high) = (ns * (1.0 - known_to), ns * (1.0 + known_to));
            if known_to > 0.0 {
                figure.per_read = Estimate { estimate: ns, low, high, confidence: 0.999 };
            }
            figure
        };
        let mut system_call = readable(SourceId::MonotonicSystemCall.name());
        system_call.latency_ns = Some(figure(15_200.0));
        let mut clock = readable(CLOCK);
        clock.latency_ns = Some(figure(ns));
        note(&mut clock, Some(before));
        let mut report = ClocksReport { clocks: vec![clock, system_call], ..ClocksReport::default() };
        for (name, doubt) in contradicted(&report) {
            report.clock_mut(&name).into_iter().for_each(|clock| reconcile(clock, doubt, Some(after)));
        }
        report.clocks.remove(0)
    }

    #[test]
    fn a_cost_that_contradicts_a_proof_takes_another_proof() {
        const ALL: u32 = task::READS;
        // Nothing contradicts these, so that the second proof is not made.
        assert_eq!(twice(26.7, 0, ALL).path, Some(Path::Vdso));
        assert_eq!(twice(15_300.0, ALL, 0).path, Some(Path::Syscall));
        // The vDSO called the kernel at first.
        let changed = twice(26.7, ALL, 0);
        assert_eq!((changed.path, method(&changed)), (Some(Path::Vdso), Some(PathMethod::Proved)));
        assert!(changed.path_evidence.unwrap().detail.ends_with("the other path"));
        // It does so now and then.
        let unknown = twice(26.7, ALL, ALL);
        assert_eq!((unknown.path, method(&unknown)), (None, None));
        let reason = unknown.reason_path_unknown.unwrap();
        assert!(reason.starts_with("it changes: a read costs 0.00176×"), "{reason}");
        // A counter that traps: both ways cost as much.
        assert_eq!(twice(15_000.0, 0, 0).path, Some(Path::Vdso));
        assert_eq!(twice(15_000.0, 0, ALL).path, Some(Path::Syscall));
    }

    /// A single batch of the system call next to other threads took six times as long as it does.
    #[test]
    fn what_a_busy_moment_explains_refutes_no_two_proofs() {
        const ALL: u32 = task::READS;
        for known_to in [0.0, 0.9] {
            let confirmed = proved_twice(2_000.0, known_to, ALL, ALL);
            assert_eq!(
                (confirmed.path, method(&confirmed)),
                (Some(Path::Syscall), Some(PathMethod::Proved)),
                "{known_to}"
            );
            assert_eq!(
                proved_twice(2_000.0, known_to, ALL, 0).path,
                Some(Path::Vdso),
                "the second proof says otherwise"
            );
        }
        assert_eq!(proved_twice(2_000.0, 0.01, ALL, ALL).path, None);
    }

    #[test]
    fn a_guess_says_why_there_is_no_proof() {
        let clock = after(None, Some("EPERM"));
        assert_eq!((clock.path, method(&clock)), (Some(Path::Vdso), Some(PathMethod::Inferred)));
        let detail = &clock.path_evidence.as_ref().unwrap().detail;
        assert!(detail.starts_with("EPERM") && detail.contains("0.100×"), "{detail}");
    }
}
