use chronoscope_clock::{Guarantee, SourceId};

use super::{count, ns};
use crate::finding::{Finding, FindingId};
use crate::record::{Litmus, Record};

pub(super) fn non_causal_reads(record: &Record) -> Vec<Finding> {
    record.causality.litmus.iter().filter(|row| row.violations > 0).map(non_causal_read).collect()
}

fn non_causal_read(row: &Litmus) -> Finding {
    let id = SourceId::from_name(&row.name);
    let allowed_ns = id.and_then(allowed_back_ns);
    // A clock that this build does not know must be causal like any other.
    let must_be_causal = id.is_none_or(SourceId::is_causal_by_design);
    let is_broken = must_be_causal || allowed_ns.is_some_and(|allowed| row.worst_ns >= allowed);
    let rate_pct = row.violations as f64 / row.observations.max(1) as f64 * 100.0;
    let back = match allowed_ns {
        Some(allowed) if is_broken => {
            format!("worst step back {}, where less than {} is its guarantee", ns(row.worst_ns), ns(allowed))
        }
        Some(allowed) => format!("worst step back {} of the {} it allows", ns(row.worst_ns), ns(allowed)),
        None => format!("by up to {}", ns(row.worst_ns)),
    };
    let saw = format!(
        "{} returned less than a value already seen from CPU {} in {rate_pct:.2} % of {} observations, {back}",
        row.name,
        row.writer,
        count(row.observations)
    );
    let finding =
        Finding::new(if is_broken { FindingId::NonCausalRead } else { FindingId::UnorderedReadNotCausal }, saw)
            .about(&row.name)
            .value("observations", row.observations as f64)
            .value("violations", row.violations as f64)
            .value("worst_ns", row.worst_ns);
    let finding = match allowed_ns {
        Some(allowed) => finding.value("allowed_ns", allowed),
        None => finding,
    };
    finding.advice(advice(id, is_broken))
}

/// How far a read that is not causal may go back and still keep its guarantee; None where it promises nothing.
fn allowed_back_ns(id: SourceId) -> Option<f64> {
    (id.guarantee() == Some(Guarantee::FullResolution)).then_some(Guarantee::GRANULARITY.as_nanos() as f64)
}

fn advice(id: Option<SourceId>, is_broken: bool) -> String {
    if is_broken {
        return "do not compare times of this clock between threads; the CPUs' counters disagree".to_owned();
    }
    let [ordered, granular] = [Guarantee::Ordered, Guarantee::Granular].map(|which| SourceId::Clock(which).name());
    match id.and_then(SourceId::guarantee) {
        Some(Guarantee::FullResolution) => {
            format!("that is its design; where no step back will do, use {granular} or {ordered}")
        }
        Some(_) => format!("between threads use {ordered}: the CPU executes this read before earlier loads"),
        None => format!(
            "between threads use {} or the system's clock: the CPU executes this read before earlier loads",
            SourceId::CounterOrdered.name()
        ),
    }
}

pub(super) fn cross_cpu_skew(record: &Record) -> Vec<Finding> {
    record
        .causality
        .pairs
        .iter()
        .filter(|pair| pair.shows_skew())
        .map(|pair| {
            Finding::new(
                FindingId::CrossCpuSkew,
                format!(
                    "{} on CPU {} is {} ± {} away from CPU {}; {} of {} messages arrived before they were sent",
                    pair.clock,
                    pair.b,
                    ns(pair.offset_ns),
                    ns(pair.half_width_ns),
                    pair.a,
                    count(pair.violations),
                    count(pair.rounds.saturating_mul(2))
                ),
            )
            .about(format!("{} on CPUs {} and {}", pair.clock, pair.a, pair.b))
            .value("offset_ns", pair.offset_ns)
            .value("half_width_ns", pair.half_width_ns)
            .value("violations", pair.violations as f64)
            .advice("do not compare times between these CPUs; bind what you time to one of them")
        })
        .collect()
}
