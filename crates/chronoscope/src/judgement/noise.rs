//! What disturbs measurements, from the gaps between consecutive reads.

use chronoscope_harness::quantity::ns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::throttling::throttling;
use crate::clock_id::ClockId;
use crate::sections::reads::lost::{GAP_NS, Loss, MOST, losses, reason_hidden};
use crate::sections::reads::plan::READS;

/// What disturbs measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Noise {
    /// Time lost in gaps between consecutive reads; null if that was not measured, or cannot be: where a clock's read or step
    /// is not much shorter than the gaps.
    pub lost: Option<Lost>,
    /// Why it was not.
    pub reason_unmeasured: Option<String>,
    /// What to do; null where little is lost.
    pub advice: Option<NoiseAdvice>,
}

/// Time lost in gaps between consecutive reads. The share is that of one clock: the one that lost most, or most of those for
/// whose gaps the kernel accounts. The longest gap is that of all these clocks, empty intervals included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lost {
    /// The clock; null in documents of builds that did not say.
    #[serde(default)]
    pub clock: Option<ClockId>,
    /// Gaps longer than this count.
    pub above_ns: f64,
    /// Their share of the time that the clock was read.
    pub share: f64,
    /// The longest between two readings of any of `clocks`, in a row or at the ends of an empty interval.
    pub worst_ns: f64,
    /// So many clocks were read one reading after another, and show gaps; 0 in documents of builds that did not say.
    #[serde(default)]
    pub clocks: u32,
    /// Who took most of it, as far as the kernel counts that.
    pub mostly_by: LostTo,
}

/// Who took time from a thread that only reads clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LostTo {
    /// A CPU quota, which stopped the process.
    Quota,
    /// Other threads: the reader waited for its CPU.
    OtherThreads,
    /// Other guests: the hypervisor counted it as stolen.
    OtherGuests,
    /// Interrupts, firmware or the host: the kernel counted no wait.
    Interrupts,
    /// Nothing is counted here.
    Unknown,
}

/// What to do about lost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoiseAdvice {
    /// Raise the quota, or use a cpuset instead.
    RaiseQuota,
    /// Bind the measurement to a CPU on which nothing else runs.
    PinToIdleCpu,
    /// There is no other CPU, or binding is not permitted.
    StopOtherWork,
    /// CPUs that the hypervisor gives to nobody else.
    DedicatedCpus,
    /// Bind interrupts to other CPUs; beyond that, the host must be quieter.
    MoveInterrupts,
}

/// A smaller share of lost time needs no advice: a kernel's timer ticks take half of it in a virtual machine (0.85 to 1.3 %
/// on quiet guests of Zen 4 and Zen 5).
pub const LITTLE: f64 = 0.02;

/// What was lost, to whom, and what to do.
pub fn noise(facts: &Facts<'_>) -> Noise {
    let all = &facts.sections.reads.report;
    let losses = losses(all);
    let Some(loss) = losses.first() else {
        let hidden = all.iter().find_map(|reads| reason_hidden(reads, GAP_NS));
        let hidden = hidden.map(|reason| format!("{reason}, which hides gaps > {}", ns(GAP_NS)));
        let reason = hidden.unwrap_or_else(|| facts.reason_missing(&[READS]));
        return Noise { reason_unmeasured: Some(reason), ..Noise::default() };
    };
    let share = loss.gaps.share_of_time;
    let mostly_by = match is_throttled(facts) {
        true => LostTo::Quota,
        false => lost_to(loss),
    };
    let advice = (share > LITTLE).then(|| advice(facts, mostly_by));
    let clock = Some(loss.reads.clock.clone());
    let longest = |loss: &Loss<'_>| loss.reads.maximum_ns.max(loss.reads.largest_empty_interval_ns);
    let worst_ns = losses.iter().map(longest).fold(0.0, f64::max);
    let lost = Lost { clock, above_ns: GAP_NS, share, worst_ns, clocks: losses.len() as u32, mostly_by };
    Noise { lost: Some(lost), reason_unmeasured: None, advice }
}

/// Whether a CPU quota took most of what consecutive reads lost.
pub fn is_throttled(facts: &Facts<'_>) -> bool {
    let lost_ms = losses(&facts.sections.reads.report).iter().map(Loss::lost_ns).sum::<f64>() / 1e6;
    let throttling = throttling(facts.parts.iter().filter(|report| report.part == READS));
    throttling.is_some_and(|found| found.throttled_ms >= lost_ms * MOST)
}

/// Who took most of it: the larger of the two that the kernel counts, if together they are most of it.
pub fn lost_to(loss: &Loss<'_>) -> LostTo {
    let lost_ns = loss.lost_ns();
    let is_counted = lost_ns > 0.0 && loss.counted_ns() >= lost_ns * MOST;
    match (loss.waited_ns(), loss.stolen_ns()) {
        (waited, stolen) if is_counted && stolen >= waited => LostTo::OtherGuests,
        _ if is_counted => LostTo::OtherThreads,
        (None, _) => LostTo::Unknown,
        _ => LostTo::Interrupts,
    }
}

/// What to do about time that went there.
pub fn advice(facts: &Facts<'_>, mostly_by: LostTo) -> NoiseAdvice {
    let of_reads = facts.sections.reads.report.iter().map(|reads| &reads.disturbance);
    let mut disturbances = of_reads.chain(facts.parts.iter().map(|part| &part.disturbance));
    let can_bind = disturbances.all(|disturbance| disturbance.reason_unpinned.is_none());
    let has_another = can_bind && facts.machine.cpu.online.is_none_or(|online| online > 1);
    match mostly_by {
        LostTo::Quota => NoiseAdvice::RaiseQuota,
        LostTo::OtherGuests => NoiseAdvice::DedicatedCpus,
        LostTo::Interrupts => NoiseAdvice::MoveInterrupts,
        LostTo::OtherThreads | LostTo::Unknown if has_another => NoiseAdvice::PinToIdleCpu,
        LostTo::OtherThreads | LostTo::Unknown => NoiseAdvice::StopOtherWork,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::rules::tests::blank;
    use chronoscope_harness::estimators::reads::Gaps;
    use chronoscope_harness::study_rules::NOISY_MACHINE;

    fn with(share_of_time: f64, waited_ms: Option<f64>, steal_ms: Option<f64>) -> Record {
        let mut record = crate::json::document(include_str!("../../tests/fixtures/record.json")).unwrap();
        for reads in &mut record.content.sections.reads.report {
            reads.span_ns = 10e6;
            (reads.zero_share, reads.p50_ns) = (0.0, 20.0);
            reads.maximum_ns = 111_000.0;
            reads.gaps = vec![Gaps { above_ns: GAP_NS, count: 3, share_of_time }];
            (reads.disturbance.waited_ms, reads.disturbance.steal_ms) = (waited_ms, steal_ms);
        }
        record
    }

    #[test]
    fn whoever_took_most_of_it_decides_what_to_do() {
        let found = |record: &Record| {
            let noise = noise(&Facts::from(record));
            (noise.lost.unwrap().mostly_by, noise.advice)
        };
        // Of 10 ms, 0.3 ms were lost.
        assert_eq!(found(&with(0.03, Some(0.2), Some(0.0))), (LostTo::OtherThreads, Some(NoiseAdvice::PinToIdleCpu)));
        assert_eq!(found(&with(0.03, Some(0.2), Some(0.3))), (LostTo::OtherGuests, Some(NoiseAdvice::DedicatedCpus)));
        assert_eq!(found(&with(0.03, Some(0.1), Some(0.09))), (LostTo::OtherThreads, Some(NoiseAdvice::PinToIdleCpu)));
        assert_eq!(found(&with(0.03, Some(0.05), None)), (LostTo::Interrupts, Some(NoiseAdvice::MoveInterrupts)));
        assert_eq!(found(&with(0.03, None, None)), (LostTo::Unknown, Some(NoiseAdvice::PinToIdleCpu)));
        assert_eq!(found(&with(0.003, Some(0.0), None)), (LostTo::Interrupts, None));
        let mut alone = with(0.03, Some(0.2), None);
        alone.machine.cpu.online = Some(1);
        assert_eq!(found(&alone).1, Some(NoiseAdvice::StopOtherWork));
    }

    #[test]
    fn what_a_quota_took_is_not_blamed_on_others() {
        let mut record = with(0.03, Some(0.2), Some(0.0));
        let part = record.content.parts.iter_mut().find(|report| report.part == READS).unwrap();
        part.throttled_ms = Some(90.0);
        let found = noise(&Facts::from(&record));
        assert_eq!((found.lost.unwrap().mostly_by, found.advice), (LostTo::Quota, Some(NoiseAdvice::RaiseQuota)));
    }

    /// A guest whose clocksource is an HPET that the hypervisor emulates: each read takes longer than the gaps counted.
    #[test]
    fn where_a_read_takes_longer_than_a_gap_noise_is_not_known() {
        let mut record = with(0.996, Some(0.0), Some(0.0));
        for reads in &mut record.content.sections.reads.report {
            reads.p50_ns = 13_900.0;
        }
        let found = noise(&Facts::from(&record));
        assert!(found.lost.is_none() && found.advice.is_none(), "{found:?}");
        let reason = found.reason_unmeasured.unwrap();
        assert!(reason.ends_with("takes 13.9 µs, which hides gaps > 10.0 µs"), "{reason}");
        let record = crate::rules::judged(record);
        assert_eq!(record.findings.iter().filter(|finding| finding.is(NOISY_MACHINE)).count(), 0);
        // A clock that can be read quickly tells.
        let mut quick = with(0.03, Some(0.2), None);
        let reads = &mut quick.content.sections.reads.report;
        let slow = crate::sections::reads::report::Reads { p50_ns: 13_900.0, ..reads[0].clone() };
        reads.insert(0, slow);
        reads[0].gaps[0].share_of_time = 0.996;
        let lost = noise(&Facts::from(&quick)).lost.unwrap();
        assert_eq!((lost.share, lost.clock.as_ref()), (0.03, Some(&quick.content.reads()[1].clock)));
    }

    /// Whoever reads one clock meets what came while another was read.
    #[test]
    fn the_share_is_of_the_clock_that_lost_most_and_the_longest_gap_of_any() {
        let mut record = with(0.01, Some(0.0), None);
        let reads = &mut record.content.sections.reads.report;
        let less = crate::sections::reads::report::Reads { maximum_ns: 250_000.0, ..reads[0].clone() };
        reads.push(less);
        reads[0].gaps[0].share_of_time = 0.03;
        reads.iter_mut().for_each(|reads| reads.largest_empty_interval_ns = 0.0);
        let first = reads[0].clock.clone();
        let lost = noise(&Facts::from(&record)).lost.unwrap();
        assert_eq!((lost.share, lost.worst_ns, lost.clock), (0.03, 250_000.0, Some(first)));
        // What came between the ends of an empty interval came between two readings, too.
        record.content.sections.reads.report[1].largest_empty_interval_ns = 300_000.0;
        assert_eq!(noise(&Facts::from(&record)).lost.unwrap().worst_ns, 300_000.0);
    }

    #[test]
    fn what_was_not_measured_has_its_reason() {
        let found = noise(&Facts::from(&blank()));
        assert!(found.lost.is_none() && found.advice.is_none() && found.reason_unmeasured.is_some(), "{found:?}");
        let overflowing = noise(&Facts::from(&with(f64::MAX, None, None)));
        assert_eq!(overflowing.lost, None);
    }
}
