//! What the benchmarks of this workspace have in common: goals and verdicts, tables, rounds and spreads, reasons for what
//! could not be measured, CPUs and processes, and the machine that the numbers belong to.

pub mod cpus;
pub mod failure;
pub mod goal;
pub mod machine;
pub mod print;
pub mod process;
pub mod report;
pub mod rounds;
pub mod spread;
pub mod table;
pub mod timing;
pub mod workers;
