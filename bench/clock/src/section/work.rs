//! What a read adds inside real work.

use bench_common::study;
use chronoscope_harness::record::study::{Cell, Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Parameters, Study};
use serde::Serialize;

use crate::failure::Failure;
use crate::kind_of_work::Kind;
use crate::size::Size;
use crate::subjects::{self, *};
use crate::table;

const SUBJECTS: &[&str] = &[
    NOTHING,
    RDTSC,
    RDTSCP,
    RDTSC_ORDERED,
    STD,
    MONOTONIC,
    QUANTA_CLOCK,
    QUANTA,
    MINSTANT,
    FASTANT,
    COARSETIME,
    UNORDERED,
    GRANULAR,
    ORDERED,
    RECENT,
];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Added {
    kinds: Vec<KindOfWork>,
    #[serde(skip)]
    record: StudyRecord,
}

#[derive(Debug, Serialize)]
struct KindOfWork {
    kind: &'static str,
    work_ns: Option<Estimate>,
    subjects: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    added_ns: Option<Estimate>,
    to_std: Option<Estimate>,
}

/// Every read as a case in every kind of work, compared with the work alone.
pub(crate) fn study() -> Result<Study, Failure> {
    let subjects = subjects::named(SUBJECTS)?;
    let reads: Vec<&str> = subjects.iter().map(|subject| subject.name).filter(|name| *name != NOTHING).collect();
    let study = Study::new("work").parameter(Kind::PARAMETER, Kind::ALL.map(Kind::name));
    let study = subjects.into_iter().fold(study, |study, subject| subject.works_in(study));
    Ok(reads.into_iter().fold(study, |study, name| study.compare(name, NOTHING)))
}

pub(crate) fn measure(size: &Size) -> Result<Added, Failure> {
    eprintln!("bench-clock: work, {} s", size.work.budget.as_secs());
    let record = study::run("bench-clock", &study()?, size.work)?;
    let kinds = Kind::ALL.into_iter().map(|kind| of_kind(&record, kind)).collect();
    Ok(Added { kinds, record })
}

fn of_kind(record: &StudyRecord, kind: Kind) -> KindOfWork {
    let is_of_kind = |parameters: &Parameters| parameters.get(Kind::PARAMETER).is_some_and(|name| name == kind.name());
    let cells: Vec<&Cell> = record.cells.iter().filter(|cell| is_of_kind(&cell.parameters)).collect();
    let of = |name: &str| cells.iter().copied().find(|cell| cell.case == name);
    let added_ns = |name: &str| {
        let point = study::compared_where(record, name, NOTHING, |comparison| is_of_kind(&comparison.parameters))?;
        Some(of_a_turn(point.difference_ns))
    };
    let to_std = |cell: &Cell| {
        let cells = [&cell.forks[..], &of(STD)?.forks, &of(NOTHING)?.forks];
        over_processes(&cells, record.plan.confidence, |ns| (ns[0] - ns[2]) / (ns[1] - ns[2]))
    };
    let row = |cell: &&Cell| Row { name: cell.case.clone(), added_ns: added_ns(&cell.case), to_std: to_std(cell) };
    KindOfWork {
        kind: kind.name(),
        work_ns: of(NOTHING).and_then(|cell| cell.time_ns).map(of_a_turn),
        subjects: cells.iter().filter(|cell| cell.case != NOTHING).map(row).collect(),
    }
}

/// An operation of the study is several turns.
fn of_a_turn(ns: Estimate) -> Estimate {
    study::divided(ns, Kind::TURNS.into())
}

impl Added {
    /// What `subject` adds to work of this kind, as a share of what std adds.
    pub(crate) fn to_std(&self, kind: Kind, subject: &str) -> Option<Estimate> {
        let kind = self.kinds.iter().find(|seen| seen.kind == kind.name())?;
        kind.subjects.iter().find(|row| row.name == subject)?.to_std
    }

    pub(crate) fn show(&self) -> String {
        let mut shown = String::new();
        for kind in &self.kinds {
            let work = table::or_dash(kind.work_ns.map(|ns| study::show(&ns, 1)));
            let rows = kind.subjects.iter().map(|row| {
                vec![
                    row.name.clone(),
                    table::or_dash(row.added_ns.map(|ns| study::show(&ns, 1))),
                    match row.name.as_str() {
                        STD => "1".into(),
                        _ => table::or_dash(row.to_std.map(|ratio| study::show(&ratio, 2))),
                    },
                ]
            });
            let numbers = table::numbers(&["read", "adds ns", "× what std adds"], rows);
            shown += &format!("{}: {work} ns a turn without a read\n\n{numbers}\n\n", kind.kind);
        }
        shown
            + &format!(
                "{}\n\
                 Added is a loop of work with the read less the same loop without it, both whole and of the same round: a difference\n\
                 of loops, not the duration of a read. What overlaps with the work is not seen in it, and what the read takes from\n\
                 the work (fences, registers, cache) is; it holds for this work alone. Shares of what std adds are taken in each process.",
                study::basis(&self.record),
            )
    }
}
