use chronoscope_bench::ThreadList;
use chronoscope_examples::Experiment;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::runtime::InRuntime;
use crate::plan::released_threads;
use crate::run_options::RunOptions;

/// Options of the experiments.
#[derive(Args, Clone, Debug)]
pub struct ExperimentOptions {
    /// Which experiment
    #[arg(value_name = "NAME", value_parser = experiment())]
    pub name: Experiment,

    #[command(flatten)]
    pub run: RunOptions,

    /// Measure in this language runtime instead of natively: java, or java=PROGRAM; only backoff and timers
    #[arg(long, value_name = "KIND")]
    pub runtime: Option<InRuntime>,
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
