use crate::finding::{Finding, FindingId};
use crate::record::Record;
use chronoscope_harness::words::{count, ns};

pub fn early_pause(record: &Record) -> Vec<Finding> {
    let methods =
        record.pauses.report.iter().flat_map(|pause| &pause.methods).filter(|method| method.figures.early > 0);
    methods
        .map(|method| {
            let (name, asked) = (&method.figures.name, ns(method.figures.requested_ns as f64));
            let summary = format!(
                "{name} came back before its time in {} of {} pauses of {asked}",
                count(method.figures.early),
                count(method.figures.samples)
            );
            Finding::new(FindingId::EarlyPause, summary)
                .about(name)
                .value("early", method.figures.early as f64)
                .value("requested_ns", method.figures.requested_ns as f64)
                .advice("look at the time when it returns, and wait for the rest")
        })
        .collect()
}
