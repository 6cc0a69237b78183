//! What macOS and Windows have in common: they lack what Linux tells of threads, and its log.

use std::fs::File;
use std::io::{Error, Result as IoResult};
use std::path::PathBuf;

pub(crate) fn involuntary_switches() -> Option<u64> {
    None
}

pub(crate) fn clock_ticks_per_second() -> Option<u64> {
    None
}

pub(crate) fn page_bytes() -> Option<u64> {
    None
}

/// The file of this program.
pub(crate) fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("cannot find the program's own file: {error}"))
}

pub(crate) fn open_log(_path: &str) -> IoResult<File> {
    Err(Error::other("only Linux has it"))
}
