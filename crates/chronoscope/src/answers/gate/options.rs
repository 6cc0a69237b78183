//! What a gate can be asked: each option once, for the command line and for files.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::rule::Rule;
use super::{forbidden, limits, requirements, resolve};
use crate::figures::limit::Takes;
use crate::figures::table;

/// The rule with a value, or what is wrong with that and what is accepted.
type Parse = Box<dyn Fn(&str) -> Result<Rule, String> + Send + Sync>;

/// An option, which is a key in a file.
pub struct RuleOption {
    pub name: &'static str,
    help: &'static str,
    pub takes: Takes,
    pub rule: Parse,
}

/// Every option, in the order in which rules are judged.
pub static OPTIONS: LazyLock<Vec<RuleOption>> = LazyLock::new(|| {
    let limits = table::limits().map(|limit| RuleOption {
        name: limit.option,
        help: limit.help,
        takes: limit.takes,
        rule: Box::new(move |value| limits::rule(limit, value)),
    });
    let list = |name, help, rule: fn(&str) -> _| RuleOption { name, help, takes: Takes::List, rule: Box::new(rule) };
    let require = "Properties: vdso, causal, monotonic, invariant_tsc, ntp, clocksource=NAME";
    let forbid = "Findings that there must not be, by id: see `chronoscope findings`";
    let resolve = RuleOption {
        name: resolve::OPTION,
        help: "Smallest difference that benchmarks here must be able to tell, e.g. 2%: compares identical operations for 20 s",
        takes: Takes::Share,
        rule: Box::new(resolve::rule),
    };
    let lists = [list("require", require, requirements::rule), list("forbid", forbid, forbidden::rule)];
    limits.chain(lists).chain([resolve]).collect()
});

impl RuleOption {
    fn argument(&'static self) -> Arg {
        let argument = Arg::new(self.name).long(self.name).help(self.help);
        let argument = argument.value_parser(move |value: &str| (self.rule)(value));
        match self.takes {
            Takes::TimeOfClock => argument.value_name("CLOCK=TIME").action(ArgAction::Append),
            Takes::Time => argument.value_name("TIME").allow_hyphen_values(true),
            Takes::Share => argument.value_name("SHARE").allow_hyphen_values(true),
            Takes::List => argument.value_name("LIST").action(ArgAction::Append).value_delimiter(','),
        }
    }
}

/// The rules among the arguments, in the order of [`OPTIONS`].
#[derive(Clone, Debug, Default)]
pub struct RuleOptions(pub Vec<Rule>);

impl Args for RuleOptions {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.iter().map(RuleOption::argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RuleOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = OPTIONS.iter().filter_map(|option| matches.get_many::<Rule>(option.name));
        Ok(Self(given.flatten().cloned().collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
