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
    /// A count of fewer than this says nothing.
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
pub enum Verdict {
    Met,
    /// By so much.
    Missed(String),
    /// Not measured in this run, or too little to tell.
    Open(String),
}

#[derive(Debug)]
pub struct Judged {
    goal: String,
    measured: String,
    verdict: Verdict,
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
    pub fn judge(&self, sections: &[Section], is_quick: bool) -> Judged {
        let (mut measured, mut verdicts) = (Vec::new(), Vec::new());
        for figure in &self.figures {
            let found = figure.find(sections);
            let judged = found.iter().map(|(name, value)| (name, value, figure.judge(value, is_quick)));
            // The worst of the rows speaks for all.
            let badness = |(_, value, verdict): &(_, &Value, Verdict)| match verdict {
                Verdict::Met => (0, figure.badness(value)),
                Verdict::Open(_) => (1, figure.badness(value)),
                Verdict::Missed(_) => (2, figure.badness(value)),
            };
            let worst = judged.max_by(|one, other| {
                let ((rank, one), (of_other, other)) = (badness(one), badness(other));
                rank.cmp(&of_other).then(one.total_cmp(&other))
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
        Judged { goal: self.what.clone(), measured, verdict: all_of(verdicts) }
    }
}

/// What several verdicts are together: missed by all that is missed, else open if one is.
fn all_of(verdicts: Vec<Verdict>) -> Verdict {
    let missed: Vec<&str> = verdicts
        .iter()
        .filter_map(|verdict| if let Verdict::Missed(by) = verdict { Some(by.as_str()) } else { None })
        .collect();
    if !missed.is_empty() {
        return Verdict::Missed(missed.join(", "));
    }
    verdicts.into_iter().find(|verdict| matches!(verdict, Verdict::Open(_))).unwrap_or(Verdict::Met)
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
            Value::Below { below } => [below, 0.0, below],
            Value::Nothing | Value::Words(_) => [f64::NAN; 3],
        }
    }

    /// How far it is on the wrong side, or how near to it.
    fn badness(&self, value: &Value) -> f64 {
        let [value, ..] = self.range(value);
        if self.most.is_some() { value } else { -value }
    }
}

impl Judged {
    pub(crate) fn draw(&self, page: &mut Page) {
        let (sign, style, verdict) = match &self.verdict {
            Verdict::Met => ("✔ ", GOOD, "met".to_owned()),
            Verdict::Missed(by) => ("✘ ", CRITICAL, format!("missed: {by}")),
            Verdict::Open(why) => ("? ", WARNING, format!("open: {why}")),
        };
        page.paragraph(Line::styled(style, sign), PLAIN, &format!("{} — {} — {verdict}", self.goal, self.measured));
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

    fn is_open(verdict: &Verdict) -> bool {
        matches!(verdict, Verdict::Open(_))
    }

    #[test]
    fn a_limit_may_be_reached_and_not_passed() {
        let most = figure("most = 0.5");
        assert_eq!(most.judge(&Value::number(0.5, 1), false), Verdict::Met);
        assert!(matches!(most.judge(&Value::number(0.55, 1), false), Verdict::Missed(_)));
        assert_eq!(most.judge(&Value::number(-7.0, 1), false), Verdict::Met);
        assert!(matches!(
            figure("most = 0.5\nmagnitude = true").judge(&Value::number(-7.0, 1), false),
            Verdict::Missed(_)
        ));
        assert!(is_open(&most.judge(&Value::number(7.0, 1), true)));
        assert_eq!(figure("").judge(&Value::number(7.0, 1), true), Verdict::Met);
        assert!(matches!(most.judge(&Value::number(f64::NAN, 1), false), Verdict::Missed(_)));
    }

    #[test]
    fn an_interval_that_holds_the_limit_leaves_a_goal_open() {
        let most = |low, high| figure("most = 1.0").judge(&estimate(low, high), false);
        assert!(
            most(0.5, 1.0) == Verdict::Met && is_open(&most(0.9, 1.1)) && matches!(most(1.1, 1.3), Verdict::Missed(_))
        );
        let least = |low, high| figure("least = 1.0").judge(&estimate(low, high), false);
        assert!(
            least(1.0, 1.5) == Verdict::Met
                && is_open(&least(0.9, 1.1))
                && matches!(least(0.7, 0.9), Verdict::Missed(_))
        );
        let spread = Value::extremes([0.4, 0.9, 3.0], 1);
        assert_eq!(figure("most = 1.0").judge(&spread, false), Verdict::Met);
    }

    #[test]
    fn what_is_below_a_limit_is_and_else_cannot_be_told() {
        let most = figure("most = 1.0");
        assert_eq!(most.judge(&Value::Below { below: 0.4 }, false), Verdict::Met);
        assert!(is_open(&most.judge(&Value::Below { below: 1.4 }, false)));
    }

    #[test]
    fn one_thing_wrong_misses_a_goal_of_none_and_too_few_tries_leave_it_open() {
        let judge =
            |of, all, is_quick| figure("most = 0.0\ntries = 10").judge(&Value::Count(Count { of, all }), is_quick);
        assert!(judge(0, 10, false) == Verdict::Met && is_open(&judge(0, 9, false)));
        assert_eq!(judge(1, 9, true), Verdict::Missed("1 ns".into()));
        let share = |of, all| figure("least = 0.99\ntries = 100").judge(&Value::Count(Count { of, all }), false);
        assert!(
            share(99, 100) == Verdict::Met && is_open(&share(10, 10)) && matches!(share(197, 200), Verdict::Missed(_))
        );
        let alarms = |of, all| figure("most = 0.003334\ntries = 300").judge(&Value::Count(Count { of, all }), false);
        assert!(alarms(1, 300) == Verdict::Met && matches!(alarms(2, 300), Verdict::Missed(_)));
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
        let all = judged(&["most = 2.5"]);
        assert_eq!(
            (all.measured.as_str(), all.verdict),
            ("ns 3 (ab | 0)", Verdict::Missed("ns 3.000 instead of 2.5".into()))
        );
        let named = judged(&["most = 2.5\nrows = [\"a\", \"b\"]"]);
        assert_eq!((named.measured.as_str(), named.verdict), ("ns 2 (b | 0)", Verdict::Met));
        let least = judged(&["least = 0.5"]);
        assert_eq!(least.measured, "ns 1 (a | 0)");
        let both = judged(&["most = 2.5", "rows = [\"a\"]\nmost = 0.5", "rows = [\"c\"]\nmost = 1"]);
        assert_eq!(both.verdict, Verdict::Missed("ns 3.000 instead of 2.5, ns 1.000 instead of 0.5".into()));
        assert!(is_open(&judged(&["most = 5", "rows = [\"c\"]\nmost = 1"]).verdict), "one was not measured");
    }

    #[test]
    fn counts_are_summed_where_asked() {
        let count = |of, all| Value::Count(Count { of, all });
        let found = section(&[("a", count(0, 6)), ("b", count(0, 4))]);
        let judged = |text: &str| goal(&[text]).judge(std::slice::from_ref(&found), false).verdict;
        assert_eq!(judged("most = 0\ntries = 10\nsum = true"), Verdict::Met);
        assert!(is_open(&judged("most = 0\ntries = 10")));
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
