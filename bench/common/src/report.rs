//! What a run has seen, how it is written, and with which code a benchmark ends.

use std::process::ExitCode;

use clap::ValueEnum;
use serde::Serialize;

use crate::failure::Failure;
use crate::goal::{self, Goal};
use crate::machine::Machine;
use crate::print::print;

/// What the codes mean, for `--help`.
pub const EXIT_CODES: &str = "Exit codes: 0 measured, whether or not the goals are met; 1 something could not be measured; 2 the arguments \
     are wrong.";

/// How the report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// What a benchmark measured, part by part.
pub trait Sections: Serialize {
    /// Whether it was measured in smoke size.
    fn is_quick(&self) -> bool;

    /// Every part by its title, in order; None for what was not measured.
    fn shown(&self) -> Vec<(&'static str, Option<String>)>;
}

/// A run.
#[derive(Debug, Serialize)]
pub struct Report<S> {
    /// What the numbers belong to.
    pub machine: Machine,
    /// What was measured.
    pub sections: S,
    /// What was to be shown.
    pub goals: Vec<Goal>,
    /// What could not be measured, and why.
    pub failures: Vec<(&'static str, Failure)>,
}

impl<S: Sections> Report<S> {
    /// Prints it, and says whether everything that was asked for could be measured.
    pub fn print(&self, format: Format) -> Result<bool, Failure> {
        print(&match format {
            Format::Text => self.text(),
            Format::Json => self.json()? + "\n",
        })?;
        Ok(self.failures.is_empty())
    }

    fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self).map_err(|error| Failure::because(format!("the report as JSON: {error}")))
    }

    fn text(&self) -> String {
        let mut text = self.machine.show() + "\n";
        if self.sections.is_quick() {
            text += "A quick run: it shows that everything works; for the numbers, run without --quick.\n";
        }
        for (title, shown) in self.sections.shown() {
            if let Some(shown) = shown {
                text += &format!("\n## {title}\n\n{shown}\n");
            }
        }
        for (title, failure) in &self.failures {
            text += &format!("\nNot measured: {title}: {failure}\n");
        }
        text + &format!("\n## goals\n\n{}\n", goal::show(&self.goals))
    }
}

/// The code that the benchmark called `name` ends with; says why, where it failed.
pub fn exit(name: &str, done: Result<bool, Failure>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}
