use chronoscope_clock::SourceId;

use super::{count, ns};
use crate::finding::{Finding, FindingId};
use crate::record::{Litmus, Record};

pub(super) fn non_causal_reads(record: &Record) -> Vec<Finding> {
    let violated = |row: &&Litmus| row.violations > 0;
    let finding = |row: &Litmus| {
        let ordered = SourceId::from_name(&row.name).is_none_or(SourceId::is_ordered);
        let rate_pct = row.violations as f64 / row.observations.max(1) as f64 * 100.0;
        let saw = format!(
            "{} returned less than a value already seen from CPU {} in {rate_pct:.2} % of {} observations, by up to {}",
            row.name,
            row.writer,
            count(row.observations),
            ns(row.worst_ns)
        );
        let id = if ordered { FindingId::NonCausalRead } else { FindingId::UnorderedReadNotCausal };
        let finding = Finding::new(id, saw)
            .about(&row.name)
            .value("observations", row.observations as f64)
            .value("violations", row.violations as f64)
            .value("worst_ns", row.worst_ns);
        if ordered {
            finding.advice("do not compare times of this clock between threads; the CPUs' counters disagree")
        } else {
            let ordered = SourceId::CounterOrdered.name();
            finding.advice(format!(
                "between threads use {ordered} or the system's clock: the CPU executes this read before earlier loads"
            ))
        }
    };
    record.causality.litmus.iter().filter(violated).map(finding).collect()
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
