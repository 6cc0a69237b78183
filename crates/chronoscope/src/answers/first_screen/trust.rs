//! How far the clocks can be trusted, one check each. One that was not made is unknown, never good.

use chronoscope_harness::finding::Severity;
use chronoscope_harness::record::TscClass;

use super::report::{TrustCheck, TrustTopic};
use crate::answers::conclusions::{CausalityConclusion, Conclusions, FastPath, Grade, Monotonic, Skew};
use crate::document::Record;
use crate::sections::sync::discipline::DisciplineState;
use crate::sections::sync::known::Known;
use crate::sections::sync::plan::SYNC;

/// The ids of the wall clock's findings begin so.
const OF_WALL_CLOCK: &str = "wall_clock_";

/// Every check, in the order of the screen.
pub fn checks(record: &Record) -> Vec<TrustCheck> {
    let of_conclusions = record
        .verdict
        .conclusions
        .as_ref()
        .map(|found| [one_thread(record, found), across_cores(record, found), no_system_call(found), skew(found)]);
    let [one_thread, across_cores, no_system_call, skew] = of_conclusions.unwrap_or_else(|| {
        use TrustTopic::{AcrossCores, NoSystemCall, OneThread, Skew};
        [OneThread, AcrossCores, NoSystemCall, Skew].map(|topic| check(topic, Grade::Unknown))
    });
    vec![one_thread, across_cores, counter(record), no_system_call, skew, wall_clock(record)]
}

fn check(topic: TrustTopic, grade: Grade) -> TrustCheck {
    TrustCheck { topic, grade, tries: None, cpus: None, bound_ns: None, by: None, reason: None }
}

fn one_thread(record: &Record, found: &Conclusions) -> TrustCheck {
    let in_steps = record.clocks.iter().filter_map(|clock| Some(clock.granularity.as_ref()?.reads));
    let tries = in_steps.chain(record.reads.iter().map(|reads| reads.count)).fold(0_u64, u64::saturating_add);
    let reason = match &found.monotonic {
        Monotonic::NotTested { reason } => Some(reason.clone()),
        Monotonic::PartlyTested { untested } => {
            let names: Vec<&str> = untested.iter().map(|clock| clock.name()).collect();
            Some(format!("not tested for {}", names.join(", ")))
        }
        Monotonic::Steady | Monotonic::SteppedBack => None,
    };
    let tries = (tries > 0).then_some(tries);
    TrustCheck { tries, reason, ..check(TrustTopic::OneThread, found.monotonic.grade()) }
}

fn across_cores(record: &Record, found: &Conclusions) -> TrustCheck {
    let mut cpus: Vec<u32> = record.causality.litmus.iter().flat_map(|row| [row.writer, row.reader]).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let (tries, reason) = match &found.causality {
        CausalityConclusion::Causal { new_values, .. } => (Some(*new_values), None),
        CausalityConclusion::WentBackwards { observations, violations, .. } => {
            (Some(*observations), Some(format!("backwards {violations} times")))
        }
        CausalityConclusion::Unknown { unknown, new_values, .. } => {
            let names: Vec<&str> = unknown.iter().map(|each| each.clock.name()).collect();
            (Some(*new_values), Some(format!("unknown for {}", names.join(", "))))
        }
        CausalityConclusion::NotTested { reason } => (None, Some(reason.clone())),
    };
    let cpus = (!cpus.is_empty()).then_some(cpus.len() as u64);
    TrustCheck { tries, cpus, reason, ..check(TrustTopic::AcrossCores, found.causality.grade()) }
}

fn counter(record: &Record) -> TrustCheck {
    let by = record.machine.tsc.cpuid.map(|_| "TSC".to_owned());
    let reason = record.counter_doubt();
    let grade = match (record.machine.tsc.class, &reason) {
        (Some(TscClass::Invariant), None) => Grade::Good,
        (None, _) => Grade::Unknown,
        (Some(_), _) => Grade::Warning,
    };
    TrustCheck { by, reason, ..check(TrustTopic::Counter, grade) }
}

fn no_system_call(found: &Conclusions) -> TrustCheck {
    let reason = match &found.fast_path {
        FastPath::Unknown { reason } | FastPath::NotTested { reason } => Some(reason.clone()),
        FastPath::ProbablyVdso { .. } => Some("inferred, not proved".to_owned()),
        FastPath::Vdso { .. } | FastPath::SystemCall { .. } => None,
    };
    TrustCheck { reason, ..check(TrustTopic::NoSystemCall, found.fast_path.grade()) }
}

fn skew(found: &Conclusions) -> TrustCheck {
    let (grade, bound_ns, reason) = match &found.skew {
        Skew::NotExcluded { below_ns, .. } => (Grade::Good, Some(*below_ns), None),
        Skew::Apart { up_to_ns, .. } => (Grade::Critical, Some(*up_to_ns), None),
        Skew::NotTested { reason } => (Grade::Unknown, None, Some(reason.clone())),
    };
    let bound_ns = bound_ns.filter(|bound| bound.is_finite());
    TrustCheck { bound_ns, reason, ..check(TrustTopic::Skew, grade) }
}

/// Disciplined, unless a finding says that this does not suffice.
fn wall_clock(record: &Record) -> TrustCheck {
    let Some(report) = &record.sync.report else {
        let reason = Some(record.reason_missing(&[SYNC]));
        return TrustCheck { reason, ..check(TrustTopic::WallClock, Grade::Unknown) };
    };
    let is_doubted = record
        .findings
        .iter()
        .any(|finding| finding.severity >= Severity::Warning && finding.id.starts_with(OF_WALL_CLOCK));
    let grade = match report.discipline.state {
        DisciplineState::Disciplined if !is_doubted => Grade::Good,
        DisciplineState::Disciplined | DisciplineState::NotDisciplined => Grade::Warning,
        DisciplineState::Unknown => Grade::Unknown,
    };
    let (bound_ns, unbounded) = match &report.bound {
        Known::Value(bound) => (Some(bound.error_ns).filter(|bound| bound.is_finite()), None),
        Known::Unavailable(why) => (None, Some(why.clone())),
    };
    let by = report.discipline.by.map(|kind| kind.name().to_owned());
    TrustCheck { bound_ns, by, reason: unbounded, ..check(TrustTopic::WallClock, grade) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::conclude::draw_conclusions;
    use crate::rules::tests::blank;

    #[test]
    fn nothing_measured_earns_no_tick() {
        let mut record = blank();
        draw_conclusions(&mut record);
        for found in [checks(&record), checks(&blank())] {
            assert!(found.len() == 6 && found.iter().all(|check| check.grade == Grade::Unknown), "{found:?}");
        }
        assert!(checks(&record).iter().all(|check| check.reason.is_some()));
    }

    #[test]
    fn a_counter_needs_its_class_and_nothing_against_it() {
        let mut record = blank();
        let graded = |record: &Record| counter(record).grade;
        assert_eq!(graded(&record), Grade::Unknown);
        record.machine.tsc.class = Some(TscClass::Invariant);
        assert_eq!(graded(&record), Grade::Good);
        record.machine.kernel.messages = vec!["tsc: Marking TSC unstable due to clocksource watchdog".to_owned()];
        assert_eq!(graded(&record), Grade::Warning);
        record.machine.tsc.class = Some(TscClass::Variant);
        assert_eq!(graded(&record), Grade::Warning);
    }
}
