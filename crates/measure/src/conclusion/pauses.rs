use super::{count, ns};
use crate::finding::{Finding, FindingId};
use crate::record::Record;

pub(super) fn early_pause(record: &Record) -> Vec<Finding> {
    let methods = record.pause.iter().flat_map(|pause| &pause.methods).filter(|method| method.early > 0);
    methods
        .map(|method| {
            let (name, asked) = (&method.name, ns(method.requested_ns as f64));
            let summary = format!(
                "{name} came back before its time in {} of {} pauses of {asked}",
                count(method.early),
                count(method.samples)
            );
            Finding::new(FindingId::EarlyPause, summary)
                .about(name)
                .value("early", method.early as f64)
                .value("requested_ns", method.requested_ns as f64)
                .advice("look at the time when it returns, and wait for the rest")
        })
        .collect()
}
