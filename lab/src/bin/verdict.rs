//! Judges what machines left on their consoles: prints a table or JSON, and exits with 1 if anything failed.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use chronoscope_lab::check::Check;
use chronoscope_lab::verdict::{Machine, Verdict};
use serde_json::{Value, json};

const USAGE: &str =
    "usage: verdict [--format table|json] [--output FILE] (--machine NAME CLOCKSOURCE yes|no CHECK,… CONSOLE)…";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("verdict: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let mut words = std::env::args().skip(1);
    let mut verdicts = Vec::new();
    let (mut as_json, mut output) = (false, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--format" => {
                as_json = match value()?.as_str() {
                    "json" => true,
                    "table" => false,
                    other => return Err(format!("format {other} is neither table nor json")),
                }
            }
            "--output" => output = Some(value()?),
            "--machine" => {
                let (name, clocksource, counter) = (value()?, value()?, value()?);
                let checks = value()?
                    .split(',')
                    .map(|name| Check::from_name(name).ok_or_else(|| format!("there is no check {name}")))
                    .collect::<Result<_, _>>()?;
                let path = value()?;
                let console = fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
                let machine = Machine { name, clocksource, reads_counter: counter == "yes", checks };
                verdicts.push(Verdict::of(&machine, &String::from_utf8_lossy(&console)));
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    if verdicts.is_empty() {
        return Err(USAGE.to_owned());
    }
    let passed = verdicts.iter().all(Verdict::passed);
    let machines: Vec<Value> = verdicts.iter().map(Verdict::to_json).collect();
    let document = format!("{:#}\n", json!({ "passed": passed, "machines": machines }));
    if let Some(path) = output {
        fs::write(&path, &document).map_err(|error| format!("{path}: {error}"))?;
    }
    print!("{}", if as_json { document } else { table(&verdicts) });
    Ok(passed)
}

fn table(verdicts: &[Verdict]) -> String {
    let mut lines = vec![
        ["machine", "row", "read", "readings", "outside", "worst ns", "backward", "lag ns", "source", "verdict"]
            .map(str::to_owned),
    ];
    let mut faults = String::new();
    for verdict in verdicts {
        for fault in &verdict.faults {
            let _ = writeln!(faults, "FAIL {}: {fault}", verdict.machine);
        }
        for row in &verdict.rows {
            for fault in &row.faults {
                let _ = writeln!(faults, "FAIL {}, {}, {}: {fault}", verdict.machine, row.row, row.read.name());
            }
            let number = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
            let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
            lines.push([
                verdict.machine.clone(),
                row.row.clone(),
                row.read.name().to_owned(),
                count(row.tally.map(|tally| tally.readings)),
                count(row.tally.map(|tally| tally.outside)),
                count(row.tally.map(|tally| tally.worst_ns)),
                count(row.tally.map(|tally| tally.backward)),
                number(row.tally.filter(|tally| tally.narrow > 0).map(|tally| tally.worst_lag_ns)),
                row.printed["source"].as_str().unwrap_or("-").to_owned(),
                if row.faults.is_empty() { "ok" } else { "FAIL" }.to_owned(),
            ]);
        }
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<String> = line
            .iter()
            .enumerate()
            .map(|(column, cell)| match column {
                3..=7 => format!("{cell:>width$}", width = widths[column]),
                _ => format!("{cell:<width$}", width = widths[column]),
            })
            .collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text + &faults
}
