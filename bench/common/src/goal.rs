//! What the benchmarks are to show, as `goals.toml` has it, and whether they did in this run.

use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, GOOD, PLAIN, WARNING};
use serde::Deserialize;

use crate::value::Number;
use crate::{Count, Failure, Section, Value};

const FILE: &str = include_str!("../../goals.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    goal: Vec<Goal>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    pub id: String,
    /// Which benchmark measures it.
    bench: String,
    /// In words, as the row of the benchmark's README is called that has what was measured last.
    what: String,
    figures: Vec<Figure>,
}

/// The figures that a goal speaks of: all of them have to keep to its limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    section: String,
    /// Names of rows, or leading parts of them; without one, all rows.
    #[serde(default = "every_row")]
    rows: Vec<String>,
    column: String,
    /// Of a count, the share. Without a limit, the figure is there to be seen.
    most: Option<f64>,
    least: Option<f64>,
    #[serde(default)]
    tries: u64,
    /// Whether the counts of all rows are one.
    #[serde(default)]
    sum: bool,
    /// Whether its sign does not matter.
    #[serde(default)]
    magnitude: bool,
}

fn every_row() -> Vec<String> {
    vec![String::new()]
}

#[derive(Clone, Debug, PartialEq)]
enum Verdict {
    Met,
    Missed(String),
    /// Not measured in this run, or too little to tell.
    Open(String),
}

/// The goals of the benchmark called `bench`, in their order.
pub fn of(bench: &str, sections: &[&str]) -> Result<Vec<Goal>, Failure> {
    let file: File = toml::from_str(FILE).map_err(|error| Failure::run(format!("goals.toml: {error}")))?;
    let goals: Vec<Goal> = file.goal.into_iter().filter(|goal| goal.bench == bench).collect();
    let mut named = goals.iter().flat_map(|goal| goal.figures.iter().map(move |figure| (&goal.id, &figure.section)));
    match named.find(|(_, section)| !sections.contains(&section.as_str())) {
        Some((id, section)) => Err(Failure::run(format!("goals.toml: {id}: there is no section {section}"))),
        None => Ok(goals),
    }
}

impl Goal {
    /// What `sections` have of it, and whether that meets it.
    fn judge(&self, sections: &[Section], is_quick: bool) -> (String, Verdict) {
        let (mut measured, mut verdicts) = (Vec::new(), Vec::new());
        for figure in &self.figures {
            let found = figure.find(sections);
            let judged = found.iter().map(|(name, value)| (name, value, figure.judge(value, is_quick)));
            // The worst of the rows speaks for all.
            let worst = judged.max_by(|(_, one, of_one), (_, other, of_other)| {
                let by_value = figure.badness(one).total_cmp(&figure.badness(other));
                of_one.badness().cmp(&of_other.badness()).then(by_value)
            });
            let Some((name, value, verdict)) = worst else {
                verdicts.push(Verdict::Open("not measured".into()));
                continue;
            };
            let name = if found.len() > 1 && !figure.sum { format!(" ({name})") } else { String::new() };
            measured.push(format!("{} {}{name}", figure.column, value.show()));
            verdicts.push(verdict);
        }
        let measured = if measured.is_empty() { "–".into() } else { measured.join(", ") };
        (measured, Verdict::of_all(verdicts))
    }

    pub(crate) fn draw(&self, sections: &[Section], is_quick: bool, page: &mut Page) {
        let (measured, verdict) = self.judge(sections, is_quick);
        let (sign, style, verdict) = match verdict {
            Verdict::Met => ("✔ ", GOOD, "met".to_owned()),
            Verdict::Missed(by) => ("✘ ", CRITICAL, format!("missed: {by}")),
            Verdict::Open(why) => ("? ", WARNING, format!("open: {why}")),
        };
        page.paragraph(Line::styled(style, sign), PLAIN, &format!("{} — {measured} — {verdict}", self.what));
    }
}

impl Verdict {
    fn badness(&self) -> u8 {
        match self {
            Self::Met => 0,
            Self::Open(_) => 1,
            Self::Missed(_) => 2,
        }
    }

    /// Missed by all that is missed, else open if one is.
    fn of_all(verdicts: Vec<Self>) -> Self {
        let missed = |verdict: &Self| if let Self::Missed(by) = verdict { Some(by.clone()) } else { None };
        match verdicts.iter().filter_map(missed).collect::<Vec<_>>() {
            none if none.is_empty() => verdicts.into_iter().max_by_key(Self::badness).unwrap_or(Self::Met),
            missed => Self::Missed(missed.join(", ")),
        }
    }
}

impl Figure {
    /// Its cells by their rows; those of all rows as one if they are to be summed.
    fn find(&self, sections: &[Section]) -> Vec<(String, Value)> {
        let of_section = || sections.iter().filter(|section| section.name == self.section);
        let of_row = |row| of_section().flat_map(move |section: &Section| section.find(row, &self.column));
        let found: Vec<(String, Value)> =
            self.rows.iter().flat_map(|row| of_row(row)).map(|(name, value)| (name, value.clone())).collect();
        let counts =
            found.iter().filter_map(|(_, value)| if let Value::Count(count) = value { Some(*count) } else { None });
        match counts.reduce(|one, other| one + other) {
            Some(count) if self.sum => vec![(String::new(), Value::Count(count))],
            _ => found,
        }
    }

    fn judge(&self, value: &Value, is_quick: bool) -> Verdict {
        let Some(limit) = self.most.or(self.least) else { return Verdict::Met };
        let (most, least) = (self.most.unwrap_or(f64::INFINITY), self.least.unwrap_or(f64::NEG_INFINITY));
        match value {
            Value::Nothing => Verdict::Open("not measured".into()),
            Value::Words(why) => Verdict::Open(why.clone()),
            // One thing wrong is one too many in whatever run.
            Value::Count(count) if most == 0.0 && count.of > 0 => {
                Verdict::Missed(format!("{} {}", count.of, self.column))
            }
            Value::Count(count) if count.all < self.tries => {
                Verdict::Open(format!("{} are too few, {} are wanted", count.all, self.tries))
            }
            _ if is_quick => Verdict::Open("the quick run is too short".into()),
            value => match self.range(value) {
                [_, low, high] if low >= least && high <= most => Verdict::Met,
                [_, low, high] if low <= most && high >= least => Verdict::Open(format!("the interval holds {limit}")),
                [value, ..] => Verdict::Missed(format!("{} {value:.3} instead of {limit}", self.column)),
            },
        }
    }

    /// A value, and between which two it lies.
    fn range(&self, value: &Value) -> [f64; 3] {
        match *value {
            Value::Number(number) if self.magnitude => [number.value.abs(); 3],
            Value::Number(Number { value, range: Some((low, high)), is_interval: true, .. }) => [value, low, high],
            Value::Number(number) => [number.value; 3],
            Value::Count(Count { of, all }) => [of as f64 / all.max(1) as f64; 3],
            Value::Below(below) => [below, 0.0, below],
            Value::Nothing | Value::Words(_) => [f64::NAN; 3],
        }
    }

    /// How far it is on the wrong side, or how near to it.
    fn badness(&self, value: &Value) -> f64 {
        let [value, ..] = self.range(value);
        if self.most.is_some() { value } else { -value }
    }
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::Estimate;

    use super::*;
    use crate::Table;

    fn figure(text: &str) -> Figure {
        toml::from_str(&format!("section = \"s\"\ncolumn = \"ns\"\n{text}")).unwrap()
    }

    fn estimate(low: f64, high: f64) -> Value {
        Value::estimate(Estimate { estimate: f64::midpoint(low, high), low, high, confidence: 0.999 }, 2)
    }

    #[test]
    fn a_figure_is_held_against_its_limits() {
        let number = |value| Value::number(value, 1);
        let count = |of, all| Value::Count(Count { of, all });
        let (met, open, missed) = (0, 1, 2);
        for (limits, value, badness) in [
            ("most = 0.5", number(0.5), met),
            ("most = 0.5", number(0.55), missed),
            ("most = 0.5", number(-7.0), met),
            ("most = 0.5\nmagnitude = true", number(-7.0), missed),
            ("most = 0.5", number(f64::NAN), missed),
            ("most = 1.0", estimate(0.5, 1.0), met),
            ("most = 1.0", estimate(0.9, 1.1), open),
            ("most = 1.0", estimate(1.1, 1.3), missed),
            ("least = 1.0", estimate(1.0, 1.5), met),
            ("least = 1.0", estimate(0.9, 1.1), open),
            ("least = 1.0", estimate(0.7, 0.9), missed),
            // A spread is no interval.
            ("most = 1.0", Value::extremes([0.4, 0.9, 3.0], 1), met),
            ("most = 1.0", Value::Below(0.4), met),
            ("most = 1.0", Value::Below(1.4), open),
            ("most = 0.0\ntries = 10", count(0, 10), met),
            ("most = 0.0\ntries = 10", count(0, 9), open),
            ("least = 0.99\ntries = 100", count(99, 100), met),
            ("least = 0.99\ntries = 100", count(10, 10), open),
            ("least = 0.99\ntries = 100", count(197, 200), missed),
            ("most = 0.003334\ntries = 300", count(1, 300), met),
            ("most = 0.003334\ntries = 300", count(2, 300), missed),
        ] {
            assert_eq!(figure(limits).judge(&value, false).badness(), badness, "{limits}: {value:?}");
        }
    }

    #[test]
    fn a_quick_run_says_nothing_but_that_something_is_wrong() {
        assert_eq!(figure("most = 0.5").judge(&Value::number(7.0, 1), true).badness(), 1);
        assert_eq!(figure("").judge(&Value::number(7.0, 1), true), Verdict::Met);
        let wrong = figure("most = 0.0\ntries = 10").judge(&Value::Count(Count { of: 1, all: 9 }), true);
        assert_eq!(wrong, Verdict::Missed("1 ns".into()));
    }

    /// A section with a row for each of these.
    fn section(rows: &[(&str, Value)]) -> Section {
        let (mut section, mut table) = (Section::new("s"), Table::new(2, "read | CPU | ns"));
        rows.iter().for_each(|(name, value)| table.row([(*name).into(), "0".into(), value.clone()]));
        section.table(table);
        section
    }

    fn goal(figures: &[&str]) -> Goal {
        let figures = figures.iter().map(|text| figure(text)).collect();
        Goal { id: "g".into(), bench: "b".into(), what: "w".into(), figures }
    }

    #[test]
    fn the_worst_row_speaks_for_all() {
        let found =
            section(&[("a", Value::number(1.0, 0)), ("ab", Value::number(3.0, 0)), ("b", Value::number(2.0, 0))]);
        let judged = |figures: &[&str]| goal(figures).judge(std::slice::from_ref(&found), false);
        let missed = |by: &str| Verdict::Missed(by.into());
        assert_eq!(judged(&["most = 2.5"]), ("ns 3 (ab | 0)".into(), missed("ns 3.000 instead of 2.5")));
        let named = judged(&["most = 2.5\nrows = [\"a\", \"b\"]"]);
        assert_eq!(named, ("ns 2 (b | 0)".into(), Verdict::Met));
        assert_eq!(judged(&["least = 0.5"]).0, "ns 1 (a | 0)");
        let both = judged(&["most = 2.5", "rows = [\"a\"]\nmost = 0.5", "rows = [\"c\"]\nmost = 1"]);
        assert_eq!(both.1, missed("ns 3.000 instead of 2.5, ns 1.000 instead of 0.5"));
        let unmeasured = judged(&["most = 5", "rows = [\"c\"]\nmost = 1"]);
        assert_eq!(unmeasured.1, Verdict::Open("not measured".into()));
    }

    #[test]
    fn counts_are_summed_where_asked() {
        let count = |of, all| Value::Count(Count { of, all });
        let found = section(&[("a", count(0, 6)), ("b", count(0, 4))]);
        let judged = |text: &str| goal(&[text]).judge(std::slice::from_ref(&found), false).1;
        assert_eq!(judged("most = 0\ntries = 10\nsum = true"), Verdict::Met);
        assert_eq!(judged("most = 0\ntries = 10").badness(), 1);
    }

    #[test]
    fn every_goal_was_published() {
        let goals: File = toml::from_str(FILE).unwrap();
        let mut ids = std::collections::BTreeSet::new();
        for goal in goals.goal {
            assert!(ids.insert(goal.id.clone()), "{} twice", goal.id);
            let readme = format!("{}/../{}/README.md", env!("CARGO_MANIFEST_DIR"), goal.bench);
            let row = format!("| {} ", goal.what);
            let readme = std::fs::read_to_string(readme).unwrap();
            assert!(readme.contains(&row), "{}: no row {row:?} in the README of {}", goal.id, goal.bench);
            assert!(goal.figures.iter().any(|figure| figure.most.or(figure.least).is_some()), "{}: no limit", goal.id);
        }
    }
}
