use crate::document::Record;
use chronoscope_harness::finding::{Finding, Kind};
use chronoscope_harness::quantity::{count, ns};
use chronoscope_harness::rule::Rule;

pub const RULES: &[Rule<Record>] = &[Rule { yields: &[EARLY_PAUSE], find: early_pause }];

pub const EARLY_PAUSE: Kind =
    Kind::critical("early_pause", "a pause ended before its time").shown_in(&["pauses", "runtimes"]);

fn early_pause(record: &Record) -> Vec<Finding> {
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
            Finding::new(EARLY_PAUSE, summary)
                .about(name)
                .value("early", method.figures.early as f64)
                .value("requested_ns", method.figures.requested_ns as f64)
                .advice("look at the time when it returns, and wait for the rest")
        })
        .collect()
}
