use std::collections::BTreeMap;
use std::fmt;

use chronoscope_harness::quantity::{PER_SECOND, PERCENT, RATIO, TIME};
use chronoscope_harness::record::study::{Cell, Estimate};
use chronoscope_harness::study_words::why_no_time;
use chronoscope_render::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chart::Chart;

/// The conclusions of an experiment, as data: a renderer turns them into a page, and `--format json` prints them with
/// the record.
///
/// # Examples
/// ```
/// use chronoscope_examples::{Experiment, Item};
/// use chronoscope_harness::record::study::StudyRecord;
///
/// fn print_naive(record: &StudyRecord) {
///     for item in &Experiment::ALL[0].conclude(record).naive.items {
///         match item {
///             Item::Statement(statement) => println!("{}", statement.text),
///             Item::Table(table) => println!("{} rows", table.rows.len()),
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusions {
    /// The experiment.
    pub experiment: String,
    /// The question it asks.
    pub question: String,
    /// Whether all claims that it tests are right; absent where it tests none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    /// The conclusion from taking the figures at face value.
    pub naive: Block,
    /// The conclusion from the model.
    pub model: Block,
    /// Published figures, compared with those of this run.
    pub published: Block,
    /// What it is read for; none in older records, and where nothing was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<Chart>,
}

impl Conclusions {
    /// The same, where the operations ran in a language runtime; `how`: its version, and what else matters.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_examples::Conclusions;
    ///
    /// fn of_java(conclusions: Conclusions) -> Conclusions {
    ///     conclusions.told_in("Java 25", "measured in six processes".to_owned())
    /// }
    /// ```
    #[must_use]
    pub fn told_in(mut self, runtime: &str, how: String) -> Self {
        self.question = format!("In {runtime}: {}", self.question);
        self.model.say(how);
        self
    }
}

/// A section of the conclusions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Block {
    /// Its sentences and tables in order.
    pub items: Vec<Item>,
}

/// A sentence or a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Item {
    /// A sentence.
    Statement(Statement),
    /// A table.
    Table(Grid),
}

/// A sentence with its supporting numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// The sentence.
    pub text: String,
    /// Whether it is the main conclusion.
    pub is_main: bool,
    /// The numbers by name, unit last in the name.
    pub values: BTreeMap<String, Estimate>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Grid {
    /// Its heading; empty where obvious.
    pub title: String,
    /// The column headings.
    pub columns: Vec<String>,
    /// Its rows, each with at most one cell per column.
    pub rows: Vec<Vec<Value>>,
}

/// A table cell. The variant's name is the unit.
///
/// # Examples
/// ```
/// use chronoscope_examples::Value;
/// use chronoscope_harness::record::Estimate;
///
/// assert_eq!(Value::Ns(Estimate::certain(15.2)).to_string(), "15.2 ns");
/// assert_eq!(Value::Factor(Estimate::certain(4.234)).to_string(), "4.23×");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// Words: also why there is no number.
    Text(String),
    /// A count.
    Count(u64),
    /// A number without a unit.
    Number(f64),
    /// A duration with its interval; one that was published, or computed from others, is certain.
    Ns(Estimate),
    /// A difference of durations with its interval.
    DifferenceNs(Estimate),
    /// A rate with its interval.
    PerSecond(Estimate),
    /// A ratio with its interval.
    Factor(Estimate),
    /// A share, in percent, with its interval; negative for a negative difference.
    PercentOf(Estimate),
}

impl Block {
    /// Adds a sentence.
    pub(crate) fn say(&mut self, text: impl Into<String>) -> &mut Statement {
        self.push(text.into(), false)
    }

    /// Adds the main conclusion.
    pub(crate) fn conclude(&mut self, text: impl Into<String>) -> &mut Statement {
        self.push(text.into(), true)
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, title: impl Into<String>, columns: &[&str], rows: Vec<Vec<Value>>) {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        self.items.push(Item::Table(Grid { title: title.into(), columns, rows }));
    }

    fn push(&mut self, text: String, is_main: bool) -> &mut Statement {
        self.items.push(Item::Statement(Statement { text, is_main, values: BTreeMap::new() }));
        match self.items.last_mut() {
            Some(Item::Statement(statement)) => statement,
            _ => unreachable!("it was pushed just now"),
        }
    }

    /// The main conclusions.
    pub(crate) fn main(&self) -> Vec<String> {
        let mains = self.items.iter().filter_map(|item| match item {
            Item::Statement(statement) if statement.is_main => Some(statement.text.clone()),
            _ => None,
        });
        mains.collect()
    }

    /// All sentences, one after another.
    #[cfg(test)]
    pub(crate) fn text(&self) -> String {
        let statements = self.items.iter().filter_map(|item| match item {
            Item::Statement(statement) => Some(statement.text.as_str()),
            Item::Table(_) => None,
        });
        statements.collect::<Vec<_>>().join("\n")
    }
}

impl Statement {
    /// Adds a number that the sentence rests on.
    pub(crate) fn with(&mut self, name: &'static str, value: Estimate) -> &mut Self {
        self.values.insert(name.to_owned(), value);
        self
    }
}

impl Value {
    /// `found`, or a note that there is no number and why.
    pub(crate) fn or(found: Option<Self>, why: impl Into<String>) -> Self {
        found.unwrap_or_else(|| Self::text(why))
    }

    /// The time of a cell, or why it has none.
    pub(crate) fn time(cell: Option<&Cell>) -> Self {
        Self::or(cell.and_then(|cell| cell.time_ns).map(Self::Ns), why_no_time(cell))
    }

    /// A duration that was published, or computed from others.
    pub(crate) fn plain_ns(ns: f64) -> Self {
        Self::Ns(Estimate::certain(ns))
    }

    /// Likewise a rate.
    pub(crate) fn plain_per_second(rate: f64) -> Self {
        Self::PerSecond(Estimate::certain(rate))
    }

    /// Likewise a ratio.
    pub(crate) fn plain_factor(factor: f64) -> Self {
        Self::Factor(Estimate::certain(factor))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Text(words) => words.clone(),
            Self::Count(count) => text::count(*count),
            Self::Number(number) => text::three_digits(*number),
            Self::Ns(value) => TIME.amount(value),
            Self::DifferenceNs(value) => TIME.signed().difference(value),
            Self::PerSecond(value) => PER_SECOND.amount(value),
            Self::Factor(value) => RATIO.amount(value),
            Self::PercentOf(share) => PERCENT.signed().difference(share),
        })
    }
}
