use std::path::PathBuf;
use std::time::Duration;

use chronoscope_examples::Experiment;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, CommandFactory, Parser, Subcommand, ValueEnum};

use chronoscope_bench::{Format, ThreadList, percentage, time, whole_number};
use chronoscope_probes::RuntimeKind;

use crate::answers::gate::rule::FindingKind;
use crate::command::compare_options::CompareOptions;
use crate::command::history::options::HistoryCommand;
use crate::gate_options::GateOptions;
use crate::plan::{MOST_THREADS, released_threads};
use crate::registry::each_section;
use crate::run_options::RunOptions;
use crate::section::Section;
use crate::sections;
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

const GATE_RULES: &str = "Exit codes: 0 every rule passed; 1 a rule failed, is unresolved or was not measured, or the \
    run was interrupted; 2 wrong arguments or rules.\n\n\
    A limit passes only if the whole interval is within it, and fails only if the whole interval is beyond it. \
    What was not measured never passes.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check this machine: which clock to use, what it can time, whether to trust it (the default)
    Check(CheckOptions),
    #[command(flatten)]
    Section(SectionCommand),
    /// Generate events at a fixed rate; report lateness, response against service time, and causes
    Pace(PaceOptions),
    /// Follow a running machine: clock steps, slews, clocksource changes, skew, stolen time, suspend, as they happen
    Watch(WatchOptions),
    /// Run an experiment from the literature: naive conclusion, model, published figures (not part of check)
    Experiment(ExperimentOptions),
    /// Calls by one thread and by many released together, against an empty control (not part of check)
    #[command(alias = "latch")]
    ThreadRelease(ThreadReleaseOptions),
    /// Cost of causal clocks on many threads: throughput and scaling by granularity (not part of check)
    #[command(alias = "monotime")]
    Contention(ContentionOptions),
    /// Test the harness on operations of known cost: exit code 1 if it cannot be trusted here and now
    #[command(mut_arg("strict", |arg| arg.help("No effect: the exit code is always the verdict")))]
    Selftest(RunOptions),
    /// How reads scale: cost by work between reads and thread count, and where each clock starts to scale
    #[command(mut_arg("thorough", |arg| arg.help("Measure the full grid: about ten minutes")))]
    Scaling(ScalingOptions),
    /// How to measure an interval here, or which findings answer a symptom; answers from a document, or measures
    #[command(mut_arg("strict", |arg| arg.help("Exit with 1 on any warning or error of the run")))]
    Advise(AdviseOptions),
    /// Judge a check, or a saved document, by rules: exit code 1 unless all pass
    #[command(after_long_help = GATE_RULES)]
    #[command(mut_arg("strict", |arg| arg.help("Also a rule: no warning or error")))]
    Gate(GateOptions),
    /// List the kinds of findings, or explain some: meaning, evidence, mend
    Findings(FindingsOptions),
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

macro_rules! commands {
    ($($(#[$meta:meta])* $field:ident: sections::$folder:ident::$Section:ident;)*) => {
        /// The sections as subcommands.
        #[derive(Debug, Subcommand)]
        pub enum SectionCommand {
            $($(#[$meta])* $Section(Of<<sections::$field::$Section as Section>::Options>),)*
        }
    };
}
each_section!(commands);

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

    /// Print all of it, not only the first screen
    #[arg(long)]
    pub full: bool,

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

/// Options of a watch.
#[derive(Args, Clone, Debug)]
pub struct WatchOptions {
    /// How long to watch [default: until Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = watch_time, allow_hyphen_values = true)]
    pub length: Option<Duration>,

    /// Time between looks; longer where looks would take more than a thousandth of a CPU. A step of the wall clock is seen
    /// at once, where the system tells of it
    #[arg(long, value_name = "TIME", value_parser = watch_every, allow_hyphen_values = true, default_value = "1s")]
    pub every: Duration,

    /// Append every event to FILE, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// What to print on standard output; json is a line per event
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
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

/// Options of the release of threads.
#[derive(Args, Clone, Debug)]
pub struct ThreadReleaseOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Number of threads released together, 1 to 4096 [default: 100]
    #[arg(long, value_name = "N", value_parser = released_threads, allow_hyphen_values = true)]
    pub threads: Option<u32>,
}

/// Options of causal clocks on many threads.
#[derive(Args, Clone, Debug)]
pub struct ContentionOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Thread counts; 1 is always included [default: powers of two up to the number of CPUs]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub threads: Option<ThreadList>,
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

/// What to advise on.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("question").required(true).args(["interval", "symptom", "list"]))]
pub struct AdviseOptions {
    /// Answer from this document, which --output or --format json wrote, instead of measuring
    #[arg(value_name = "DOCUMENT")]
    pub document: Option<PathBuf>,

    /// How to measure an interval of about this length, e.g. 50ns
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true)]
    pub interval: Option<Duration>,

    /// The largest error accepted, in percent of the interval
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = error_pct,
        default_value = "1%",
        allow_hyphen_values = true,
        conflicts_with_all = ["symptom", "list"]
    )]
    pub error: f64,

    /// Threads that measure at once
    #[arg(
        long,
        value_name = "N",
        value_parser = threads,
        default_value_t = 1,
        allow_hyphen_values = true,
        conflicts_with_all = ["symptom", "list"]
    )]
    pub threads: u32,

    /// Only this clock, as named by `chronoscope clocks` or, with --runtime, by `chronoscope runtimes`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["symptom", "list"])]
    pub clock: Option<String>,

    /// The clocks of this language runtime instead of native ones, e.g. java
    #[arg(long, value_name = "KIND", value_parser = RuntimeKind::named, conflicts_with_all = ["symptom", "list"])]
    pub runtime: Option<RuntimeKind>,

    /// Time from the start of one repetition to that of the next, to tell whether averaging works
    #[arg(long, value_name = "TIME", value_parser = interval, allow_hyphen_values = true, conflicts_with_all = ["symptom", "list"])]
    pub every: Option<Duration>,

    /// What is wrong, e.g. a message of the kernel or "timestamps go backwards"; without TEXT, the list of symptoms
    #[arg(long, value_name = "TEXT", num_args = 0..=1)]
    pub symptom: Option<Option<String>>,

    /// Print the list of symptoms, with what measures each and the findings that answer
    #[arg(long)]
    pub list: bool,

    #[command(flatten)]
    pub run: RunOptions,
}

fn interval(text: &str) -> Result<Duration, String> {
    const ACCEPTED: &str = "1 ns to 24 h";
    let interval = time(text, ACCEPTED)?;
    let fits = (Duration::from_nanos(1)..=Duration::from_secs(86_400)).contains(&interval);
    if fits { Ok(interval) } else { Err(format!("out of range; choose {ACCEPTED}")) }
}

fn error_pct(text: &str) -> Result<f64, String> {
    const ACCEPTED: &str = "0.001% to 50%";
    let error = percentage(text, ACCEPTED)?;
    if (0.001..=50.0).contains(&error) { Ok(error) } else { Err(format!("out of range; choose {ACCEPTED}")) }
}

fn threads(text: &str) -> Result<u32, String> {
    let accepted = format!("1 to {MOST_THREADS}");
    let threads = whole_number(text, &accepted)?;
    if (1..=MOST_THREADS).contains(&threads) { Ok(threads) } else { Err(format!("out of range; choose {accepted}")) }
}

#[derive(Args, Clone, Debug)]
pub struct FindingsOptions {
    /// Explain only these [default: list all]
    #[arg(value_name = "ID")]
    pub ids: Vec<FindingKind>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

#[derive(Args, Clone, Debug)]
pub struct ShowOptions {
    /// A document that --output or --format json wrote
    pub file: PathBuf,

    /// What to show of a check [default: what the run printed]
    #[arg(long, value_name = "VIEW", value_parser = PossibleValuesParser::new(View::names()).map(|name| View::named(&name)))]
    pub view: Option<View>,

    /// For a check: all of it. For a study, scaling or an experiment: every backoff and every chart. For a comparison: every
    /// figure
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

fn watch_time(text: &str) -> Result<Duration, String> {
    time(text, "100 ms to 365 days")
}

fn watch_every(text: &str) -> Result<Duration, String> {
    time(text, "10 ms to 1 h")
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
