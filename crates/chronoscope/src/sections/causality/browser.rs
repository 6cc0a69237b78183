//! The section on a page for browsers: whether the CPUs agree on the time, and which clocks go backwards between threads.

mod between;
mod cpus;
mod litmus;
mod matrix;

use chronoscope_render::browser::Figure;

use crate::document::Record;

pub fn figures(record: &Record) -> Vec<Figure> {
    [cpus::figure(record), litmus::figure(record)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::judged;
    use crate::rules::tests::{blank, litmus as run, pair, readable};
    use crate::sections::causality::report::{Causality, Litmus, PairOffset};
    use chronoscope_harness::record::{CpuPlace, Topology};
    use chronoscope_render::browser::{Chart, Entry, Row};
    use chronoscope_render::text::Mood;
    use chronoscope_sources::SourceId;
    use chronoscope_sources::os::OsClock;

    pub const MONOTONIC: SourceId = SourceId::Os(OsClock::Monotonic);

    pub fn record(pairs: Vec<PairOffset>, litmus: Vec<Litmus>) -> Record {
        let mut record = blank();
        record.content.sections.clocks.report.clocks = vec![readable(MONOTONIC)];
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        let report = Causality { pairs, pairs_possible: 1, litmus, reason_unavailable: None };
        record.content.sections.causality.report = report;
        judged(record)
    }

    /// CPUs of two threads per core, of two cores per cache, of two caches per package.
    pub fn topology(cpus: u32) -> Topology {
        let place = |cpu: u32| CpuPlace {
            cpu,
            package: Some(cpu / 8),
            node: Some(cpu / 8),
            last_level_cache: Some(cpu / 4 * 4),
            core: Some(cpu / 2 * 2),
        };
        Topology { cpus: (0..cpus).map(place).collect(), left_out: 0 }
    }

    pub fn figure(record: &Record, id: &str) -> Figure {
        figures(record).into_iter().find(|figure| figure.id == id).unwrap()
    }

    pub fn says(figure: &Figure) -> Vec<(Mood, &str)> {
        figure.says.iter().map(|(mood, text)| (*mood, text.as_str())).collect()
    }

    /// The rows of a chart, and its headings.
    pub fn rows(chart: &Chart) -> (Vec<&Row>, Vec<&str>) {
        let Chart::Rows(rows) = chart else { panic!("{chart:?}") };
        let of_rows = rows.entries.iter().filter_map(|entry| match entry {
            Entry::Row(row) => Some(row),
            Entry::Heading(_) => None,
        });
        let headings = rows.entries.iter().filter_map(|entry| match entry {
            Entry::Heading(title) => Some(title.as_str()),
            Entry::Row(_) => None,
        });
        (of_rows.collect(), headings.collect())
    }

    #[test]
    fn what_was_not_tested_or_told_nothing_says_so() {
        let few = record(Vec::new(), vec![run(MONOTONIC, 7, 0)]);
        let litmus = figure(&few, "litmus");
        assert_eq!(rows(&litmus.charts[0]).0[0].value, "too few values to tell");
        assert_eq!(says(&litmus), [(Mood::Plain, "It is not known of `CLOCK_MONOTONIC`.")]);
        let cpus = figure(&few, "cpus");
        assert!(cpus.charts.is_empty() && cpus.says[0].1.starts_with("Not tested: "), "{:?}", cpus.says);
        let mut alone = blank();
        alone.content.sections.causality.report.reason_unavailable = Some("one CPU is allowed".to_owned());
        let all = figures(&alone);
        assert_eq!(all.len(), 1);
        assert_eq!(says(&all[0]), [(Mood::Quiet, "Not tested: one CPU is allowed.")]);
        // Numbers that no chart has a place for.
        let hostile = PairOffset { offset_ns: f64::NAN, half_width_ns: f64::INFINITY, ..pair(0.0, 0) };
        let uncounted = Litmus { violated: Some(0), violations: 3, worst_ns: f64::NAN, ..run(MONOTONIC, 2_000, 0) };
        assert_eq!(figures(&record(vec![hostile; 40], vec![uncounted; 40])).len(), 2);
    }
}
