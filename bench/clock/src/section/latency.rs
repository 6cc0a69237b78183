//! Nanoseconds per read, back to back.

use bench_common::goal::Verdict;
use bench_common::study;
use chronoscope_harness::Study;
use chronoscope_harness::record::study::{Cell, Estimate, StudyRecord};
use serde::Serialize;

use crate::failure::Failure;
use crate::size::Size;
use crate::subject::{Subject, Unit};
use crate::subjects::{self, *};
use crate::table;

const SUBJECTS: &[&str] = &[
    RDTSC,
    RDTSCP,
    RDTSC_ORDERED,
    STD,
    MONOTONIC,
    CLOCKSOURCE,
    QUANTA_CLOCK,
    QUANTA,
    QUANTA_RAW,
    MINSTANT,
    MINSTANT_ELAPSED,
    FASTANT,
    FASTANT_ELAPSED,
    MONOTONIC_COARSE,
    COARSETIME,
    COARSETIME_RECENT,
    QUANTA_RECENT,
    TICKS,
    UNORDERED,
    GRANULAR,
    ORDERED,
    RECENT,
];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    subjects: Vec<Row>,
    #[serde(skip)]
    record: StudyRecord,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    ns: Option<Time>,
    least_ns: Option<f64>,
    to_rdtsc: Option<Estimate>,
    to_rdtscp: Option<Estimate>,
    to_std: Option<Estimate>,
}

/// What a read takes.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Time {
    /// So many nanoseconds.
    Ns(Estimate),
    /// Less than this, and no more can be told: an empty loop takes as long.
    BelowNs(f64),
}

/// Every read as a case, those that look at the counter compared with the bare ones and std, and our cheapest with every
/// peer that returns nanoseconds.
///
/// Coarse reads are not compared: batches of cases that are compared are as long as the fastest of them needs, and a read
/// that takes a nanosecond would leave the others a fraction of their visits.
pub(crate) fn study() -> Result<Study, Failure> {
    let subjects = subjects::named(SUBJECTS)?;
    let names = |wanted: fn(&Subject) -> bool| -> Vec<&str> {
        subjects.iter().filter(|subject| wanted(subject)).map(|subject| subject.name).collect()
    };
    let compared = names(|subject| subject.unit != Unit::Coarse);
    let peers = names(|subject| subject.unit == Unit::Nanoseconds && !subject.is_ours && subject.name != STD);
    let mut study = subjects.into_iter().fold(Study::new("latency"), |study, subject| subject.reads_in(study));
    for baseline in [RDTSC, RDTSCP, STD].into_iter().filter(|baseline| compared.contains(baseline)) {
        let others = compared.iter().filter(|name| **name != baseline);
        study = others.fold(study, |study, name| study.compare(*name, baseline));
    }
    Ok(peers.into_iter().fold(study, |study, peer| study.compare(UNORDERED, peer)))
}

pub(crate) fn measure(size: &Size) -> Result<Latency, Failure> {
    eprintln!("bench-clock: latency, {} s", size.latency.budget.as_secs());
    let record = study::run("bench-clock", &study()?, size.latency)?;
    let to = |name: &str, baseline: &str| study::ratio(&record, name, baseline);
    let row = |cell: &Cell| Row {
        name: cell.case.clone(),
        ns: cell.time_ns.map(Time::Ns).or(cell.below_ns.map(Time::BelowNs)),
        least_ns: cell.minimum_ns,
        to_rdtsc: to(&cell.case, RDTSC),
        to_rdtscp: to(&cell.case, RDTSCP),
        to_std: to(&cell.case, STD),
    };
    Ok(Latency { subjects: record.cells.iter().map(row).collect(), record })
}

impl Latency {
    fn row(&self, subject: &str) -> Option<&Row> {
        self.subjects.iter().find(|row| row.name == subject)
    }

    pub(crate) fn ns(&self, subject: &str) -> Option<Time> {
        self.row(subject)?.ns
    }

    /// None if the two were not compared.
    pub(crate) fn ratio(&self, subject: &str, to: &str) -> Option<Estimate> {
        study::ratio(&self.record, subject, to)
    }

    /// The cheapest read of another library or the system that returns nanoseconds at the counter's resolution.
    pub(crate) fn cheapest_peer(&self) -> Result<Option<&'static str>, Failure> {
        let peers = subjects::named(SUBJECTS)?;
        let cheapest = peers
            .iter()
            .filter(|subject| !subject.is_ours && subject.unit == Unit::Nanoseconds)
            .filter_map(|subject| match self.ns(subject.name)? {
                Time::Ns(ns) => Some((ns.estimate, subject.name)),
                Time::BelowNs(_) => None,
            })
            .min_by(|one, other| one.0.total_cmp(&other.0));
        Ok(cheapest.map(|(_, name)| name))
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.subjects.iter().map(|row| {
            let to = |baseline: &str, ratio: Option<Estimate>, decimals: Option<usize>| {
                let shown = ratio.map(|ratio| match decimals {
                    Some(decimals) => study::show(&ratio, decimals),
                    None => format!("{:.2}", ratio.estimate),
                });
                if row.name == baseline { "1".into() } else { table::or_dash(shown) }
            };
            vec![
                row.name.clone(),
                table::or_dash(row.ns.map(Time::show)),
                table::or_dash(row.least_ns.map(|ns| format!("{ns:.2}"))),
                to(RDTSC, row.to_rdtsc, Some(2)),
                to(RDTSCP, row.to_rdtscp, None),
                to(STD, row.to_std, None),
            ]
        });
        let to_rdtsc = format!("× {RDTSC}");
        let headings = ["read", "ns", "least ns", &to_rdtsc, "× rdtscp", "× std"];
        let empty = table::or_dash(self.record.empty_loop_ns.map(|ns| study::show(&ns, 2)));
        format!(
            "{}\n\n{}\n\
             Ratios are taken within each round, of reads that look at the counter. An empty loop takes {empty} ns a turn, which is\n\
             not subtracted; what cannot be told from it is \"<\". minstant and fastant return unscaled ticks from `now` and convert\n\
             in `elapsed`, which is the read to compare with a clock of nanoseconds. Coarse and recent reads do not look at the\n\
             counter.",
            table::numbers(&headings, rows),
            study::basis(&self.record),
        )
    }
}

impl Time {
    pub(crate) fn show(self) -> String {
        match self {
            Self::Ns(ns) => study::show(&ns, 2),
            Self::BelowNs(ns) => format!("< {ns:.2}"),
        }
    }

    /// Whether a read takes no more than `limit_ns`.
    pub(crate) fn at_most(self, limit_ns: f64) -> Verdict {
        match self {
            Self::Ns(ns) => Verdict::estimate_at_most(&ns, limit_ns),
            Self::BelowNs(ns) if ns <= limit_ns => Verdict::Met,
            Self::BelowNs(_) => Verdict::Open("an empty loop takes as long".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::StudyOptions;

    #[test]
    fn every_read_of_the_counter_is_compared_with_std_and_no_coarse_one() {
        let comparisons = study().unwrap().plan(&StudyOptions::default(), &[0]).unwrap().comparisons;
        let with_std = |name: &str| comparisons.contains(&(name.to_owned(), STD.to_owned()));
        for subject in subjects::named(SUBJECTS).unwrap() {
            assert_eq!(with_std(subject.name), subject.unit != Unit::Coarse && subject.name != STD, "{}", subject.name);
        }
    }
}
