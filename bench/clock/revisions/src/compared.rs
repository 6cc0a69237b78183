//! The reads of two revisions in one study, and what came of it.

use bench_common::failure::Failure;
use bench_common::report::Sections;
use bench_common::study::{self, Effort};
use bench_common::table;
use chronoscope_harness::Study;
use chronoscope_harness::record::study::Estimate;
use serde::Serialize;

use crate::read::Read;
use crate::reads::landmarks;

/// What is measured in each round: every read here and there, next to each other, and the landmarks.
pub(crate) struct Comparison {
    names: Vec<&'static str>,
    landmark_names: Vec<&'static str>,
    pub(crate) study: Study,
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
        let mut study = Study::new("against");
        for (one, other) in of_here.into_iter().zip(of_there) {
            let (here, there) = (here(one.name), there(other.name));
            study = other.case_in(one.case_in(study, here.clone()), there.clone()).compare(here, there);
        }
        for read in landmarks {
            let name = read.name.to_owned();
            study = read.case_in(study, name);
        }
        Ok(Self { names, landmark_names, study })
    }
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    is_quick: bool,
    revision: &'static str,
    reads: Vec<Row>,
    landmarks: Vec<Landmark>,
    /// What the numbers rest on.
    basis: String,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    here_ns: Option<Estimate>,
    there_ns: Option<Estimate>,
    /// Here by there, within each round.
    ratio: Option<Estimate>,
}

#[derive(Debug, Serialize)]
struct Landmark {
    name: &'static str,
    ns: Option<Estimate>,
}

impl Compared {
    pub(crate) fn measure(
        revision: &'static str,
        comparison: &Comparison,
        effort: Effort,
        is_quick: bool,
    ) -> Result<Self, Failure> {
        eprintln!("bench-clock: against {revision}, {} s", effort.budget.as_secs());
        let record = study::run("bench-clock-against", &comparison.study, effort)?;
        let ns = |case: &str| record.cells.iter().find(|cell| cell.case == case)?.time_ns;
        let row = |name: &&'static str| Row {
            name,
            here_ns: ns(&here(name)),
            there_ns: ns(&there(name)),
            ratio: study::ratio(&record, &here(name), &there(name)),
        };
        let landmark = |name: &&'static str| Landmark { name, ns: ns(name) };
        Ok(Self {
            is_quick,
            revision,
            reads: comparison.names.iter().map(row).collect(),
            landmarks: comparison.landmark_names.iter().map(landmark).collect(),
            basis: study::basis(&record),
        })
    }

    /// What a read costs here, by what it costs there.
    pub(crate) fn ratio(&self, name: &str) -> Option<Estimate> {
        self.reads.iter().find(|row| row.name == name)?.ratio
    }

    fn show(&self) -> String {
        let ns = |ns: Option<Estimate>| table::or_dash(ns.map(|ns| study::show(&ns, 2)));
        let rows = self.reads.iter().map(|row| {
            let ratio = table::or_dash(row.ratio.map(|ratio| study::show(&ratio, 3)));
            vec![row.name.into(), ns(row.here_ns), ns(row.there_ns), ratio]
        });
        let there = format!("{}, ns", self.revision);
        let reads = table::numbers(&["read", "here, ns", &there, "here / there"], rows);
        let rows = self.landmarks.iter().map(|row| vec![row.name.into(), ns(row.ns)]);
        let landmarks = table::numbers(&["landmark", "ns"], rows);
        format!("{reads}\n\n{landmarks}\n\n{}\nRatios are taken within each round.", self.basis)
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
    use chronoscope_harness::StudyOptions;

    fn reads() -> Vec<Read> {
        crate::reads!(chronoscope_clock)
    }

    #[test]
    fn a_read_is_compared_with_its_like() {
        let comparison = Comparison::new(reads(), reads()).unwrap();
        let plan = comparison.study.plan(&StudyOptions::default(), &[0]).unwrap();
        assert!(comparison.names.iter().map(|name| (here(name), there(name))).eq(plan.comparisons));
        assert_eq!(plan.cases.len(), 2 * comparison.names.len() + comparison.landmark_names.len());
    }

    #[test]
    fn revisions_with_other_reads_are_not_compared() {
        let mut fewer = reads();
        fewer.pop();
        assert!(Comparison::new(reads(), fewer).is_err());
    }
}
