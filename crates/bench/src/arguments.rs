use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, ColorChoice, CommandFactory, FromArgMatches, Parser};

use super::cargo_arguments::CargoArguments;
use super::fail_on::FailOn;
use super::foreign_arguments::ForeignArguments;
use super::print_format::PrintFormat;
use super::selection::Selection;
use super::task::Task;
use super::{CpuList, Format, ThreadList, TokenList, percentage, refuse, time, whole_number};
use chronoscope_harness::{CaseFilter, StudyOptions};

/// Budget multipliers for a quick and a thorough run.
const DEPTHS: (f64, f64) = (0.2, 4.0);

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a case failed, the run was interrupted, output could not be written, \
    something is slower than what it is compared with, beyond the margin (see --fail-on), or --strict was given and there \
    is a warning or an error; 2 the arguments are invalid, or another build cannot be compared with.\n\n\
    Environment: COLUMNS sets the width of the page; the default is the terminal's, or 118 columns if the output \
    is not a terminal. NO_COLOR turns colour off.\n\n\
    Without --bench, which cargo bench passes, the program tests as with --test; so it does under cargo test and cargo \
    nextest. A flag that only a measurement has, such as --duration or --format json, measures all the same.\n\n\
    Accepted for cargo, libtest and criterion, without effect: --nocapture, --show-output, --test-threads, \
    --include-ignored, --report-time, --ensure-time, --shuffle, --shuffle-seed, --fail-fast, -Z, --noplot, \
    --discard-baseline.";

/// The command line of a program of studies.
#[derive(Clone, Debug, Parser)]
#[command(
    about = "Measure the cost of operations over backoff and threads, and compare them directly",
    max_term_width = 100,
    after_long_help = EXIT_CODES,
    args_override_self = true,
    group(ArgGroup::new("other_build").args(["against", "against_rev"]))
)]
pub(super) struct Arguments {
    /// Only the study or case of this path, STUDY or STUDY/CASE; if there is none, cases whose name contains TEXT. Repeatable
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,

    /// Same as TEXT
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Vec<String>,

    /// TEXT and NAME are whole names, STUDY/CASE, and select nothing else
    #[arg(long)]
    exact: bool,

    /// Leave out cases whose STUDY/CASE contains NAME, or is NAME with --exact; repeatable
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,

    /// Only ignored cases, as in libtest: there are none
    #[arg(long, hide = true, conflicts_with_all = ["output", "html", "other_build"])]
    pub(super) ignored: bool,

    /// List what would be measured, one combination per line, without measuring
    #[arg(long)]
    list: bool,

    /// Check that every case runs, once per thread count and parameter; measure nothing. The default without --bench
    #[arg(long, conflicts_with = "list")]
    pub(super) test: bool,

    /// Take a fifth of the time, with wider intervals
    #[arg(long, conflicts_with_all = ["thorough", "duration"])]
    pub(super) quick: bool,

    /// Take four times as long, with narrower intervals
    #[arg(long, conflicts_with = "duration")]
    pub(super) thorough: bool,

    /// Take about this long for all studies together, e.g. 8s or 1min
    #[arg(long, value_name = "TIME", value_parser = whole_time, allow_hyphen_values = true)]
    pub(super) duration: Option<Duration>,

    /// Measure in N processes; with fewer than 5, intervals are wide
    #[arg(long, value_name = "N", value_parser = processes, allow_hyphen_values = true)]
    pub(super) processes: Option<u32>,

    /// Thread counts instead of the study's own, e.g. 1,2,4 or 1-4
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) threads: Option<ThreadList>,

    /// Tokens of backoff instead of the study's own, e.g. 0-40 or 0,5,10
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) backoff: Option<TokenList>,

    /// Use only these CPUs, e.g. 0-3,6
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(super) cpus: Option<CpuList>,

    /// What to print to standard output [default: human]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<PrintFormat>,

    /// When to print in colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, alias = "colour")]
    color: ColorChoice,

    /// Also write the record to FILE as JSON; it appears whole or not at all
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Compare with BINARY, another build of this benchmark: its processes and this one's take turns
    #[arg(long, value_name = "BINARY", conflicts_with_all = ["list", "test", "against_rev"])]
    pub(super) against: Option<PathBuf>,

    /// Compare with git revision REV in the same way; it is built in a worktree in cargo's target folder
    #[arg(long, value_name = "REV", conflicts_with_all = ["list", "test"])]
    pub(super) against_rev: Option<String>,

    /// Build REV with these arguments of cargo, e.g. "--features simd"; without them it has its default features
    #[arg(long, value_name = "ARGS", requires = "against_rev", conflicts_with = "against", allow_hyphen_values = true)]
    pub(super) against_args: Option<CargoArguments>,

    /// Ignore differences within PCT percent, instead of the study's own margin
    #[arg(long, value_name = "PCT", value_parser = margin, allow_hyphen_values = true)]
    pub(super) margin: Option<f64>,

    /// Exit with 1 if what is compared is slower, or also if a comparison is inconclusive [default: regression]
    #[arg(long, value_enum, value_name = "WHAT", requires = "other_build")]
    pub(super) fail_on: Option<FailOn>,

    #[cfg_attr(feature = "html", doc = "Also write an HTML page to FILE")]
    #[cfg_attr(not(feature = "html"), doc = "Not in this build: pages need the feature `html` of chronoscope-bench")]
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,

    /// Print every detail of every combination
    #[arg(long, short)]
    pub(super) verbose: bool,

    /// Show no progress
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Exit with 1 on any warning or error
    #[arg(long)]
    pub(super) strict: bool,

    /// Measure, unless --test says otherwise; cargo bench passes it
    #[arg(long)]
    bench: bool,

    #[command(flatten)]
    pub(super) foreign: ForeignArguments,
}

fn whole_time(text: &str) -> Result<Duration, String> {
    time(text, "10 ms to 24 h")
}

fn processes(text: &str) -> Result<u32, String> {
    whole_number(text, "2 to 1000")
}

fn margin(text: &str) -> Result<f64, String> {
    percentage(text, "more than 0 to 100")
}

impl Arguments {
    /// The arguments of this process. Exits with code 2 if they are invalid, and with 0 if help was requested.
    pub(super) fn of_this_process(program: &str) -> Self {
        let definition = Self::command().name(program.to_owned()).bin_name(program.to_owned());
        let found = definition.try_get_matches().and_then(|matches| Self::from_arg_matches(&matches));
        found.unwrap_or_else(|error| std::process::exit(refuse(program, &error).into()))
    }

    /// Their effect on each of `studies` studies, except the filter.
    pub(super) fn options(&self, studies: usize) -> StudyOptions {
        StudyOptions {
            budget: self.duration.map(|duration| duration / studies.max(1) as u32),
            depth: match (self.quick, self.thorough) {
                (true, _) => DEPTHS.0,
                (_, true) => DEPTHS.1,
                _ => 1.0,
            },
            processes: self.processes,
            threads: self.threads.clone().map(|list| list.0),
            backoff: self.backoff.clone().map(|list| list.0),
            cpus: self.cpus.clone().map(|list| list.0),
            filter: CaseFilter::default(),
            seed: None,
            margin_pct: self.margin,
            against: None,
        }
    }

    /// Which cases are selected.
    pub(super) fn selection(&self) -> Selection<'_> {
        let texts = self.text.iter().chain(&self.filter).map(String::as_str).collect();
        Selection { texts, skipped: &self.skip, is_exact: self.exact }
    }

    /// What to do with them.
    pub(super) fn task(&self) -> Task {
        match (self.list, self.format) {
            (true, Some(PrintFormat::Terse)) => Task::ListTerse,
            (true, _) => Task::List,
            _ if self.test || !self.measures() => Task::Test,
            _ => Task::Measure,
        }
    }

    /// Whether cargo or the user asks for a measurement: by name, or by what only a measurement has.
    fn measures(&self) -> bool {
        let is_page = match self.format {
            Some(PrintFormat::Json) => !self.foreign.are_for_libtest(),
            format => format == Some(PrintFormat::Human),
        };
        let has_file = self.output.is_some() || self.html.is_some();
        let has_length = self.quick || self.thorough || self.duration.is_some() || self.processes.is_some();
        let compares = self.against.is_some() || self.against_rev.is_some() || self.margin.is_some();
        self.bench || is_page || has_file || has_length || compares || self.strict || self.verbose
    }

    /// Whether it may select nothing: of several programs that are started with one filter, each has some other cases. A list for
    /// people, a file, a document or a comparison of nothing is a mistake.
    pub(super) fn may_select_nothing(&self) -> bool {
        let has_file = self.output.is_some() || self.html.is_some();
        let compares = self.against.is_some() || self.against_rev.is_some() || self.fail_on.is_some();
        match self.task() {
            Task::List => false,
            Task::ListTerse | Task::Test => true,
            Task::Measure => !has_file && !compares && self.page_format() == Format::Human,
        }
    }

    /// The format of the page of what is measured.
    pub(super) fn page_format(&self) -> Format {
        self.format.map(PrintFormat::of_page).unwrap_or_default()
    }

    /// Makes everything that is printed coloured or plain, as asked for.
    pub(super) fn set_color(&self) {
        let choice = match self.color {
            ColorChoice::Auto => return,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["publish"].iter().chain(arguments))
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_cargo_bench_passes_is_accepted() {
        let found = parsed(&["relaxed", "--bench", "--filter", "seq", "--backoff", "0-2", "--quick"]).unwrap();
        assert_eq!(found.selection().texts, ["relaxed", "seq"]);
        let options = found.options(1);
        assert_eq!((options.backoff, options.depth), (Some(vec![0, 1, 2]), DEPTHS.0));
    }

    #[test]
    fn without_bench_it_tests_unless_a_measurement_is_meant() {
        for (arguments, task) in [
            (&[][..], Task::Test),
            (&["--bench"], Task::Measure),
            (&["--bench", "--bench"], Task::Measure),
            (&["--bench", "--test"], Task::Test),
            (&["--test", "--quick"], Task::Test),
            // As nextest and cargo test start it.
            (&["--exact", "gate/n", "--nocapture"], Task::Test),
            (&["gate", "--skip", "slow", "--test-threads=1", "--color", "always", "-q"], Task::Test),
            (&["-Zunstable-options", "--format=json", "--show-output"], Task::Test),
            (&["--format", "terse", "--threads", "2"], Task::Test),
            (&["--list"], Task::List),
            (&["--list", "--format", "pretty"], Task::List),
            (&["--list", "--format", "terse", "--ignored"], Task::ListTerse),
            (&["--exact", "gate/n", "--nocapture", "--bench"], Task::Measure),
            (&["--duration", "1s"], Task::Measure),
            (&["--quick"], Task::Measure),
            (&["--thorough"], Task::Measure),
            (&["--processes", "5"], Task::Measure),
            (&["--format", "json"], Task::Measure),
            (&["--format", "human"], Task::Measure),
            (&["--output", "file"], Task::Measure),
            (&["--html", "file"], Task::Measure),
            (&["--against", "file"], Task::Measure),
            (&["--against-rev", "HEAD"], Task::Measure),
            (&["--margin", "2"], Task::Measure),
            (&["--strict"], Task::Measure),
            (&["--verbose"], Task::Measure),
        ] {
            assert_eq!(parsed(arguments).unwrap().task(), task, "{arguments:?}");
        }
    }

    #[test]
    fn formats_of_pages() {
        let format = |arguments: &[&str]| parsed(arguments).unwrap().page_format();
        assert_eq!(format(&["--format", "json"]), Format::Json);
        for human in [&[][..], &["--format", "human"], &["--format", "pretty"], &["--format", "terse"]] {
            assert_eq!(format(human), Format::Human, "{human:?}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let wrong: [&[&str]; 15] = [
            &["--ignored", "--against", "old"],
            &["--ignored", "--output", "file"],
            &["--color", "sometimes"],
            &["--quick", "--thorough"],
            &["--duration", "soon"],
            &["--backoff", "3-1"],
            &["--threads", "two"],
            &["--list", "--test"],
            &["--list", "--against", "old"],
            &["--against", "old", "--against-rev", "HEAD"],
            &["--fail-on", "regression"],
            &["--against-args", "--features simd"],
            &["--against", "old", "--against-args", "--features simd"],
            &["--against-rev", "HEAD", "--against-args", "--features 'simd"],
            &["--frobnicate"],
        ];
        for wrong in wrong {
            let code = parsed(wrong).err().map(|error| error.exit_code());
            assert_eq!(code, Some(2), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_compared_with_and_when_that_fails() {
        let found = parsed(&["--against", "old", "--margin", "2.5%", "--fail-on", "unresolved"]).unwrap();
        assert_eq!(found.options(1).margin_pct, Some(2.5));
        assert_eq!(found.fail_on, Some(FailOn::Unresolved));
        let other = parsed(&["--against-rev", "HEAD~1", "--against-args", "--features simd"]).unwrap();
        assert_eq!(other.against_args.unwrap().words(), ["--features", "simd"]);
        assert!(parsed(&["--margin", "0"]).is_err());
    }

    #[test]
    fn a_value_below_zero_is_a_value_and_refused_as_one() {
        for (option, value, accepted) in [
            ("--duration", "-5us", "24 h"),
            ("--processes", "-3", "1000"),
            ("--threads", "-1", "1,2,4"),
            ("--backoff", "-5", "0-40"),
            ("--cpus", "-1", "0-3,6"),
            ("--margin", "-1", "100"),
        ] {
            let refused = parsed(&[option, value]).unwrap_err();
            let text = refused.to_string();
            assert_eq!(refused.exit_code(), 2);
            assert!(text.contains(option) && text.contains(value) && text.contains(accepted), "{text}");
            assert!(!text.contains("unexpected"), "{text}");
        }
    }

    #[test]
    fn time_is_shared_between_studies() {
        assert_eq!(parsed(&["--duration", "8s"]).unwrap().options(4).budget, Some(Duration::from_secs(2)));
    }
}
