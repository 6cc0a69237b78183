use std::path::Path;
use std::process::ExitCode;

use chronoscope_bench::{Failure, Format, print};
use serde::Serialize;
use serde_json::json;

use super::opened::refused;
use super::options::ImportOptions;
use crate::command::saved::saved;
use crate::document::Record;
use crate::history::{History, HistoryError, Run, Saved, file};

/// Keeps saved documents, each as soon as it is read; says so once it is on the disk. Files that are no documents are named, and do
/// not keep others out.
pub fn run(options: &ImportOptions) -> Result<ExitCode, Failure> {
    let mut history = History::to_write(file().map_err(Failure::usage)?).map_err(refused)?;
    let (mut kept, mut wrong) = (Vec::new(), Vec::new());
    for file in &options.files {
        let name = file.to_string_lossy().into_owned();
        match read(file) {
            Err(why) => wrong.push(Wrong { file: name, why }),
            Ok(record) => {
                let saved = history.save(&record).map_err(|error| stopped(&name, &error, kept.len()))?;
                let of_file = Imported::new(name, saved);
                if options.format == Format::Human {
                    print(&of_file.said())?;
                }
                kept.push(of_file);
            }
        }
    }
    if options.format == Format::Json {
        let history = history.file().to_string_lossy();
        print(&format!("{:#}\n", json!({ "file": history, "runs": kept, "refused": wrong })))?;
    }
    match &wrong[..] {
        [] => Ok(ExitCode::SUCCESS),
        wrong => Err(Failure::usage(wrong.iter().map(Wrong::said).collect::<Vec<_>>().join("\n"))),
    }
}

/// A document that the history holds.
#[derive(Serialize)]
struct Imported {
    id: i64,
    file: String,
    /// Whether it was there before.
    already: bool,
}

impl Imported {
    fn new(file: String, saved: Saved) -> Self {
        let (id, already) = match saved {
            Saved::As(id) => (id, false),
            Saved::Already(id) => (id, true),
        };
        Self { id, file, already }
    }

    fn said(&self) -> String {
        let Self { id, file, already } = self;
        format!("run {id}{}: {file}\n", if *already { " already" } else { "" })
    }
}

/// A file that is no document.
#[derive(Serialize)]
struct Wrong {
    file: String,
    why: String,
}

impl Wrong {
    fn said(&self) -> String {
        format!("{} cannot be kept: {}", self.file, self.why)
    }
}

/// What stops the history stops the import.
fn stopped(file: &str, error: &HistoryError, kept: usize) -> Failure {
    let before = if kept == 0 { String::new() } else { format!("; {kept} before it are kept") };
    Failure::usage(format!("{file} cannot be kept: {error}{before}"))
}

fn read(file: &Path) -> Result<Record, String> {
    let record = saved(file)?;
    if record.content.comparison.is_some() {
        return Err("it is a comparison, and no run".to_owned());
    }
    Run::of(&record).map(|_| record)
}
