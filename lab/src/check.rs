use std::collections::BTreeMap;
use std::io;
use std::sync::LazyLock;

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::Value;

use crate::checks::{disturbed, forks, hogs, readings, signals, slews, stops, switch, timens};
use crate::disturber::Disturber;
use crate::event::Done;
use crate::expectation::Expectation;
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;
use crate::word::word;

/// What a machine can be made to do while its clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Check {
    Readings,
    /// The same, fewer, for clocks that are read by a system call.
    SlowReadings,
    Slews,
    Stops,
    /// A busy thread competes with every reader.
    Hogs,
    Switch,
    Timens,
    Forks,
    /// A signal handler reads inside other reads.
    Signals,
    /// Something else is done to the machine, by the step's `meanwhile`.
    Disturbed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    rows: BTreeMap<String, Vec<String>>,
    /// Of every row, or of the rows called so.
    always: Vec<Expectation>,
    /// Where the library must read the counter.
    counter: Vec<Expectation>,
    /// There, of rows with intervals.
    intervals: Vec<Expectation>,
}

static ROWS: LazyLock<Rows> =
    LazyLock::new(|| toml::from_str(include_str!("../checks.toml")).expect("the tests have read it"));
/// The first readings of a process and those of a signal handler.
const WITHOUT_INTERVALS: [&str; 2] = [forks::CHILDREN, signals::HANDLER];

impl Check {
    pub fn name(self) -> String {
        word(self)
    }

    pub fn rows(self) -> &'static [String] {
        &ROWS.rows[&self.name()]
    }

    pub fn faults(self, row: &str, printed: &Value, reads_counter: bool) -> Vec<String> {
        // In a time namespace every reading is the system's, which alone adds the namespace's offset.
        let reads_counter = reads_counter && self != Self::Timens;
        let has_intervals = reads_counter && !WITHOUT_INTERVALS.contains(&row);
        let is_of_it = |of: &str| of.is_empty() || of == row || of == "slew" && self == Self::Slews;
        let done = Done { document: printed.clone(), ..Done::default() };
        let all = ROWS.always.iter().filter(|expectation| is_of_it(&expectation.of));
        let all = all.chain(ROWS.counter.iter().filter(|_| reads_counter));
        all.chain(ROWS.intervals.iter().filter(|_| has_intervals))
            .filter_map(|expectation| match expectation.judge(&done) {
                (true, _) => None,
                (false, seen) => Some(format!("not so: {}; seen: {seen}", expectation.says)),
            })
            .collect()
    }

    pub fn run(
        self,
        size: Size,
        plant: Option<Plant>,
        disturber: Option<&mut Disturber<'_>>,
        print: &mut dyn FnMut(Row),
    ) -> io::Result<()> {
        match self {
            Self::Readings => print(readings::run(size.of(readings::MANY), plant)?),
            Self::SlowReadings => print(readings::run(size.of(readings::FEWER), plant)?),
            Self::Slews => slews::run(size, plant, print)?,
            Self::Stops => print(stops::run(size)?),
            Self::Hogs => print(hogs::run(size, plant)?),
            Self::Switch => print(switch::run(size, plant)?),
            Self::Timens => timens::run(size, print)?,
            Self::Forks => forks::run(size, plant, print)?,
            Self::Signals => signals::run(size, print)?,
            Self::Disturbed => print(disturbed::run(disturber, plant)?),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_and_their_expectations_can_be_read() {
        for check in Check::value_variants() {
            assert!(!check.rows().is_empty(), "{}", check.name());
        }
        for expectation in ROWS.always.iter().chain(&ROWS.counter).chain(&ROWS.intervals) {
            assert!(expectation.validate().is_ok(), "{}", expectation.says);
        }
    }
}
