use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use chronoscope_examples::Experiment;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use chronoscope_bench::{Format, ThreadList, time, whole_number};

use crate::registry::SectionCommand;
use crate::run_options::RunOptions;
use crate::sections::clocks::plan as clocks;
use crate::sections::pace::rate::Rate;
use crate::view::View;

/// Tells which clock this machine uses, what a read costs and resolves, whether it can be trusted across cores, and
/// what therefore can and cannot be timed here.
///
/// Without a command it checks the machine. It needs no privilege and changes nothing.
#[derive(Debug, Parser)]
#[command(
    name = "chronoscope",
    version,
    max_term_width = 100,
    after_long_help = EXIT_CODES,
    args_conflicts_with_subcommands = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub check: Of<clocks::Options>,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the run was stopped, measured nothing or could not be saved, or \
    --strict and a finding of severity warning or worse stands; 2 the arguments are wrong.\n\n\
    Environment: COLUMNS sets the width of the page; without it, that of the terminal, or 118 columns where the \
    output is not a terminal. NO_COLOR turns colour off.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check this machine: verdict, machine, clocks, consecutive reads, cores (the default)
    Check(Of<clocks::Options>),
    #[command(flatten)]
    Section(SectionCommand),
    /// Keep a rate of events, and tell how well: lateness, response time beside service time, and what caused it
    Pace(PaceOptions),
    /// An experiment that teaches: naive conclusion, model, published figures (not part of check)
    Experiment(ExperimentOptions),
    /// Judge the harness by operations of known truth: exit code 1 if it cannot be trusted here, now
    #[command(mut_arg("strict", |arg| arg.help("Changes nothing here: the exit code is the verdict")))]
    Selftest(RunOptions),
    /// What a read costs between more or less work, on one thread and on many: from where on each clock scales
    #[command(mut_arg("thorough", |arg| arg.help("Measure the full grid, which takes about ten minutes")))]
    Scaling(ScalingOptions),
    /// Show again what a run has saved, as it was printed
    Show(ShowOptions),
    /// Print the JSON schema of every document that --output and --format json write
    Schema,
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// The options of a section, after those of any run.
#[derive(Args, Debug)]
pub struct Of<O: Args> {
    #[command(flatten)]
    pub run: RunOptions,

    #[command(flatten)]
    pub of: O,
}

/// Options of a pace.
#[derive(Args, Clone, Debug)]
pub struct PaceOptions {
    /// Events per second, e.g. 100k or 33.3, or per time, e.g. 30/1min
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: Rate,

    /// For how long
    #[arg(long = "for", value_name = "TIME", value_parser = pace_time, allow_hyphen_values = true, default_value = "10s")]
    pub length: Duration,

    /// What becomes of late events
    #[arg(long, value_enum, value_name = "POLICY", default_value_t)]
    pub behind: Late,

    /// Leave out events that are later than this, rather than catch up with all of them
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub most_late: Option<Duration>,

    /// Events at random times of that rate, as those of many users
    #[arg(long)]
    pub poisson: bool,

    /// The random times to use
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "poisson",
        value_parser = seed,
        allow_hyphen_values = true
    )]
    pub seed: u64,

    /// Let the handling of one event take this much longer: shows response time against service time
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub stall: Option<Duration>,

    /// Under the real-time policy, where the system permits it
    #[arg(long)]
    pub realtime: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Save the record as JSON to FILE as well; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// A program that gets a line for each event: its number, its intended and its actual start in nanoseconds of
    /// CLOCK_MONOTONIC; what it prints goes to standard error. Times end when the line is in the pipe: what the program
    /// takes for it is not measured
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What becomes of late events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Late {
    /// They come at once, one after the other
    #[default]
    CatchUp,
    /// They are left out and counted
    Skip,
    /// The schedule moves by the delay
    Slip,
}

/// Options of the experiments that teach.
#[derive(Args, Clone, Debug)]
pub struct ExperimentOptions {
    /// Which one
    #[arg(value_name = "NAME", value_parser = experiment())]
    pub name: Experiment,

    #[command(flatten)]
    pub run: RunOptions,
}

/// An experiment by its name.
fn experiment() -> impl TypedValueParser<Value = Experiment> {
    let names = Experiment::ALL.iter().map(|each| PossibleValue::new(each.name()).help(each.about()));
    PossibleValuesParser::new(names).try_map(|name| Experiment::from_name(&name).ok_or("there is no such experiment"))
}

/// Options of the scalability surface.
#[derive(Args, Clone, Debug, Default)]
pub struct ScalingOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Only this clock, by the name that `chronoscope clocks` or a run shows; may be repeated
    #[arg(long, value_name = "NAME")]
    pub clock: Vec<String>,

    /// Numbers of threads; 1 is always tried too [default: powers of two up to the CPUs, and two and four times as many]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub threads: Option<ThreadList>,

    /// Save a page for browsers to FILE as well
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print all that was seen of every combination
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub struct ShowOptions {
    /// What --output or --format json wrote: of a check, a study, scaling, an experiment, a pace or a self-test
    pub file: PathBuf,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_name = "VIEW", value_parser = PossibleValuesParser::new(View::names()).map(|name| View::named(&name)))]
    pub view: Option<View>,

    /// Of a study, scaling or an experiment: every backoff and every chart
    #[arg(long)]
    pub full: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

fn pace_time(text: &str) -> Result<Duration, String> {
    time(text, "10ms to 1day")
}

fn stall(text: &str) -> Result<Duration, String> {
    time(text, "a time shorter than --for, such as 50ms")
}

fn seed(text: &str) -> Result<u64, String> {
    whole_number(text, "0 to 18446744073709551615")
}

/// The arguments; ends the process with code 2 if they are wrong.
pub fn parse() -> Arguments {
    Arguments::parse()
}

/// The definition of the arguments, for completions and the manual page.
pub fn definition() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }

    #[test]
    fn no_command_takes_the_options_of_check() {
        let arguments = Arguments::try_parse_from(["chronoscope", "--quick", "--interval", "1us"]).unwrap();
        assert!(arguments.command.is_none() && arguments.check.run.quick);
        assert_eq!(arguments.check.of.interval, [Duration::from_micros(1)]);
    }

    #[test]
    fn contradictions_are_refused() {
        for wrong in [["--quick", "--thorough"], ["--cpus", "x"], ["--duration", "soon"], ["--format", "xml"]] {
            assert!(Arguments::try_parse_from(["chronoscope"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
