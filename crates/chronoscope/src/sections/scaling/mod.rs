//! `chronoscope scaling`: what a read of each clock costs as a function of the work between reads and of the threads that
//! read, and from where on threads do not get in each other's way. Written against the public API of `chronoscope-harness`,
//! as a user would write it.
//!
//! Data moves one way: [`clock`] names what can be read, [`grid`] says in which passes, [`program`] runs them, [`merge`]
//! makes one record of them, [`front`] concludes from the record alone, [`rules`] say what that means, and [`mod@page`] draws it.

mod chart;
mod clock;
pub mod command;
mod front;
mod grid;
mod merge;
mod page;
mod program;
mod report;
pub mod rules;

pub use front::conclude;
pub use page::page;
pub use program::Program;
pub use report::Conclusion;
