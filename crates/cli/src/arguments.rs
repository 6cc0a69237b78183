use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use chronoscope_measure::front::{CpuList, ThreadList, time, whole_number};
use chronoscope_measure::record::RuntimeKind;

use crate::experiment::Experiment;
use crate::granularity_list::GranularityList;
use crate::rate::Rate;
use crate::runtime_place::RuntimePlace;

pub(crate) use chronoscope_measure::front::Format;

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
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) check: CheckOptions,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the run was stopped, measured nothing or could not be saved, or \
    --strict and a finding of severity warning or worse stands; 2 the arguments are wrong.\n\n\
    Environment: COLUMNS sets the width of the page; without it, that of the terminal, or 118 columns where the \
    output is not a terminal. NO_COLOR turns colour off.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check this machine: verdict, machine, clocks, consecutive reads, cores (the default)
    Check(CheckOptions),
    /// The clocks alone and deeper: path, latency, granularity, shortest intervals
    Clocks(CheckOptions),
    /// Consecutive reads alone: differences and gaps of every clock of the common timeline
    Reads(RunOptions),
    /// Causality alone and deeper: offsets between CPUs, and the one-way litmus
    Causality(RunOptions),
    /// What causal times cost many threads: reads, scaling and staleness by granularity (not part of check)
    Monotime(MonotimeOptions),
    /// Calls in one thread and in many released together, beside calls of nothing (not part of check)
    Latch(LatchOptions),
    /// How long pauses really take: every way to wait, from a microsecond to ten milliseconds, and what it costs
    Pause(PauseOptions),
    /// What every language runtime of this machine sees of the time: Java, .NET, Mono, Go, Node.js, Python, C
    #[command(mut_arg("cpus", |arg| arg.help("Native code runs on the last of these; runtimes take as many threads and are not bound")))]
    Runtimes(RuntimesOptions),
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
    /// Print the JSON schema of the record
    Schema {
        /// That of the record of a study
        #[arg(long)]
        study: bool,

        /// That of the record of a pace
        #[arg(long, conflicts_with = "study")]
        pace: bool,
    },
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Options of everything that measures.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunOptions {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// Save the record as JSON to FILE as well; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Take about this long, e.g. 8s or 1min; longer narrows the intervals
    #[arg(long, value_name = "TIME", value_parser = run_time, allow_hyphen_values = true)]
    pub(crate) duration: Option<Duration>,

    /// Use these CPUs only, e.g. 0-3,6; single-threaded measurements run on the last
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) cpus: Option<CpuList>,

    /// Take less time, with wider intervals: a few seconds for a check
    #[arg(long, conflicts_with_all = ["thorough", "duration"])]
    pub(crate) quick: bool,

    /// Take more time, with narrower intervals: about a minute for a check, with up to 4096 pairs of CPUs
    #[arg(long)]
    pub(crate) thorough: bool,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Exit with 1 if a finding of severity warning or worse stands
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Options of what can answer for intervals.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// Also say whether an interval of this length can be timed here, e.g. 500ns; may be repeated
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true)]
    pub(crate) interval: Vec<Duration>,
}

/// Options of the experiment with many threads.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MonotimeOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// Numbers of threads; 1 is always tried too [default: powers of two up to the number of CPUs]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) threads: Option<ThreadList>,

    /// Granularities of the causal clock, in nanoseconds or with a unit, e.g. 0,100,1us [default: 0,100,1000]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) granularity: Option<GranularityList>,
}

/// Options of the experiment with threads that are released together.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LatchOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// Threads that are released together, 1 to 4096 [default: 100]
    #[arg(long, value_name = "N", value_parser = released_threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<u32>,
}

/// Options of the table of pauses.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PauseOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// A length to pause for, e.g. 50us; may be repeated [default: 1us, 10us, 100us, 1ms, 10ms]
    #[arg(long, value_name = "TIME", value_parser = pause_length, allow_hyphen_values = true)]
    pub(crate) length: Vec<Duration>,

    /// Beside a thread that never sleeps on the same CPU
    #[arg(long)]
    pub(crate) load: bool,

    /// Also under the real-time policy, where the system permits it
    #[arg(long)]
    pub(crate) realtime: bool,
}

/// Options of the table of language runtimes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RuntimesOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// A further one, as KIND=PROGRAM, e.g. java=/opt/jdk/bin/java; may be repeated
    #[arg(long, value_name = "KIND=PROGRAM")]
    pub(crate) runtime: Vec<RuntimePlace>,

    /// Look only for these kinds: java, dotnet, mono, go, node, python, c
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = crate::runtime_place::kind)]
    pub(crate) only: Vec<RuntimeKind>,

    /// Measure every way to pause that each has, in place of its clocks
    #[arg(long)]
    pub(crate) pause: bool,

    /// Measure N threads that one latch releases against N calls in one thread, in place of its clocks
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "100",
        value_parser = released_threads,
        allow_negative_numbers = true
    )]
    pub(crate) latch: Option<u32>,
}

/// Options of a pace.
#[derive(Args, Clone, Debug)]
pub(crate) struct PaceOptions {
    /// Events per second, e.g. 100k or 33.3, or per time, e.g. 30/1min
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub(crate) rate: Rate,

    /// For how long
    #[arg(long = "for", value_name = "TIME", value_parser = pace_time, allow_hyphen_values = true, default_value = "10s")]
    pub(crate) length: Duration,

    /// What becomes of late events
    #[arg(long, value_enum, value_name = "POLICY", default_value_t)]
    pub(crate) behind: Late,

    /// Leave out events that are later than this, rather than catch up with all of them
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub(crate) most_late: Option<Duration>,

    /// Events at random times of that rate, as those of many users
    #[arg(long)]
    pub(crate) poisson: bool,

    /// The random times to use
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "poisson",
        value_parser = seed,
        allow_hyphen_values = true
    )]
    pub(crate) seed: u64,

    /// Let the handling of one event take this much longer: shows response time against service time
    #[arg(long, value_name = "TIME", value_parser = stall, allow_hyphen_values = true)]
    pub(crate) stall: Option<Duration>,

    /// Under the real-time policy, where the system permits it
    #[arg(long)]
    pub(crate) realtime: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,

    /// Save the record as JSON to FILE as well; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// A program that gets a line for each event: its number, its intended and its actual start in nanoseconds of
    /// CLOCK_MONOTONIC; what it prints goes to standard error. Times end when the line is in the pipe: what the program
    /// takes for it is not measured
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What becomes of late events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Late {
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
pub(crate) struct ExperimentOptions {
    /// Which one
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: Experiment,

    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// Options of the scalability surface.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ScalingOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// Only this clock, by the name that `chronoscope clocks` or a run shows; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) clock: Vec<String>,

    /// Numbers of threads; 1 is always tried too [default: powers of two up to the CPUs, and two and four times as many]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) threads: Option<ThreadList>,

    /// Save a page for browsers to FILE as well
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print all that was seen of every combination
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ShowOptions {
    /// What --output or --format json wrote: of a check, a study, scaling, an experiment, a pace or a self-test
    pub(crate) file: PathBuf,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_enum, value_name = "VIEW")]
    pub(crate) view: Option<View>,

    /// Of a study, scaling or an experiment: every backoff and every chart
    #[arg(long)]
    pub(crate) full: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

/// What is shown of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// Everything on one screen
    Check,
    /// The clocks
    Clocks,
    /// Consecutive reads
    Reads,
    /// Causality
    Causality,
    /// Causal times for many threads
    Monotime,
    /// Calls in one thread and in many
    Latch,
    /// Pauses
    Pause,
    /// Language runtimes
    Runtimes,
}

fn run_time(text: &str) -> Result<Duration, String> {
    time(text, "a time such as 8s or 1min")
}

fn interval(text: &str) -> Result<Duration, String> {
    time(text, "1ns to 1day")
}

fn pause_length(text: &str) -> Result<Duration, String> {
    time(text, "100ns to 1s")
}

fn pace_time(text: &str) -> Result<Duration, String> {
    time(text, "10ms to 1day")
}

fn stall(text: &str) -> Result<Duration, String> {
    time(text, "a time shorter than --for, such as 50ms")
}

fn released_threads(text: &str) -> Result<u32, String> {
    whole_number(text, "1 to 4096")
}

fn seed(text: &str) -> Result<u64, String> {
    whole_number(text, "0 to 18446744073709551615")
}

/// The arguments; ends the process with code 2 if they are wrong.
pub(crate) fn parse() -> Arguments {
    Arguments::parse()
}

/// The definition of the arguments, for completions and the manual page.
pub(crate) fn definition() -> clap::Command {
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
        assert_eq!(arguments.check.interval, [Duration::from_micros(1)]);
    }

    #[test]
    fn contradictions_are_refused() {
        for wrong in [["--quick", "--thorough"], ["--cpus", "x"], ["--duration", "soon"], ["--format", "xml"]] {
            assert!(Arguments::try_parse_from(["chronoscope"].into_iter().chain(wrong)).is_err(), "{wrong:?}");
        }
    }
}
