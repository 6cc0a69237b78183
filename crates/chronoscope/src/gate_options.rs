use std::path::PathBuf;

use clap::Args;

use crate::answers::gate::forbidden::strict;
use crate::answers::gate::options::RuleOptions;
use crate::answers::gate::rule::Rule;
use crate::run_options::RunOptions;

/// Options of a gate.
#[derive(Args, Clone, Debug, Default)]
pub struct GateOptions {
    /// A TOML file of rules, named as the options below
    #[arg(value_name = "RULES.toml")]
    pub rules: Option<PathBuf>,

    /// Judge this saved document instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quick", "thorough", "duration", "cpus"])]
    pub document: Option<PathBuf>,

    #[command(flatten)]
    pub given: RuleOptions,

    /// Also write the judgement as JUnit XML to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    #[command(flatten)]
    pub run: RunOptions,
}

impl GateOptions {
    /// The rules among the options, in the order of a file.
    pub fn rules(&self) -> Vec<Rule> {
        let strict = self.run.strict.then(strict);
        self.given.0.iter().cloned().chain(strict).collect()
    }
}
