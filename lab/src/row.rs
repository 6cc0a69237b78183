//! A row of the table: one check of a scenario.

use chronoscope_clock::Clock;
use serde_json::{Value, json};

use crate::reader::{Both, Read};

/// What `source` gives where no counter is read.
pub const NO_COUNTER: &str = "SystemClock";

/// Where the rate of the library's clock comes from, in this process and now.
pub fn source() -> String {
    format!("{:?}", Clock::or_system().trust().rate_source)
}

/// One row of the table: what a check saw, by both ways to read.
#[derive(Debug)]
pub struct Row {
    name: String,
    both: Both,
    /// Where the library's rate came from in the processes that read, each once.
    sources: Vec<String>,
    wanted: u64,
    notes: Vec<(&'static str, Value)>,
}

impl Row {
    /// A row of this process, which must hold `wanted` readings of either kind.
    pub fn new(name: impl Into<String>, both: Both, wanted: u64) -> Self {
        Self { name: name.into(), both, sources: vec![source()], wanted, notes: Vec::new() }
    }

    /// Adds a number that this row has and others lack.
    pub fn note(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.notes.push((name, value.into()));
        self
    }

    /// Names the sources of other processes in place of that of this one.
    pub fn read_by(mut self, mut sources: Vec<String>) -> Self {
        sources.sort_unstable();
        sources.dedup();
        self.sources = sources;
        self
    }

    /// One object for each way to read.
    pub fn to_json(&self) -> [Value; 2] {
        Read::ALL.map(|read| {
            let tally = self.both.of(read);
            let per = |part: u64, whole: u64| part as f64 / whole as f64;
            let mut object = json!(tally);
            let more = [
                ("row", json!(self.name)),
                ("read", json!(read.name())),
                ("wanted", json!(self.wanted)),
                ("source", json!(self.sources.join("/"))),
                ("reads_counter", json!(self.sources.iter().all(|source| source != NO_COUNTER))),
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
