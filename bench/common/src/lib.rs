//! What the benchmarks of this workspace have in common: goals and verdicts, tables and spreads, studies of the
//! harness, reasons for what could not be measured, CPUs and processes, and the machine that the numbers belong to.

pub mod cpus;
pub mod failure;
pub mod goal;
pub mod machine;
pub mod print;
pub mod process;
pub mod report;
pub mod spread;
pub mod study;
pub mod table;
