//! Runs inside a machine: carries out the steps of a scenario and prints what comes of them, a line of JSON each.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chronoscope_lab::event::Event;
use chronoscope_lab::fault::Fault;
use chronoscope_lab::helper;
use chronoscope_lab::launcher::Launcher;
use chronoscope_lab::line;
use chronoscope_lab::plant::Plant;
use chronoscope_lab::scenario::Scenario;
use chronoscope_lab::size::Size;
use chronoscope_lab::steps::{self, Means};
use clap::{ArgAction, Parser, Subcommand};

const TOOL: &str = "/bin/chronoscope";

#[derive(Parser)]
#[command(about = "Carries out the steps of a scenario", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Carry out a scenario
    Steps {
        scenario: PathBuf,
        #[arg(long, default_value = "quick")]
        size: Size,
        #[arg(long)]
        plant: Option<Plant>,
        #[arg(long, default_value = TOOL)]
        tool: String,
        /// Whether the steps that ask peers are carried out
        #[arg(long, action = ArgAction::Set, default_value_t = true)]
        peers: bool,
        /// The machine is there for nothing else: its clock may be changed
        #[arg(long)]
        guest: bool,
    },
    /// Ask whoever booted this machine to give its monitor these commands
    Ask { commands: String },
    /// Do something to this machine's clocks
    #[command(subcommand)]
    Fault(Fault),
    /// Start a program without something that it usually has
    Under {
        launcher: Launcher,
        #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// What this program starts itself for
    #[command(hide = true)]
    Helper { role: String },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().what {
        What::Steps { scenario, size, plant, tool, peers, guest } => {
            let means = Means { tool: vec![tool], size, plant, limits: None };
            carry_out(&scenario, peers, guest, &means)
        }
        What::Ask { commands } => {
            line::print(&Event::Ask(commands));
            Ok(())
        }
        What::Fault(fault) => fault.inject().map_err(|error| format!("{fault:?}: {error}")),
        What::Under { launcher, command } => Err(format!("{launcher:?}: {}", launcher.start(&command))),
        What::Helper { role } => serde_json::from_str(&role)
            .map_err(io::Error::from)
            .and_then(helper::work)
            .map_err(|error| format!("helper {role}: {error}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("guest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn carry_out(file: &Path, asks_peers: bool, is_guest: bool, means: &Means<'_>) -> Result<(), String> {
    let scenario = Scenario::read(file).map_err(|error| error.to_string())?;
    let scenario = if asks_peers { scenario } else { scenario.without_peers() };
    // Whoever tries the program on a machine that others use must not find its clock changed afterwards.
    if let Some(step) = scenario.steps.iter().find(|step| !is_guest && step.changes_machine()) {
        return Err(format!("step {:?} changes the whole machine: only with --guest", step.title()));
    }
    steps::run(&scenario, means, &mut |event| line::print(&event));
    Ok(())
}
