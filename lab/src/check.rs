use std::io;

use clap::ValueEnum;
use serde::Deserialize;

use crate::checks::{disturbed, forks, hogs, readings, signals, slews, stops, switch, timens};
use crate::disturber::Disturber;
use crate::plant::Plant;
use crate::row::Row;
use crate::size::Size;
use crate::word::word;

/// What a machine can be made to do while its clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Check {
    /// Nothing: plain readings.
    Readings,
    /// The same, fewer, for clocks that are read by a system call.
    SlowReadings,
    /// The kernel's clock is slewed back and forth.
    Slews,
    /// Processes that read are stopped and continued.
    Stops,
    /// A busy thread competes with every reader.
    Hogs,
    /// The kernel's clocksource is switched.
    Switch,
    /// Processes in a new time namespace read.
    Timens,
    /// Children are forked under reading threads.
    Forks,
    /// A signal handler reads inside other reads.
    Signals,
    /// Something else is done to the machine, by the step's `meanwhile`.
    Disturbed,
}

impl Check {
    /// Whether the library reads the counter under it, where it does otherwise. In a time namespace every reading is the
    /// system's, which alone adds the namespace's offset.
    pub fn leaves_counter(self) -> bool {
        self != Self::Timens
    }

    /// As it is named in scenarios.
    pub fn name(self) -> String {
        word(self)
    }

    /// The rows that it prints, all of them in every run.
    pub fn rows(self) -> Vec<String> {
        match self {
            Self::Slews => slews::ROWS.iter().map(slews::Slew::name).collect(),
            Self::Forks => vec![forks::CHILDREN.to_owned(), forks::PARENT.to_owned()],
            Self::Timens => timens::ROWS.iter().map(|&row| row.to_owned()).collect(),
            Self::Signals => vec![signals::HANDLER.to_owned(), signals::INTERRUPTED.to_owned()],
            Self::SlowReadings => vec![Self::Readings.name()],
            other => vec![other.name()],
        }
    }

    /// Whether that row has intervals: the first readings of a process and those of a signal handler have none.
    pub fn has_intervals(row: &str) -> bool {
        ![forks::CHILDREN, signals::HANDLER].contains(&row)
    }

    /// Runs it; `print` gets each row as soon as it is there.
    pub fn run(
        self,
        size: Size,
        plant: Option<Plant>,
        disturber: Option<&mut Disturber<'_>>,
        print: &mut dyn FnMut(Row),
    ) -> io::Result<()> {
        match self {
            Self::Readings => print(readings::run(size.readings(), plant)?),
            Self::SlowReadings => print(readings::run(size.slow_readings(), plant)?),
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
