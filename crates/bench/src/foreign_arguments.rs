//! Flags of other harnesses, so that one command line serves a workspace that has several.

use clap::Args;

use super::Failure;

/// Flags of libtest and criterion. Those without meaning here are accepted and ignored; baselines are refused, with what to use
/// instead.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ForeignArguments {
    /// Cases print where they like
    #[arg(long, alias = "no-capture", hide = true)]
    nocapture: bool,

    #[arg(long, hide = true)]
    show_output: bool,

    /// A study has its own threads
    #[arg(long, value_name = "N", hide = true)]
    test_threads: Option<String>,

    #[arg(long, hide = true)]
    include_ignored: bool,

    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, hide = true)]
    report_time: Option<Option<String>>,

    #[arg(long, hide = true)]
    ensure_time: bool,

    /// The order of cases is drawn in any case
    #[arg(long, hide = true)]
    shuffle: bool,

    #[arg(long, value_name = "SEED", hide = true)]
    shuffle_seed: Option<String>,

    #[arg(long, hide = true)]
    exclude_should_panic: bool,

    #[arg(long, hide = true)]
    force_run_in_process: bool,

    #[arg(long, hide = true)]
    fail_fast: bool,

    /// For libtest: what it calls JSON are its own events
    #[arg(short = 'Z', value_name = "FLAG", hide = true)]
    unstable: Vec<String>,

    #[arg(long, hide = true)]
    noplot: bool,

    #[arg(long, hide = true)]
    discard_baseline: bool,

    #[arg(long, value_name = "NAME", num_args = 0..=1, hide = true)]
    save_baseline: Option<Option<String>>,

    #[arg(long, value_name = "NAME", num_args = 0..=1, hide = true)]
    baseline: Option<Option<String>>,

    #[arg(long, value_name = "NAME", num_args = 0..=1, hide = true)]
    baseline_lenient: Option<Option<String>>,

    #[arg(long, value_name = "NAME", num_args = 0..=1, hide = true)]
    load_baseline: Option<Option<String>>,
}

/// Two builds in one run tell more than two runs.
const COMPARES: &str =
    "compare within one run by --against-rev REV (a git revision) or --against BINARY (a build that you kept)";
const SAVES: &str = "--output FILE saves a run, and chronoscope compare OLD.json NEW.json compares two";
const SHOWS: &str = "chronoscope show FILE shows a run that --output FILE saved, and chronoscope compare OLD.json NEW.json \
    compares two";

impl ForeignArguments {
    /// Whether libtest was told what only its unstable flags allow.
    pub(super) fn are_for_libtest(&self) -> bool {
        !self.unstable.is_empty()
    }

    /// Refuses criterion's baselines.
    ///
    /// # Errors
    /// With exit code 2, if there is one.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let refusals = [
            ("--save-baseline", &self.save_baseline, SAVES),
            ("--baseline", &self.baseline, SAVES),
            ("--baseline-lenient", &self.baseline_lenient, SAVES),
            ("--load-baseline", &self.load_baseline, SHOWS),
        ];
        let given = |(flag, value, instead): (&str, &Option<Option<String>>, &'static str)| {
            let name = value.as_ref()?.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
            Some((format!("{flag}{name}"), instead))
        };
        match refusals.into_iter().find_map(given) {
            Some((asked, instead)) => {
                Err(Failure::usage(format!("{asked}: there are no named baselines; {COMPARES}; {instead}")))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    #[command(args_override_self = true)]
    struct Program {
        #[command(flatten)]
        foreign: ForeignArguments,
        text: Vec<String>,
    }

    fn parsed(arguments: &[&str]) -> Program {
        Program::try_parse_from(["program"].iter().chain(arguments)).unwrap()
    }

    #[test]
    fn what_libtest_and_criterion_take_is_accepted() {
        let found = parsed(&[
            "--nocapture",
            "--no-capture",
            "--nocapture",
            "--show-output",
            "--test-threads=1",
            "--test-threads",
            "4",
            "--include-ignored",
            "--report-time",
            "--ensure-time",
            "--shuffle",
            "--shuffle-seed",
            "7",
            "--exclude-should-panic",
            "--force-run-in-process",
            "--fail-fast",
            "-Zunstable-options",
            "--noplot",
            "--discard-baseline",
            "case",
        ]);
        assert_eq!(found.text, ["case"]);
        assert_eq!(found.foreign.check(), Ok(()));
        assert!(found.foreign.are_for_libtest() && !parsed(&["--nocapture"]).foreign.are_for_libtest());
    }

    #[test]
    fn baselines_are_refused_with_what_to_use_instead() {
        for (arguments, asked) in [
            (&["--save-baseline", "main"][..], "--save-baseline main: "),
            (&["--baseline=main"], "--baseline main: "),
            (&["--baseline"], "--baseline: "),
            (&["--baseline-lenient", "main"], "--baseline-lenient main: "),
            (&["--load-baseline", "new", "--baseline", "main"], "--baseline main: "),
            (&["--load-baseline", "new"], "--load-baseline new: "),
        ] {
            let refused = parsed(arguments).foreign.check().unwrap_err();
            let text = refused.to_string();
            assert_eq!(refused.code(), 2);
            assert!(text.starts_with(asked), "{arguments:?}: {text}");
            for instead in ["--against-rev REV", "--against BINARY", "--output", "chronoscope compare"] {
                assert!(text.contains(instead), "{text}");
            }
        }
    }
}
