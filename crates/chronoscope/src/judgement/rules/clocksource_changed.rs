//! A clocksource that the kernel gave up while the run measured.

use super::of_parts::RuleOfParts;
use crate::document::{PartReport, Record};
use crate::shared_findings::CLOCKSOURCE_CHANGED;
use chronoscope_harness::finding::Finding;

pub const RULES: &[RuleOfParts] =
    &[RuleOfParts::new(&[], &[CLOCKSOURCE_CHANGED], clocksource_changed).lacking(not_watched)];

/// Each change: the part during which it came, and those on either side of it until another.
fn clocksource_changed(record: &Record) -> Vec<Finding> {
    let reports = &record.content.parts;
    let mut found = Vec::new();
    let (mut last, mut since) = (record.machine.clocksource.current.as_deref(), 0);
    for (at, report) in reports.iter().enumerate() {
        let Some(now) = report.clocksource.as_deref() else { continue };
        if let Some(last) = last.filter(|last| *last != now) {
            let after =
                reports[at + 1..].iter().take_while(|report| report.clocksource.as_deref().is_none_or(|it| it == now));
            let sides = [("before", last, titles(&reports[since..at])), ("after", now, titles(after))];
            found.push(changed(last, now, report, sides));
            since = at + 1;
        }
        last = Some(now);
    }
    found
}

fn titles<'a>(reports: impl IntoIterator<Item = &'a PartReport>) -> String {
    reports.into_iter().map(|report| report.part.title()).collect::<Vec<_>>().join(", ")
}

fn changed(last: &str, now: &str, during: &PartReport, sides: [(&str, &str, String); 2]) -> Finding {
    let mut summary =
        format!("the clocksource changed from {last} to {now} while this was measured: {}", during.part.title());
    for (when, name, parts) in sides {
        if !parts.is_empty() {
            summary += &format!("; measured {when} that, with {name}: {parts}");
        }
    }
    Finding::new(CLOCKSOURCE_CHANGED, summary)
        .about(now)
        .advice(CLOCKSOURCE_CHANGED.mend)
        .advice("measure again: figures of two clocksources do not belong together")
}

fn not_watched(record: &Record) -> Option<&'static str> {
    let is_watched = record.content.parts.iter().any(|report| report.clocksource.is_some());
    (!is_watched).then_some("whether the clocksource changed during the run is not known here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use crate::rules::tests::{blank, done};
    use chronoscope_harness::record::Disturbance;

    /// A run that began with the TSC, with what was read at the end of each part.
    fn run(read: &[(Part, Option<&str>)]) -> Record {
        let mut record = blank();
        record.machine.clocksource.current = Some("tsc".to_owned());
        let report = |(part, name): &(Part, Option<&str>)| PartReport {
            clocksource: name.map(str::to_owned),
            ..done(*part, 1_000, Disturbance::default())
        };
        record.content.parts = read.iter().map(report).collect();
        record
    }

    #[test]
    fn a_change_names_the_parts_before_and_after_it() {
        let tsc = Some("tsc");
        let found = clocksource_changed(&run(&[
            (Part::Paths, tsc),
            (Part::Latency, None),
            (Part::Reads, Some("hpet")),
            (Part::Offsets, Some("hpet")),
            (Part::Litmus, tsc),
        ]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|one| one.is(CLOCKSOURCE_CHANGED) && one.severity == CLOCKSOURCE_CHANGED.severity));
        let [paths, latency, reads, offsets, litmus] =
            [Part::Paths, Part::Latency, Part::Reads, Part::Offsets, Part::Litmus].map(Part::title);
        assert_eq!(
            found[0].evidence.summary,
            format!(
                "the clocksource changed from tsc to hpet while this was measured: {reads}; \
                 measured before that, with tsc: {paths}, {latency}; measured after that, with hpet: {offsets}"
            )
        );
        assert_eq!(
            found[1].evidence.summary,
            format!(
                "the clocksource changed from hpet to tsc while this was measured: {litmus}; \
                 measured before that, with hpet: {offsets}"
            )
        );
    }

    #[test]
    fn one_clocksource_throughout_is_no_change_and_an_unknown_one_tells_nothing() {
        let steady = run(&[(Part::Paths, Some("tsc")), (Part::Latency, Some("tsc"))]);
        assert_eq!((clocksource_changed(&steady), not_watched(&steady)), (Vec::new(), None));
        let unknown = run(&[(Part::Paths, None)]);
        assert!(clocksource_changed(&unknown).is_empty() && not_watched(&unknown).is_some());
    }
}
