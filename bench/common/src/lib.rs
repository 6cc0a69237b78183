//! What the benchmarks of this workspace have in common: goals and verdicts, tables, spreads, reasons for what could not
//! be measured, the processes beside a benchmark, and the machine that the numbers belong to.

pub mod failure;
pub mod goal;
pub mod machine;
pub mod print;
pub mod process;
pub mod report;
pub mod spread;
pub mod table;
