//! Checks of many machines on one page, a row each.

use chronoscope_harness::quantity::ns;
use chronoscope_render::browser::{Column, Fact, Field, Listing, Sheet};
use chronoscope_render::line::Line;
use chronoscope_render::page::{Page, fitted};
use chronoscope_render::palette::PLAIN;
use chronoscope_render::title::moment;
use chronoscope_render::words::counted;

use super::card::{Facts, between, judged, lost, shortest, step, verdict};
use super::first_screen::surroundings;
use crate::document::Record;
use crate::judgement::path::CLOCK;

/// What is not in a document.
const UNKNOWN: &str = "not known";
/// Files that are left out and named; more are counted.
const NAMED: usize = 200;
/// Columns of a clock's name.
const NAME: usize = 24;
/// Name, whether it is a number, and whether rows are chosen by it.
const COLUMNS: [(&str, bool, bool); 12] = [
    ("CPU", false, true),
    ("in", false, true),
    ("state", false, true),
    ("one read", true, false),
    ("step", true, false),
    ("CPUs agree to", true, false),
    ("interval ±10 %", true, false),
    ("time lost", true, false),
    ("clocksource", false, true),
    ("CPUs", true, false),
    ("checked", false, false),
    ("file", false, false),
];

/// What the columns mean.
const HOW: &str = "State: GOOD, NOISY (what else runs disturbs measurements), DEGRADED (a clock is slow, coarse or distrusted) or BROKEN \
    (a clock lies); UNKNOWN: nothing was found, but a part that matters was not checked. One read: the median time of a call. Step: in \
    what steps the clock moves. CPUs agree to: how far apart the clocks of two CPUs can be at most; in red, how far apart they are. \
    Interval ±10 %: the shortest interval that two reads time to within 10 %. Time lost: the share of the time, while the clock was \
    read again and again, that went to gaps such as interrupts. CPUs: those online.";

/// Checks, and what could not be shown.
#[derive(Debug, Default)]
pub struct Gallery {
    rows: Vec<Vec<Field>>,
    /// What the system's monotonic clock costs on each machine that is not emulated.
    reads_ns: Vec<f64>,
    emulated: u64,
    /// Files, and why each was left out.
    pub left_out: Vec<(String, String)>,
}

impl Gallery {
    /// Adds the document that was read from `file`, or the reason why there is none.
    pub fn add(&mut self, file: &str, document: Result<Record, String>) {
        let added = document.and_then(|record| self.add_check(file, &record));
        self.left_out.extend(added.err().map(|why| (file.to_owned(), why)));
    }

    /// How many are shown.
    pub fn shown(&self) -> usize {
        self.rows.len()
    }

    fn add_check(&mut self, file: &str, record: &Record) -> Result<(), String> {
        let facts = Facts::of(record)?;
        let (judgement, host) = judged(record)?;
        let (mood, state) = verdict(&facts, host);
        let clock = facts.clock.as_ref();
        let read = clock.and_then(|clock| facts.reads.iter().find(|read| read.clock == clock.name));
        let is_usual = clock.is_some_and(|clock| clock.name == CLOCK.name());
        let of_other = clock
            .filter(|_| !is_usual)
            .map_or_else(String::new, |clock| format!(" ({})", fitted(clock.name.as_ref(), NAME)));
        self.emulated += u64::from(facts.emulated_by.is_some());
        self.reads_ns.extend(read.filter(|_| is_usual && facts.emulated_by.is_none()).map(|read| read.latency_ns));
        let text = |text: String| Field { text, ..Field::default() };
        let known = |name: Option<String>| text(name.unwrap_or_else(|| UNKNOWN.to_owned()));
        let figure = |value: Option<f64>, fact: Option<Fact>| match fact {
            Some(fact) => Field { text: fact.value, mood: fact.mood, value },
            None => known(None),
        };
        let cores = &facts.cores;
        self.rows.push(vec![
            text(facts.cpu.clone()),
            known(surroundings(record)),
            Field { mood, ..text(state) },
            Field {
                value: read.map(|read| read.latency_ns),
                ..known(read.map(|read| format!("{}{of_other}", ns(read.latency_ns))))
            },
            figure(clock.and_then(|clock| clock.step_ns), clock.map(step)),
            figure(cores.skew_below_ns.or(cores.skew_up_to_ns), Some(between(cores))),
            figure(clock.and_then(|clock| clock.interval_within_10pct.from_ns), clock.map(shortest)),
            figure(facts.time_lost.map(|lost| lost.share), Some(lost(&facts, &judgement.noise))),
            known(facts.clocksource.clone()),
            Field { value: facts.cpus.map(f64::from), ..known(facts.cpus.map(|cpus| cpus.to_string())) },
            text(moment(&facts.started_at)),
            text(file.to_owned()),
        ]);
        Ok(())
    }

    /// The page.
    pub fn sheet(self) -> Sheet {
        let shown = self.rows.len();
        let lead = self.lead();
        let column = |(title, is_number, is_choice): (&str, bool, bool)| Column {
            title: title.to_owned(),
            is_number,
            is_choice,
        };
        let emulated = (self.emulated > 0).then(|| {
            let are = counted(self.emulated, "machine is", "machines are");
            format!("{are} emulated: no duration there is one of hardware")
        });
        Sheet {
            title: format!("Clocks of {}", counted(shown as u64, "check", "checks")),
            meta: format!("One read is of {}, unless the row names another clock.", CLOCK.name()),
            warnings: emulated.into_iter().collect(),
            lead,
            listing: Some(Listing { columns: COLUMNS.map(column).into(), rows: self.rows, how: HOW.to_owned() }),
            rest: left_out(&self.left_out),
            source: counted(shown as u64, "document", "documents"),
            ..Sheet::default()
        }
    }

    /// How far apart the machines are.
    fn lead(&self) -> String {
        let least = self.reads_ns.iter().copied().reduce(f64::min).map(ns);
        let most = self.reads_ns.iter().copied().reduce(f64::max).map(ns);
        match (least, most) {
            (Some(least), Some(most)) if least != most => {
                format!(
                    "A read of `{}` costs {least} on the fastest of these machines and {most} on the slowest.",
                    CLOCK.name()
                )
            }
            (Some(all), _) => format!("A read of `{}` costs {all} on every one of these machines.", CLOCK.name()),
            (None, _) => String::new(),
        }
    }
}

/// The files that are not shown, and why.
fn left_out(files: &[(String, String)]) -> Page {
    let mut page = Page::default();
    if !files.is_empty() {
        page.section(&format!("{} left out", counted(files.len() as u64, "file", "files")));
        for (file, why) in files.iter().take(NAMED) {
            page.paragraph(Line::plain(&format!("{file}: ")), PLAIN, why);
        }
        let more = files.len().saturating_sub(NAMED);
        if more > 0 {
            page.paragraph(Line::new(), PLAIN, &counted(more as u64, "more file", "more files"));
        }
    }
    page
}
