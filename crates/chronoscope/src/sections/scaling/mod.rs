//! `chronoscope scaling`: the cost of reading each clock as a function of the work between reads and of the number of
//! threads, and where threads stop slowing each other down. Written against the public API of `chronoscope-harness`, as
//! a user would write it.
//!
//! Data moves one way: [`clock`] lists what can be read, [`choice`] takes what the user names, [`grid`] plans the passes,
//! [`program`] runs them, [`runtimes`] has the probes of language runtimes do the same, [`merge`] combines everything into
//! one record, [`front`] concludes from the record alone, [`rules`] turn that into findings, and [`mod@page`] draws it.

mod chart;
mod choice;
mod clock;
pub mod command;
mod front;
mod grid;
mod merge;
mod page;
mod program;
mod report;
pub mod rules;
mod runtimes;

pub use front::conclude;
pub use page::{browser_page, page};
pub use program::Program;
pub use report::Conclusion;
