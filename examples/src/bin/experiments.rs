//! All experiments as one program: their studies, with the arguments of any benchmark. What they conclude,
//! `chronoscope experiment` shows.

use chronoscope_examples::Experiment;

fn main() {
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX));
    chronoscope_bench::main(Experiment::ALL.iter().map(|experiment| experiment.study(cpus)));
}
