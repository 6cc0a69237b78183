use std::path::Path;
use std::process::ExitCode;

use chronoscope_bench::{Failure, print};

use super::opened::refused;
use super::options::ImportOptions;
use crate::command::saved::saved;
use crate::document::Record;
use crate::history::{History, Saved, file};

/// Keeps saved documents, each as soon as it is read; says so once it is on the disk.
pub fn run(options: &ImportOptions) -> Result<ExitCode, Failure> {
    let mut history = History::to_write(file().map_err(Failure::usage)?).map_err(refused)?;
    for file in &options.files {
        let cannot = |why: String| Failure::usage(format!("{} cannot be kept: {why}", file.display()));
        let record = read(file).map_err(cannot)?;
        let said = match history.save(&record).map_err(|error| cannot(error.to_string()))? {
            Saved::As(id) => format!("run {id}: {}\n", file.display()),
            Saved::Already(id) => format!("run {id} already: {}\n", file.display()),
        };
        print(&said)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Record, String> {
    let record = saved(file)?;
    if record.comparison.is_some() {
        return Err("it is a comparison, and no run".to_owned());
    }
    Ok(record)
}
