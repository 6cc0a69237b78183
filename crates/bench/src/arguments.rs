use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, CommandFactory, FromArgMatches, Parser};

use super::cargo_arguments::CargoArguments;
use super::fail_on::FailOn;
use super::{CpuList, Format, ThreadList, TokenList, percentage, time, whole_number};
use chronoscope_harness::{CaseFilter, StudyOptions};

/// Budget multipliers for a quick and a thorough run.
const DEPTHS: (f64, f64) = (0.2, 4.0);

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a case failed, the run was interrupted, output could not be written, \
    something is slower than what it is compared with, beyond the margin (see --fail-on), or --strict was given and there \
    is a warning or an error; 2 the arguments are invalid, or another build cannot be compared with.\n\n\
    Environment: COLUMNS sets the width of the page; the default is the terminal's, or 118 columns if the output \
    is not a terminal. NO_COLOR turns colour off.";

/// The command line of a program of studies.
#[derive(Clone, Debug, Parser)]
#[command(
    about = "Measure the cost of operations over backoff and threads, and compare them directly",
    max_term_width = 100,
    after_long_help = EXIT_CODES,
    group(ArgGroup::new("baseline").args(["against", "against_rev"]))
)]
pub(super) struct Arguments {
    /// Measure only cases whose name contains TEXT; repeatable. With several studies: STUDY or STUDY/CASE
    #[arg(value_name = "TEXT")]
    pub(super) text: Vec<String>,

    /// Same as TEXT
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Vec<String>,

    /// List what would be measured, one combination per line, without measuring
    #[arg(long)]
    pub(super) list: bool,

    /// Check that every case runs, once per thread count and parameter; measure nothing
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

    /// What to print to standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: Format,

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
    #[arg(long, value_enum, value_name = "WHAT", requires = "baseline")]
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

    /// Ignored; cargo bench passes it
    #[arg(long, hide = true)]
    bench: bool,
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
        let matches = definition.get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
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

    /// Substrings, one of which a case's name must contain; none for all cases.
    pub(super) fn filters(&self) -> impl Iterator<Item = &str> {
        self.text.iter().chain(&self.filter).map(String::as_str)
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
        assert_eq!(found.filters().collect::<Vec<_>>(), ["relaxed", "seq"]);
        let options = found.options(1);
        assert_eq!((options.backoff, options.depth), (Some(vec![0, 1, 2]), DEPTHS.0));
    }

    #[test]
    fn contradictions_are_refused() {
        let wrong: [&[&str]; 12] = [
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
