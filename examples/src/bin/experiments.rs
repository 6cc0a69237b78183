//! All experiments in one program: their studies, with the usual benchmark arguments: `--bench` measures them all,
//! and without it every case runs once. `chronoscope experiment` shows their conclusions.

use chronoscope_examples::Experiment;

fn main() {
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX));
    chronoscope_bench::main(Experiment::ALL.iter().map(|experiment| experiment.study(cpus, &[])));
}
