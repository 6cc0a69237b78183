use std::path::PathBuf;

use clap::Args;

use crate::answers::gate::requirement::Requirement;
use crate::answers::gate::rule::{ClockLimit, FindingKind, Rule, Share, TimeLimit};
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

    /// A read of this clock costs at most this, e.g. monotonic=40ns; may be repeated
    #[arg(long, value_name = "CLOCK=TIME")]
    pub max_latency: Vec<ClockLimit>,

    /// This clock moves in steps of at most this, e.g. monotonic=1us; may be repeated
    #[arg(long, value_name = "CLOCK=TIME")]
    pub max_granularity: Vec<ClockLimit>,

    /// The clocks of two CPUs differ by at most this
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_skew: Option<TimeLimit>,

    /// The wall clock is known to be off by at most this
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_ntp_error: Option<TimeLimit>,

    /// At most this share of time is lost in gaps over 10 µs, e.g. 1%
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub max_lost: Option<Share>,

    /// Properties: vdso, causal, monotonic, invariant_tsc, ntp, clocksource=NAME
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub require: Vec<Requirement>,

    /// Findings that there must not be, by id: see `chronoscope findings`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub forbid: Vec<FindingKind>,

    /// Also write the judgement as JUnit XML to FILE, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    #[command(flatten)]
    pub run: RunOptions,
}

impl GateOptions {
    /// The rules among the options, in the order of a file.
    pub fn rules(&self) -> Vec<Rule> {
        let latency = self.max_latency.iter().cloned().map(Rule::MaxLatency);
        let granularity = self.max_granularity.iter().cloned().map(Rule::MaxGranularity);
        let skew = self.max_skew.map(Rule::MaxSkew);
        let ntp_error = self.max_ntp_error.map(Rule::MaxNtpError);
        let lost = self.max_lost.map(Rule::MaxLost);
        let require = self.require.iter().cloned().map(Rule::Require);
        let strict = self.run.strict.then_some(Rule::Strict);
        let forbid = self.forbid.iter().copied().map(Rule::Forbid);
        latency
            .chain(granularity)
            .chain(skew)
            .chain(ntp_error)
            .chain(lost)
            .chain(require)
            .chain(forbid)
            .chain(strict)
            .collect()
    }
}
