use std::time::Duration;

use serde_json::{Value, json};

use crate::reader::{Both, Read};
use crate::said::Said;

/// One row of the table: what a check saw, by both ways to read.
#[derive(Debug)]
pub struct Row {
    name: String,
    both: Both,
    said: Option<Said>,
    wanted: u64,
    took: Duration,
    notes: Vec<(&'static str, Value)>,
    faults: Vec<String>,
}

impl Row {
    /// A row that must hold `wanted` readings of either kind.
    pub fn new(name: impl Into<String>, both: Both, wanted: u64, took: Duration) -> Self {
        Self { name: name.into(), both, said: None, wanted, took, notes: Vec::new(), faults: Vec::new() }
    }

    /// Adds a number that this row has and others lack.
    pub fn note(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.notes.push((name, value.into()));
        self
    }

    /// Prints what the library said in the processes that read, in place of what it says in this one.
    pub fn said(mut self, said: Said) -> Self {
        self.said = Some(said);
        self
    }

    /// Says, unless `holds`, that the row did not do what it is there for.
    pub fn require(mut self, holds: bool, fault: impl Into<String>) -> Self {
        if !holds {
            self.faults.push(fault.into());
        }
        self
    }

    /// One object for each way to read, with what the library says of itself.
    pub fn to_json(&self) -> Vec<Value> {
        let said = self.said.clone().unwrap_or_else(Said::now);
        let common = [
            ("wanted", json!(self.wanted)),
            ("seconds", json!((self.took.as_secs_f64() * 100.0).round() / 100.0)),
            ("state", json!(said.state)),
            ("source", json!(said.source)),
            ("faults", json!(self.faults)),
        ];
        Read::ALL
            .into_iter()
            .map(|read| {
                let mut object = json!(self.both.of(read));
                object["row"] = json!(self.name);
                object["read"] = json!(read.name());
                for (name, value) in common.iter().chain(&self.notes) {
                    object[*name] = value.clone();
                }
                object
            })
            .collect()
    }
}
