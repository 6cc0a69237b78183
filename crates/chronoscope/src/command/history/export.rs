use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use chronoscope_bench::Failure;
use chronoscope_harness::record::Estimate;

use super::opened::{latest, nothing, refused, to_read};
use super::options::{ExportFormat, ExportOptions};
use crate::answers::compare::figure::FigureKind;
use crate::history::{History, Run, Scope, Series};

/// Prints the figures of kept runs, series by series.
pub fn run(options: &ExportOptions) -> Result<ExitCode, Failure> {
    let mut history = to_read()?;
    let series = history.series().map_err(refused)?;
    if series.is_empty() {
        return Err(Failure::usage(nothing(&history, None)));
    }
    // A name that no run has is a mistake.
    options.machine.as_deref().map_or(Ok(()), |machine| latest(&mut history, Some(machine)).map(drop))?;
    let scope = Scope { machine: options.machine.clone(), most: None };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match options.format {
        ExportFormat::Csv => csv(&mut out, &mut history, &series, &scope),
        ExportFormat::Openmetrics => openmetrics(&mut out, &mut history, &series, &scope),
    };
    match written.and_then(|()| out.flush().map_err(Stopped::Output)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Stopped::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(Stopped::Output(error)) => Err(Failure::run(format!("could not write to standard output: {error}"))),
        Err(Stopped::History(failure)) => Err(failure),
    }
}

/// Why an export ended early.
enum Stopped {
    Output(std::io::Error),
    History(Failure),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<csv::Error> for Stopped {
    fn from(error: csv::Error) -> Self {
        // The kind of an error of the output is kept: a reader that has seen enough is no failure.
        Self::Output(match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            other => std::io::Error::other(format!("{other:?}")),
        })
    }
}

fn runs(history: &mut History, series: &Series, scope: &Scope) -> Result<Vec<Run>, Stopped> {
    history.of_series(series.id, scope).map_err(|error| Stopped::History(refused(error)))
}

const COLUMNS: [&str; 14] = [
    "run",
    "started_at",
    "command",
    "machine",
    "cpu",
    "kernel",
    "clocksource",
    "tool",
    "figure",
    "subject",
    "value",
    "low",
    "high",
    "confidence",
];

fn csv(out: &mut impl Write, history: &mut History, series: &[Series], scope: &Scope) -> Result<(), Stopped> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(COLUMNS)?;
    for series in series {
        for run in runs(history, series, scope)? {
            let Some(Estimate { estimate, low, high, confidence }) = run.latency_ns else { continue };
            let numbers = [estimate, low, high, confidence].map(|number| number.to_string());
            let id = run.id.to_string();
            let figure = format!("{}_ns", series.kind.name());
            let words =
                [&id, &run.started_at, &run.command, &run.machine, &run.cpu, &run.kernel, &run.clocksource, &run.tool];
            table.write_record(words.into_iter().chain([&figure, &series.subject]).chain(&numbers))?;
        }
    }
    table.flush()?;
    Ok(())
}

/// OpenMetrics 1.0: a family per kind of figure, one sample per run with the time of that run, the earliest first.
fn openmetrics(out: &mut impl Write, history: &mut History, series: &[Series], scope: &Scope) -> Result<(), Stopped> {
    for kind in FigureKind::ALL {
        let of_kind: Vec<&Series> = series.iter().filter(|series| series.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        let name = format!("chronoscope_{}_seconds", kind.name());
        writeln!(
            out,
            "# TYPE {name} gauge\n# UNIT {name} seconds\n# HELP {name} {} of each run.",
            kind.name().replace('_', " ")
        )?;
        for series in of_kind {
            let mut runs = runs(history, series, scope)?;
            // Samples of one machine may not be interleaved with those of another, and each has one time.
            runs.sort_by(|a, b| (&a.machine, &a.command, a.started_s).cmp(&(&b.machine, &b.command, b.started_s)));
            runs.dedup_by(|b, a| (&a.machine, &a.command, a.started_s) == (&b.machine, &b.command, b.started_s));
            for run in runs {
                let Some(value) = run.latency_ns else { continue };
                let (subject, machine, command) = (label(&series.subject), label(&run.machine), label(&run.command));
                writeln!(
                    out,
                    "{name}{{machine=\"{machine}\",command=\"{command}\",subject=\"{subject}\"}} {:e} {}",
                    value.estimate * 1e-9,
                    run.started_s
                )?;
            }
        }
    }
    writeln!(out, "# EOF")?;
    Ok(())
}

/// The value of a label: backslash, quote and line feed escaped; other control characters, which no reader expects, replaced.
fn label(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    text.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        assert_eq!(label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
        assert_eq!(label("a\x1b[31m\r"), "a\u{fffd}[31m\u{fffd}");
    }
}
