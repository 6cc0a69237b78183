use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use chronoscope_examples::Experiment;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use chronoscope_bench::{Format, ThreadList, time, whole_number};

use crate::command::compare_options::CompareOptions;
use crate::command::history::options::HistoryCommand;
use crate::registry::SectionCommand;
use crate::run_options::RunOptions;
use crate::sections::clocks::plan as clocks;
use crate::sections::pace::rate::Rate;
use crate::view::View;

/// Shows which clock this machine uses, its read latency, its granularity, whether it is causal across cores, and which
/// intervals it can time.
///
/// Without a command, checks the machine. Needs no privileges and changes nothing.
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
    pub check: CheckOptions,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the run was interrupted, measured nothing or could not be saved, or \
    --strict and there is a warning or error; 2 wrong arguments.\n\n\
    Environment: COLUMNS sets the page width; the default is that of the terminal, or 118 columns where the output is \
    not a terminal. NO_COLOR turns colour off. CHRONOSCOPE_HISTORY names the file of the history; \
    CHRONOSCOPE_NO_HISTORY=1 keeps no checks.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check this machine: verdict, machine, clocks, consecutive reads, cores (the default)
    Check(CheckOptions),
    #[command(flatten)]
    Section(SectionCommand),
    /// Generate events at a fixed rate; report lateness, response against service time, and causes
    Pace(PaceOptions),
    /// Run an experiment from the literature: naive conclusion, model, published figures (not part of check)
    Experiment(ExperimentOptions),
    /// Test the harness on operations of known cost: exit code 1 if it cannot be trusted here and now
    #[command(mut_arg("strict", |arg| arg.help("No effect: the exit code is always the verdict")))]
    Selftest(RunOptions),
    /// How reads scale: cost by work between reads and thread count, and where each clock starts to scale
    #[command(mut_arg("thorough", |arg| arg.help("Measure the full grid: about ten minutes")))]
    Scaling(ScalingOptions),
    /// Show a saved document as the run printed it
    Show(ShowOptions),
    /// Compare documents with the first: what changed, by how much, and by more than the noise between runs or not
    Compare(CompareOptions),
    /// Earlier checks: list, show, compare, plot, prune, export
    #[command(subcommand)]
    History(HistoryCommand),
    /// Print the JSON schema of the documents that --output and --format json write
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

/// Options of a check.
#[derive(Args, Debug)]
pub struct CheckOptions {
    #[command(flatten)]
    pub measured: Of<clocks::Options>,

    /// Do not keep the result in the history
    #[arg(long)]
    pub no_history: bool,
}

/// Options of a pace.
#[derive(Args, Clone, Debug)]
pub struct PaceOptions {
    /// Events per second, e.g. 100k or 33.3, or per time, e.g. 30/1min
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: Rate,

    /// How long to run
    #[arg(long = "for", value_name = "TIME", value_parser = pace_time, allow_hyphen_values = true, default_value = "10s")]
    pub length: Duration,

    /// What to do with late events
    #[arg(long = "on-late", alias = "behind", value_enum, value_name = "POLICY", default_value_t)]
    pub behind: Late,

    /// Skip events later than this instead of catching up
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub most_late: Option<Duration>,

    /// Poisson arrivals at this rate, as from many independent users
    #[arg(long)]
    pub poisson: bool,

    /// Seed of the Poisson arrivals
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "poisson",
        value_parser = seed,
        allow_hyphen_values = true
    )]
    pub seed: u64,

    /// Stall the handling of one event for this long, to show response time against service time
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub stall: Option<Duration>,

    /// Use the real-time scheduling policy, where permitted
    #[arg(long)]
    pub realtime: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Also save the document as JSON to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// A program that reads one line per event: its number, intended start and actual start in nanoseconds of
    /// CLOCK_MONOTONIC. Its output goes to standard error. An event ends when its line is in the pipe; the program's
    /// own time is not measured
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What to do with late events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Late {
    /// Run them at once, one after another
    #[default]
    CatchUp,
    /// Skip and count them
    Skip,
    /// Shift the schedule by the delay
    Slip,
}

/// Options of the experiments.
#[derive(Args, Clone, Debug)]
pub struct ExperimentOptions {
    /// Which experiment
    #[arg(value_name = "NAME", value_parser = experiment())]
    pub name: Experiment,

    #[command(flatten)]
    pub run: RunOptions,
}

/// Parses an experiment by name.
fn experiment() -> impl TypedValueParser<Value = Experiment> {
    let names = Experiment::ALL.iter().map(|each| PossibleValue::new(each.name()).help(each.about()));
    PossibleValuesParser::new(names).try_map(|name| Experiment::from_name(&name).ok_or("there is no such experiment"))
}

/// Options of the scalability surface.
#[derive(Args, Clone, Debug, Default)]
pub struct ScalingOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Only these clocks: native ones as named by `chronoscope clocks`, those of runtimes as java:System.nanoTime, or java for
    /// the one its users reach for first [default: all native ones, and one of each runtime]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub clock: Vec<String>,

    /// Leave out the clocks of language runtimes
    #[arg(long)]
    pub no_runtimes: bool,

    /// Thread counts; 1 is always included [default: powers of two up to the number of CPUs, then twice and four times that]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub threads: Option<ThreadList>,

    /// Also save an HTML page to FILE
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print every result of every combination
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub struct ShowOptions {
    /// A document that --output or --format json wrote
    pub file: PathBuf,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_name = "VIEW", value_parser = PossibleValuesParser::new(View::names()).map(|name| View::named(&name)))]
    pub view: Option<View>,

    /// For a study, scaling or an experiment: every backoff and every chart. For a comparison: every figure
    #[arg(long)]
    pub full: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// For a study or scaling: also write an HTML page to FILE
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

fn pace_time(text: &str) -> Result<Duration, String> {
    time(text, "10 ms to 24 h")
}

fn stall(text: &str) -> Result<Duration, String> {
    time(text, "a time shorter than --for, such as 50ms")
}

fn seed(text: &str) -> Result<u64, String> {
    whole_number(text, "0 to 18446744073709551615")
}

/// The arguments; exits with code 2 if they are invalid.
pub fn parse() -> Arguments {
    Arguments::parse()
}

/// The command definition, for completions and the manual page.
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
        assert!(arguments.command.is_none() && arguments.check.measured.run.quick);
        assert_eq!(arguments.check.measured.of.interval, [Duration::from_micros(1)]);
    }

    #[test]
    fn contradictions_are_refused() {
        for wrong in [["--quick", "--thorough"], ["--cpus", "x"], ["--duration", "soon"], ["--format", "xml"]] {
            assert!(Arguments::try_parse_from(["chronoscope"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
