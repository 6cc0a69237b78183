//! More threads than CPUs: together they do no more than the CPUs can.

use chronoscope_harness::quantity::PER_SECOND;
use std::time::Duration;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::StudyRecord;

use super::chain::chain_of;
use super::check::{Check, Judgement};
use super::judge;

const CASE: &str = "10000 links";

/// `cpus`: the number of CPUs available to the threads.
pub(super) fn study(cpus: u32) -> Study {
    Study::new("selftest: oversubscribed")
        .threads([1, cpus.saturating_mul(2)])
        .case(CASE, |b| b.iter_chained(1, chain_of::<10_000>))
        .forks(8)
        .budget(Duration::from_secs(6))
}

pub(super) fn checks(record: &StudyRecord) -> Vec<Check> {
    let threads = record.plan.threads.last().copied().unwrap_or(1);
    let name = format!("{threads} threads on {} CPUs", record.cpus());
    let together = record.cell(CASE, 0, threads);
    let ceiling = record.cell(CASE, 0, 1).and_then(|cell| cell.throughput_per_s);
    let ceiling = ceiling.map(|alone| alone.times(f64::from(record.cpus())));
    let claim = together.and_then(|cell| cell.throughput_per_s);
    let judgement = match (together, &claim, &ceiling) {
        (Some(cell), Some(claim), Some(ceiling)) => judge::oversubscribed(cell.oversubscribed, claim, ceiling),
        _ => Judgement::fail("a throughput is missing"),
    };
    let words = claim.map_or_else(|| "no throughput".to_owned(), |claim| PER_SECOND.amount(&claim));
    let truth = ceiling.map_or_else(|| "unknown".to_owned(), |most| format!("≤ {}", PER_SECOND.amount(&most)));
    vec![Check { claimed: claim, true_value: ceiling, ..Check::of(name, words, &truth, judgement) }]
}
