//! What the benchmarks of this workspace have in common. A benchmark is a list of [`section`]s, each of which puts what it
//! measured into tables of [`value`]s; the [`program`] prints them and holds them against the [`goal`]s, which are data.

pub mod cpus;
pub mod goal;
pub mod process;
pub mod program;
pub mod section;
pub mod study;
pub mod value;

pub use chronoscope_bench::Failure;
pub use program::{Bench, Run};
pub use section::{Section, Table};
pub use value::{Count, Value};
