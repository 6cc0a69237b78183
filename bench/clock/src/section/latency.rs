//! Nanoseconds per read, back to back.

use serde::Serialize;

use crate::arguments::SectionName;
use crate::failure::Failure;
use crate::rounds::Rounds;
use crate::size::Size;
use crate::spread::Spread;
use crate::subject::Unit;
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
    FULL_RESOLUTION,
    GRANULAR,
    ADAPTIVE,
    ORDERED,
    RECENT,
];

/// What the section saw.
#[derive(Debug, Serialize)]
pub(crate) struct Latency {
    rounds: usize,
    subjects: Vec<Row>,
    #[serde(skip)]
    measured: Rounds,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    ns: Option<Spread>,
    to_rdtsc: Option<Spread>,
    to_rdtscp: Option<Spread>,
    to_std: Option<Spread>,
}

/// The rounds of one process.
pub(crate) fn work_off(size: &Size) -> Result<Vec<Rounds>, Failure> {
    let subjects = subjects::named(SUBJECTS)?;
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    let turns: Vec<u64> =
        subjects.iter().map(|subject| turns_in(size.latency_batch, |turns| subject.reads(turns))).collect();
    let batch = |at: usize| Ok(ns_per_turn(turns[at], |turns| subjects[at].reads(turns)));
    Ok(vec![Rounds::interleave("back to back", &names, size.latency.rounds, batch)?])
}

pub(crate) fn measure(size: &Size) -> Result<Latency, Failure> {
    let mut parts = workers::rounds(SectionName::Latency, size.latency, size)?;
    let measured = parts.pop().ok_or_else(|| Failure::because("no process measured anything"))?;
    let row = |name: &String| Row {
        name: name.clone(),
        ns: measured.spread(name),
        to_rdtsc: measured.ratio(name, RDTSC),
        to_rdtscp: measured.ratio(name, RDTSCP),
        to_std: measured.ratio(name, STD),
    };
    Ok(Latency { rounds: measured.values.len(), subjects: measured.subjects.iter().map(row).collect(), measured })
}

impl Latency {
    pub(crate) fn ns(&self, subject: &str) -> Option<Spread> {
        self.measured.spread(subject)
    }

    pub(crate) fn ratio(&self, subject: &str, to: &str) -> Option<Spread> {
        self.measured.ratio(subject, to)
    }

    /// The cheapest read of another library or the system that returns nanoseconds at the counter's resolution.
    pub(crate) fn cheapest_peer(&self) -> Result<Option<&'static str>, Failure> {
        let peers = subjects::named(SUBJECTS)?;
        let cheapest = peers
            .iter()
            .filter(|subject| !subject.is_ours && subject.unit == Unit::Nanoseconds)
            .filter_map(|subject| Some((self.ns(subject.name)?.median, subject.name)))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        Ok(cheapest.map(|(_, name)| name))
    }

    pub(crate) fn show(&self) -> String {
        let ratio = |spread: Option<Spread>| table::or_dash(spread.map(|spread| format!("{:.2}", spread.median)));
        let rows = self.subjects.iter().map(|row| {
            vec![
                row.name.clone(),
                table::or_dash(row.ns.map(|ns| ns.show(2))),
                table::or_dash(row.ns.map(|ns| format!("{:.2}", ns.min))),
                table::or_dash(row.to_rdtsc.map(|spread| spread.show(2))),
                ratio(row.to_rdtscp),
                ratio(row.to_std),
            ]
        });
        let to_rdtsc = format!("× {RDTSC}");
        let headings = ["read", "ns (quartiles)", "least ns", &to_rdtsc, "× rdtscp", "× std"];
        format!(
            "{}\n\n{} rounds; ratios are medians of the ratios within each round. The empty loop is not subtracted.\n\
             minstant and fastant return unscaled ticks from `now` and convert in `elapsed`, which is the read to compare\n\
             with a clock of nanoseconds. Coarse and recent reads do not look at the counter.",
            table::numbers(&headings, rows),
            self.rounds,
        )
    }
}
