//! Benchmarks for `cargo bench`: a benchmark program with flags, exit codes, progress, Ctrl-C handling, and atomically
//! written files.
//!
//! [`main`] wraps a program's studies in all of this; the `chronoscope` command is built from the same parts.
#![forbid(unsafe_code)]

mod arguments;
mod bar;
mod cargo_arguments;
mod fail_on;
mod failure;
mod foreign_arguments;
mod format;
mod interrupt;
mod jobs;
mod message;
mod number_lists;
mod output_file;
mod page;
mod page_width;
mod print;
mod print_format;
mod program;
mod progress;
mod revision;
mod selection;
mod task;
mod trial;
mod values;

pub use bar::Bar;
pub use failure::{Failure, each_tried};
pub use format::Format;
pub use interrupt::Interrupt;
pub use message::{refuse, tell};
pub use number_lists::{CpuList, ThreadList, TokenList};
pub use output_file::{OutputFile, keep_apart};
pub use page_width::page_width;
pub use print::{print, print_to_reader};
pub use program::main;
pub use progress::StudyProgress;
pub use values::{percentage, percentage_to, time, whole_number};

pub use chronoscope_harness::{Bencher, CountingAllocator, Group, Mode, Parameters, Study, black_box, consume_cpu};

#[cfg(doctest)]
mod compiled_documents {
    #[doc = include_str!("../README.md")]
    mod package {}
}
