//! What a read adds inside real work.

use serde::Serialize;

use crate::arguments::SectionName;
use crate::failure::Failure;
use crate::kind_of_work::{Kind, Work};
use crate::rounds::Rounds;
use crate::size::Size;
use crate::spread::Spread;
use crate::subjects::{self, *};
use crate::table;
use crate::timing::{ns_per_turn, turns_in};
use crate::workers;

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
    FULL_RESOLUTION,
    ORDERED,
    RECENT,
];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Added {
    rounds: usize,
    kinds: Vec<KindOfWork>,
}

#[derive(Debug, Serialize)]
struct KindOfWork {
    kind: String,
    work_ns: Option<Spread>,
    subjects: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    added_ns: Option<Spread>,
    to_std: Option<Spread>,
}

/// The rounds of one process.
pub(crate) fn work_off(size: &Size) -> Result<Vec<Rounds>, Failure> {
    let subjects = subjects::named(SUBJECTS)?;
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    let of_kind = |kind: Kind| {
        let mut work = Work::new(kind, size.table_words);
        // The same number of turns for all: they differ by the read alone.
        let turns = turns_in(size.work_batch, |turns| work.turns(turns, || ()));
        subjects.iter().for_each(|subject| subject.work(&mut work, turns / 10 + 1));
        let batch = |at: usize| Ok(ns_per_turn(turns, |turns| subjects[at].work(&mut work, turns)));
        Rounds::interleave(kind.name(), &names, size.work.rounds, batch)
    };
    Kind::ALL.into_iter().map(of_kind).collect()
}

pub(crate) fn measure(size: &Size) -> Result<Added, Failure> {
    let parts = workers::rounds(SectionName::Work, size.work, size)?;
    let kind = |rounds: &Rounds| KindOfWork {
        kind: rounds.of.clone(),
        work_ns: rounds.spread(NOTHING),
        subjects: rounds.subjects.iter().filter(|name| *name != NOTHING).map(|name| row(rounds, name)).collect(),
    };
    Ok(Added { rounds: parts.first().map_or(0, |rounds| rounds.values.len()), kinds: parts.iter().map(kind).collect() })
}

fn row(rounds: &Rounds, name: &str) -> Row {
    let added = || rounds.difference(name, NOTHING);
    let by_std = rounds.difference(STD, NOTHING);
    Row {
        name: name.into(),
        added_ns: Spread::of(added()),
        to_std: Spread::of(added().zip(by_std).map(|(ours, by_std)| ours / by_std)),
    }
}

impl Added {
    /// What `subject` adds to work of this kind, as a share of what std adds.
    pub(crate) fn to_std(&self, kind: Kind, subject: &str) -> Option<Spread> {
        let kind = self.kinds.iter().find(|seen| seen.kind == kind.name())?;
        kind.subjects.iter().find(|row| row.name == subject)?.to_std
    }

    pub(crate) fn show(&self) -> String {
        let mut shown = String::new();
        for kind in &self.kinds {
            let work = table::or_dash(kind.work_ns.map(|ns| ns.show(1)));
            let rows = kind.subjects.iter().map(|row| {
                vec![
                    row.name.clone(),
                    table::or_dash(row.added_ns.map(|ns| ns.show(1))),
                    table::or_dash(row.to_std.map(|ratio| ratio.show(2))),
                ]
            });
            let numbers = table::numbers(&["read", "adds ns (quartiles)", "× what std adds"], rows);
            shown += &format!("{}: {work} ns a turn without a read\n\n{numbers}\n\n", kind.kind);
        }
        shown
            + &format!(
                "{} rounds. Added is a loop of work with the read less the same loop without it, both whole and of the same\n\
                 round: a difference of loops, not the duration of a read. What overlaps with the work is not seen in it,\n\
                 and what the read takes from the work (fences, registers, cache) is; it holds for this work alone.",
                self.rounds
            )
    }
}
