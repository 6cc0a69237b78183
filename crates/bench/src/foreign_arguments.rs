//! Flags of other harnesses, so that one command line serves a workspace that has several.

use clap::Args;

/// Flags of libtest and criterion. They are accepted, and mean nothing here.
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
}

impl ForeignArguments {
    /// Whether libtest was told what only its unstable flags allow.
    pub(super) fn are_for_libtest(&self) -> bool {
        !self.unstable.is_empty()
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
        assert!(found.foreign.are_for_libtest() && !parsed(&["--nocapture"]).foreign.are_for_libtest());
    }
}
