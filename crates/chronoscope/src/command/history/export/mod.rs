//! The figures of kept runs in formats for other programs, one file each.

mod csv;
mod openmetrics;

use std::process::ExitCode;

use chronoscope_bench::{Failure, print, print_to_reader};

use super::opened::{latest, nothing, refused, to_read};
use super::options::{ExportFormat, ExportOptions};
use crate::figures::figure::FigureKind;
use crate::history::{Run, Scope, Series};

/// The text of a series with its runs, the earliest first, and whether it is the first of its kind.
type OfSeries = fn(&Series, Vec<Run>, bool) -> String;

/// Prints the figures of kept runs, series by series.
pub fn run(options: &ExportOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let mut all = history.series().map_err(refused)?;
    if all.is_empty() {
        return Err(Failure::usage(nothing(&history, None)));
    }
    // A name that no run has is a mistake.
    options.machine.as_deref().map_or(Ok(()), |machine| latest(&mut history, Some(machine)).map(drop))?;
    let scope = Scope { machine: options.machine.clone(), most: None };
    let (head, of_series, end): (_, OfSeries, _) = match options.format {
        ExportFormat::Csv => (csv::HEAD, csv::of_series, ""),
        ExportFormat::Openmetrics => {
            all.sort_by_key(|series| FigureKind::all().position(|kind| kind == series.kind));
            ("", openmetrics::of_series, "# EOF\n")
        }
    };
    print(head)?;
    let mut kind = None;
    for series in all {
        let is_first = kind.replace(series.kind) != Some(series.kind);
        let runs = history.of_series(series.id, &scope).map_err(refused)?;
        // A reader that has seen enough is no failure.
        if !print_to_reader(&of_series(&series, runs, is_first))? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    print(end)?;
    Ok(ExitCode::SUCCESS)
}
