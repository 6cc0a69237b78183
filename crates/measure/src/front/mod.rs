//! What a program that measures needs around it: flags, exit codes, progress, Ctrl-C, files that appear whole or not at all.
//!
//! [`Study::main`](crate::Study::main) and [`main`] put it around a program's studies; the `chronoscope` command is built
//! from the same parts. This is the only module of the crate that prints.

mod arguments;
mod bar;
mod failure;
mod format;
mod interrupt;
mod main;
mod number_lists;
mod output_file;
mod page_width;
mod print;
mod progress;
mod saved;
mod session;
mod trial;
mod values;

pub use bar::Bar;
pub use failure::Failure;
pub use format::Format;
pub use interrupt::Interrupt;
pub use main::main;
pub use number_lists::{CpuList, ThreadList, TokenList};
pub use output_file::OutputFile;
pub use page_width::page_width;
pub use print::print;
pub use progress::StudyProgress;
pub use values::{time, whole_number};
