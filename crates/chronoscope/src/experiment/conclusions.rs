use std::collections::BTreeMap;

use crate::record::study::Estimate;
use serde::Serialize;

/// What an experiment shows, as data: a renderer makes text of it, and `--format json` prints it beside the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Conclusions {
    /// Which experiment.
    pub(crate) experiment: &'static str,
    /// The question that it puts.
    pub(crate) question: String,
    /// What somebody would conclude who takes the figures as they come.
    pub(crate) naive: Block,
    /// What the model says.
    pub(crate) model: Block,
    /// The article's figures beside those of this run.
    pub(crate) published: Block,
}

/// A part of the conclusions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Block {
    pub(crate) items: Vec<Item>,
}

/// A sentence or a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Item {
    Statement(Statement),
    Table(Grid),
}

/// A sentence with the numbers that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Statement {
    pub(crate) text: String,
    /// Whether it is the one to take along.
    pub(crate) is_main: bool,
    /// The numbers by name, unit last in the name.
    pub(crate) values: BTreeMap<&'static str, Estimate>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Grid {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// A cell of a table. The unit is the name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Value {
    Text(String),
    Count(u64),
    /// A number without a unit.
    Number(f64),
    /// A duration with its interval.
    Ns(Estimate),
    /// A difference of durations with its interval.
    DifferenceNs(Estimate),
    /// A duration that somebody published or that is a sum of others.
    PlainNs(f64),
    PerSecond(Estimate),
    PlainPerSecond(f64),
    /// A ratio with its interval.
    Factor(Estimate),
    PlainFactor(f64),
    /// A share, in percent, with its interval; less than none where it is of a difference.
    PercentOf(Estimate),
    /// There is no number, and why.
    Missing(String),
}

impl Block {
    /// Adds a sentence.
    pub(crate) fn say(&mut self, text: impl Into<String>) -> &mut Statement {
        self.push(text.into(), false)
    }

    /// Adds the sentence to take along.
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
    /// Names a number that the sentence rests on.
    pub(crate) fn with(&mut self, name: &'static str, value: Estimate) -> &mut Self {
        self.values.insert(name, value);
        self
    }
}

impl Value {
    /// `value`, or that it was not measured and why.
    pub(crate) fn ns_or(value: Option<Estimate>, why: impl Into<String>) -> Self {
        value.map_or_else(|| Self::Missing(why.into()), Self::Ns)
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
