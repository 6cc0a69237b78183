use serde_json::{Value, json};

use crate::reader::{Both, Read};
use crate::said::Said;

/// What `RateSource` says where no counter is read.
const NO_COUNTER: &str = "SystemClock";

/// One row of the table: what a check saw, by both ways to read.
#[derive(Debug)]
pub struct Row {
    name: String,
    both: Both,
    said: Said,
    wanted: u64,
    notes: Vec<(&'static str, Value)>,
}

impl Row {
    /// A row that must hold `wanted` readings of either kind, with what the library says in this process.
    pub fn new(name: impl Into<String>, both: Both, wanted: u64) -> Self {
        Self { name: name.into(), both, said: Said::now(), wanted, notes: Vec::new() }
    }

    /// Adds a number that this row has and others lack.
    pub fn note(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.notes.push((name, value.into()));
        self
    }

    /// Tells what the library said in the processes that read, in place of what it says in this one.
    pub fn said(self, said: Said) -> Self {
        Self { said, ..self }
    }

    /// One object for each way to read, with what the library says of itself.
    pub fn to_json(&self) -> [Value; 2] {
        Read::ALL.map(|read| {
            let tally = self.both.of(read);
            let per = |part: u64, whole: u64| part as f64 / whole as f64;
            let mut object = json!(tally);
            let more = [
                ("row", json!(self.name)),
                ("read", json!(read.name())),
                ("wanted", json!(self.wanted)),
                ("state", json!(self.said.state)),
                ("source", json!(self.said.source)),
                ("reads_counter", json!(self.said.source.split('/').all(|source| source != NO_COUNTER))),
                ("share_of_wanted", json!(per(tally.readings, self.wanted))),
                ("intervals_per_wanted", json!(per(tally.intervals, self.wanted))),
                ("narrow_share", json!(per(tally.narrow, tally.intervals))),
            ];
            for (name, value) in more.iter().chain(&self.notes) {
                object[*name] = value.clone();
            }
            object
        })
    }
}
