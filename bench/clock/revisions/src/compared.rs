//! The reads of two revisions in turns, and what came of it.

use bench_common::failure::Failure;
use bench_common::report::Sections;
use bench_common::rounds::Rounds;
use bench_common::spread::Spread;
use bench_common::timing::{ns_per_turn, turns_in};
use bench_common::{table, workers};
use serde::Serialize;

use crate::read::{COPIES, Read};
use crate::reads::landmarks;
use crate::size::Size;

/// What is measured in each round: every read here and there, next to each other, and the landmarks.
pub(crate) struct Comparison {
    names: Vec<&'static str>,
    landmark_names: Vec<&'static str>,
    subjects: Vec<(String, Read)>,
}

fn here(name: &str) -> String {
    format!("{name}, here")
}

fn there(name: &str) -> String {
    format!("{name}, there")
}

impl Comparison {
    pub(crate) fn new(of_here: Vec<Read>, of_there: Vec<Read>) -> Result<Self, Failure> {
        let names: Vec<_> = of_here.iter().map(|read| read.name).collect();
        if !of_there.iter().map(|read| read.name).eq(names.iter().copied()) {
            return Err(Failure::because("the two revisions do not have the same reads"));
        }
        let landmarks = landmarks();
        let landmark_names = landmarks.iter().map(|read| read.name).collect();
        let pairs = of_here.into_iter().zip(of_there);
        let mut subjects: Vec<(String, Read)> =
            pairs.flat_map(|(one, other)| [(here(one.name), one), (there(other.name), other)]).collect();
        subjects.extend(landmarks.into_iter().map(|read| (read.name.to_owned(), read)));
        Ok(Self { names, landmark_names, subjects })
    }

    /// The rounds of one process. All loops of a round lie at the same place in their cache lines.
    pub(crate) fn rounds(&self, size: &Size) -> Result<Rounds, Failure> {
        let labels: Vec<&str> = self.subjects.iter().map(|(label, _)| label.as_str()).collect();
        let turns: Vec<u64> =
            self.subjects.iter().map(|(_, read)| turns_in(size.batch, |turns| read.repeat(0, turns))).collect();
        let mut batches = 0;
        Rounds::interleave("back to back", &labels, size.rounds, |at| {
            let round = batches / labels.len();
            batches += 1;
            Ok(ns_per_turn(turns[at], |turns| self.subjects[at].1.repeat(round % COPIES, turns)))
        })
    }
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    is_quick: bool,
    revision: &'static str,
    rounds: usize,
    reads: Vec<Row>,
    landmarks: Vec<Landmark>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    here_ns: Option<Spread>,
    there_ns: Option<Spread>,
    /// Here by there, within each round.
    ratio: Option<Spread>,
}

#[derive(Debug, Serialize)]
struct Landmark {
    name: &'static str,
    ns: Option<Spread>,
}

impl Compared {
    pub(crate) fn measure(revision: &'static str, comparison: &Comparison, size: &Size) -> Result<Self, Failure> {
        let arguments: &[&str] = if size.is_quick { &["--quick"] } else { &[] };
        let parts = workers::rounds(&format!("bench-clock: against {revision}"), size.processes, arguments)?;
        let [rounds] = &parts[..] else {
            return Err(Failure::because("a worker did not measure one set of rounds"));
        };
        Ok(Self::of(revision, comparison, size.is_quick, rounds))
    }

    fn of(revision: &'static str, comparison: &Comparison, is_quick: bool, rounds: &Rounds) -> Self {
        let row = |name: &&'static str| Row {
            name,
            here_ns: rounds.spread(&here(name)),
            there_ns: rounds.spread(&there(name)),
            ratio: rounds.ratio(&here(name), &there(name)),
        };
        let landmark = |name: &&'static str| Landmark { name, ns: rounds.spread(name) };
        Self {
            is_quick,
            revision,
            rounds: rounds.values.len(),
            reads: comparison.names.iter().map(row).collect(),
            landmarks: comparison.landmark_names.iter().map(landmark).collect(),
        }
    }

    /// What a read costs here, by what it costs there.
    pub(crate) fn ratio(&self, name: &str) -> Option<Spread> {
        self.reads.iter().find(|row| row.name == name)?.ratio
    }

    fn show(&self) -> String {
        let ns = |ns: Option<Spread>| table::or_dash(ns.map(|ns| ns.show(2)));
        let rows = self.reads.iter().map(|row| {
            let ratio = table::or_dash(row.ratio.map(|ratio| ratio.show(3)));
            vec![row.name.into(), ns(row.here_ns), ns(row.there_ns), ratio]
        });
        let there = format!("{}, ns", self.revision);
        let reads = table::numbers(&["read", "here, ns", &there, "here / there"], rows);
        let rows = self.landmarks.iter().map(|row| vec![row.name.into(), ns(row.ns)]);
        format!(
            "{reads}\n\n{}\n\n{} rounds, quartiles in brackets; ratios are taken within each round. A round takes one batch of each\n\
             read in loops that lie at the same place of a cache line; the next round takes the next of {COPIES} places.",
            table::numbers(&["landmark", "ns"], rows),
            self.rounds,
        )
    }
}

impl Sections for Compared {
    fn is_quick(&self) -> bool {
        self.is_quick
    }

    fn shown(&self) -> Vec<(&'static str, Option<String>)> {
        vec![("against another revision", Some(self.show()))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads() -> Vec<Read> {
        crate::reads!(chronoscope_clock)
    }

    #[test]
    fn a_row_compares_a_read_with_its_like() {
        let comparison = Comparison::new(reads(), reads()).unwrap();
        let subjects: Vec<String> = comparison.subjects.iter().map(|(label, _)| label.clone()).collect();
        let value = |label: &String| match label {
            label if label.ends_with(", here") => 3.0,
            label if label.ends_with(", there") => 2.0,
            _ => 1.0,
        };
        let values = vec![subjects.iter().map(value).collect(); 3];
        let rounds = Rounds { of: "test".into(), subjects, values };
        let compared = Compared::of("a-revision", &comparison, true, &rounds);
        assert!(compared.reads.iter().all(|row| row.ratio.unwrap().median == 1.5));
        assert!(compared.landmarks.iter().all(|row| row.ns.unwrap().median == 1.0));
        assert_eq!(compared.rounds, 3);
    }

    #[test]
    fn revisions_with_other_reads_are_not_compared() {
        let mut fewer = reads();
        fewer.pop();
        assert!(Comparison::new(reads(), fewer).is_err());
    }

    #[test]
    fn every_round_has_a_value_of_each_subject() {
        let comparison = Comparison::new(reads(), reads()).unwrap();
        let size = Size { rounds: 2, batch: std::time::Duration::from_micros(10), ..Size::QUICK };
        let rounds = comparison.rounds(&size).unwrap();
        assert!(rounds.values.iter().flatten().all(|ns| *ns > 0.0));
        assert_eq!((rounds.values.len(), rounds.values[0].len()), (2, comparison.subjects.len()));
    }
}
