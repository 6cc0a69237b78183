//! Flags of other harnesses, so that one command line serves a workspace that has several.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::Failure;

/// Without a value.
const FLAGS: [&str; 10] = [
    "nocapture",
    "show-output",
    "include-ignored",
    "ensure-time",
    "shuffle",
    "exclude-should-panic",
    "force-run-in-process",
    "fail-fast",
    "noplot",
    "discard-baseline",
];
/// With a value, and what it is.
const VALUES: [(&str, &str); 2] = [("test-threads", "N"), ("shuffle-seed", "SEED")];
/// With a value or none.
const REPORT_TIME: &str = "report-time";
/// With a name or none, and what to use instead.
const BASELINES: [(&str, &str); 4] =
    [("save-baseline", SAVES), ("baseline", SAVES), ("baseline-lenient", SAVES), ("load-baseline", SHOWS)];
/// For libtest: what it calls JSON are its own events.
const UNSTABLE: &str = "unstable";

/// Flags of libtest and criterion. Those without meaning here are accepted and ignored; baselines are refused, with what to use
/// instead.
#[derive(Clone, Debug, Default)]
pub(super) struct ForeignArguments {
    is_for_libtest: bool,
    refusal: Option<String>,
}

// By hand: what is derived for so many is a twentieth of this crate's code.
impl Args for ForeignArguments {
    fn augment_args(command: Command) -> Command {
        let hidden = |name: &'static str| Arg::new(name).long(name).hide(true);
        let flag = |name| hidden(name).action(ArgAction::SetTrue);
        let baseline = |(name, _)| hidden(name).value_name("NAME").num_args(0..=1);
        command
            .args(FLAGS.map(flag))
            .mut_arg("nocapture", |nocapture| nocapture.alias("no-capture"))
            .args(VALUES.map(|(name, value)| hidden(name).value_name(value)))
            .arg(hidden(REPORT_TIME).value_name("FORMAT").num_args(0..=1).require_equals(true))
            .arg(Arg::new(UNSTABLE).short('Z').value_name("FLAG").action(ArgAction::Append).hide(true))
            .args(BASELINES.map(baseline))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ForeignArguments {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, clap::Error> {
        let refused = |(name, instead): &(&'static str, &str)| {
            let value = given.contains_id(name).then(|| given.get_one::<String>(name))?;
            let asked = value.map_or_else(|| format!("--{name}"), |value| format!("--{name} {value}"));
            Some(format!("{asked}: there are no named baselines; {COMPARES}; {instead}"))
        };
        Ok(Self { is_for_libtest: given.contains_id(UNSTABLE), refusal: BASELINES.iter().find_map(refused) })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
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
        self.is_for_libtest
    }

    /// Refuses criterion's baselines.
    ///
    /// # Errors
    /// With exit code 2, if there is one.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.refusal.clone().map_or(Ok(()), |refusal| Err(Failure::usage(refusal)))
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
