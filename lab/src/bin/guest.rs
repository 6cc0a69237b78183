//! Runs inside a machine: every check that it is told, one line of JSON per row.

use std::fs;
use std::process::ExitCode;

use chronoscope_lab::check::Check;
use chronoscope_lab::clocksource;
use chronoscope_lab::crew::cpus;
use chronoscope_lab::helper::{self, Role};
use chronoscope_lab::line;
use chronoscope_lab::plant::Plant;
use chronoscope_lab::size::Size;
use serde_json::json;

const USAGE: &str =
    "usage: guest --checks NAME,… [--size tiny|quick|full] [--clocksource NAME] [--plant NAME] [--guest]";

/// What the command line asks for.
struct Wish {
    checks: Vec<Check>,
    size: Size,
    clocksource: Option<String>,
    plant: Option<Plant>,
    in_guest: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--helper", name, number] => Role::from_words(name, number)
            .ok_or_else(|| format!("no helper {name} {number}"))
            .and_then(|role| helper::work(role).map_err(|error| error.to_string())),
        _ => wish(words).and_then(|wish| run(&wish)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("guest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn wish(words: Vec<String>) -> Result<Wish, String> {
    let mut wish = Wish { checks: Vec::new(), size: Size::Quick, clocksource: None, plant: None, in_guest: false };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--guest" {
            wish.in_guest = true;
            continue;
        }
        let value = words.next().ok_or(USAGE)?;
        let unknown = || format!("{word} {value} is unknown; {USAGE}");
        match word.as_str() {
            "--checks" => {
                for name in value.split(',') {
                    wish.checks.push(Check::from_name(name).ok_or_else(unknown)?);
                }
            }
            "--size" => wish.size = Size::from_name(&value).ok_or_else(unknown)?,
            "--clocksource" => wish.clocksource = Some(value),
            "--plant" => wish.plant = Some(Plant::from_name(&value).ok_or_else(unknown)?),
            _ => return Err(unknown()),
        }
    }
    // Whoever tries the program on a machine that others use must not find its clock slewed afterwards.
    let shakes = |check: &Check| matches!(check, Check::Slews | Check::Switch);
    if !wish.in_guest && (wish.clocksource.is_some() || wish.checks.iter().any(shakes)) {
        return Err(
            "slews, switch and --clocksource change the clock of the whole machine: only with --guest".to_owned()
        );
    }
    if wish.checks.is_empty() { Err(USAGE.to_owned()) } else { Ok(wish) }
}

fn run(wish: &Wish) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    if let Some(name) = &wish.clocksource {
        clocksource::settle(name).map_err(told)?;
    }
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").map_err(told)?;
    line::print(&json!({
        "begin": kernel.trim(),
        "clocksource": clocksource::current().map_err(told)?,
        "cpus": cpus(),
    }));
    let mut first = true;
    for check in &wish.checks {
        let printed = check.run(wish.size, wish.plant, &mut |row| {
            if !(first && wish.plant == Some(Plant::Silent)) {
                row.to_json().iter().for_each(line::print);
            }
            first = false;
        });
        printed.map_err(|error| format!("{}: {error}", check.name()))?;
        if wish.plant == Some(Plant::Crash) {
            return Err("crashed as planted".to_owned());
        }
    }
    line::print(&json!({ "end": true, "clocksource": clocksource::current().map_err(told)? }));
    Ok(())
}
