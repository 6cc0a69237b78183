//! The clock library inside emulated machines: every reading is taken between two readings of `CLOCK_MONOTONIC` and must
//! lie between them, whatever happens to the machine meanwhile.
//!
//! The program `guest` runs inside a machine and prints one line of JSON per row; the program `verdict` runs outside and
//! judges those lines. `lab/run` puts the two together.

pub mod bracket;
pub mod check;
pub mod checks;
pub mod clocksource;
pub mod crew;
pub mod helper;
pub mod line;
pub mod plant;
pub mod random;
pub mod reader;
pub mod row;
pub mod said;
pub mod size;
pub mod sys;
pub mod tally;
pub mod verdict;
