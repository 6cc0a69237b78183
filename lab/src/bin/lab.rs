//! Boots every scenario's machine, and judges what it tells.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use chronoscope_lab::campaign::Campaign;
use chronoscope_lab::images::{self, NotBuilt, build_all};
use chronoscope_lab::machine::Image;
use chronoscope_lab::run::{Place, Run, run};
use chronoscope_lab::scenario::Scenario;
use chronoscope_lab::schedule::side_by_side;
use chronoscope_lab::self_test;
use chronoscope_lab::size::Size;
use chronoscope_lab::table;
use chronoscope_lab::verdict::Verdict;
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

/// Boot emulated machines with every clocksource and every fault, run chronoscope in them, and judge what it says
///
/// Exit code 0: all expectations were met; 1: one was not; 2: wrong arguments; 77: nothing could be run here.
#[derive(Parser)]
#[command(name = "lab/run", disable_version_flag = true)]
struct Arguments {
    /// The scenarios to run; all, if none is named
    scenarios: Vec<String>,
    /// Only those of the quick set: at most four minutes on two cores
    #[arg(long, conflicts_with = "long")]
    quick: bool,
    /// The numbers of readings, stops and forks that the docs claim: an hour or more
    #[arg(long)]
    long: bool,
    /// Show that the checks can fail: faults planted in a guest must be found
    #[arg(long, conflicts_with_all = ["quick", "long", "scenarios"])]
    self_test: bool,
    /// List the scenarios
    #[arg(long)]
    list: bool,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Where scenarios and scripts are
    #[arg(long, hide = true, default_value = "lab")]
    from: PathBuf,
    /// Where images and results go
    #[arg(long, hide = true, default_value = "target/lab")]
    folder: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// As results.json
    Json,
    /// For docs/lab.md
    Markdown,
}

const WRONG_ARGUMENTS: u8 = 2;
const NOTHING_RUN: u8 = 77;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let told = |error: &dyn std::fmt::Display, code: u8| {
        eprintln!("lab: {error}");
        ExitCode::from(code)
    };
    let all = match Scenario::all(&arguments.from.join("scenarios")) {
        Ok(all) => all,
        Err(error) => return told(&error, WRONG_ARGUMENTS),
    };
    let chosen = match choose(&arguments, all) {
        Ok(chosen) => chosen,
        Err(error) => return told(&error, WRONG_ARGUMENTS),
    };
    if chosen.is_empty() {
        return told(&"none of these scenarios is in the quick set; leave --quick out", WRONG_ARGUMENTS);
    }
    if arguments.list {
        list(&chosen);
        return ExitCode::SUCCESS;
    }
    let done = if arguments.self_test { test_itself(&arguments) } else { run_all(&arguments, &chosen) };
    done.unwrap_or_else(|error| told(&error, 1))
}

fn choose(arguments: &Arguments, mut all: Vec<Scenario>) -> Result<Vec<Scenario>, String> {
    for name in &arguments.scenarios {
        if !all.iter().any(|scenario| scenario.name == *name) {
            let names: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
            return Err(format!("there is no scenario {name}; there are: {}", names.join(", ")));
        }
    }
    all.retain(|scenario| {
        let is_named = arguments.scenarios.is_empty() || arguments.scenarios.contains(&scenario.name);
        is_named && (!arguments.quick || scenario.quick)
    });
    // Getting and asking them takes minutes.
    Ok(if arguments.quick { all.into_iter().map(Scenario::without_peers).collect() } else { all })
}

fn list(scenarios: &[Scenario]) {
    for scenario in scenarios {
        let quick = if scenario.quick { "quick" } else { "" };
        println!("{:<16} {quick:<6} {}", scenario.name, scenario.about);
    }
}

fn run_all(arguments: &Arguments, scenarios: &[Scenario]) -> Result<ExitCode, String> {
    let size = if arguments.long { Size::Full } else { Size::Quick };
    let stop = stop_flag()?;
    let wanted = scenarios.iter().map(|scenario| scenario.image.as_str());
    let built = build_all(&arguments.from.join("images"), &arguments.folder, wanted);
    let peers = get_peers(arguments, scenarios);
    let slots = thread::available_parallelism().map_or(1, usize::from);
    let verdicts = side_by_side(
        scenarios,
        slots,
        |scenario| scenario.cpus,
        |scenario| {
            if stop.load(Ordering::Relaxed) {
                return Verdict::skipped(scenario, "interrupted".to_owned());
            }
            let image = match &built[scenario.image.as_str()] {
                Ok(image) => image,
                Err(NotBuilt::Cannot(why)) => return Verdict::skipped(scenario, why.clone()),
                Err(NotBuilt::Failed(why)) => {
                    return Verdict::of(scenario, &Run { faults: vec![why.clone()], ..Run::default() });
                }
            };
            eprintln!("lab: {} begins", scenario.name);
            let run = run_one(arguments, scenario, image, peers.as_deref(), size, &stop);
            let verdict = Verdict::of(scenario, &run);
            let word = if verdict.passed() { "passes" } else { "FAILS" };
            eprintln!("lab: {} {word} after {:.0} s", scenario.name, run.took.as_secs_f64());
            verdict
        },
    );
    finish(arguments, &verdicts).map_err(|error| error.to_string())
}

/// The archive with the peers, if any scenario asks them. Without it they could not run, which is no fault of ours.
fn get_peers(arguments: &Arguments, scenarios: &[Scenario]) -> Option<PathBuf> {
    if !scenarios.iter().any(Scenario::asks_peers) {
        return None;
    }
    match images::build(&arguments.from.join("images"), &arguments.folder, "peers") {
        Ok(image) => Some(image.initramfs),
        Err(NotBuilt::Cannot(why) | NotBuilt::Failed(why)) => {
            eprintln!("lab: no peers: {why}");
            None
        }
    }
}

fn run_one(
    arguments: &Arguments,
    scenario: &Scenario,
    image: &Image,
    peers: Option<&Path>,
    size: Size,
    stop: &AtomicBool,
) -> Run {
    let file = file_of(arguments, &scenario.name);
    let place = Place { file: &file, image, peers, stem: arguments.folder.join("run").join(&scenario.name) };
    run(scenario, &place, size, None, stop)
}

fn file_of(arguments: &Arguments, name: &str) -> PathBuf {
    arguments.from.join("scenarios").join(name).with_extension("toml")
}

fn finish(arguments: &Arguments, verdicts: &[Verdict]) -> io::Result<ExitCode> {
    let failed = verdicts.iter().any(Verdict::failed);
    let scenarios: Vec<Value> = verdicts.iter().map(Verdict::to_json).collect();
    let document = format!(
        "{:#}\n",
        json!({ "passed": !failed && verdicts.iter().any(Verdict::passed), "sum": table::sum(verdicts).trim(),
            "campaign": Campaign::of(verdicts).to_json(), "scenarios": scenarios })
    );
    write_whole(&arguments.folder.join("results.json"), &document)?;
    match arguments.format {
        Format::Table => print!("{}", table::plain(verdicts)),
        Format::Json => print!("{document}"),
        Format::Markdown => print!("{}", table::markdown(verdicts)),
    }
    Ok(match verdicts.iter().any(Verdict::passed) || failed {
        true => ExitCode::from(u8::from(failed)),
        false => {
            let why = verdicts.iter().find_map(|verdict| verdict.skipped.clone()).unwrap_or_default();
            eprintln!("lab: skipped: {why}");
            ExitCode::from(NOTHING_RUN)
        }
    })
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let part = path.with_extension("part");
    fs::write(&part, text)?;
    fs::rename(part, path)
}

/// Planted faults must be found, for the reason that each was planted for; without one the same machine must pass.
fn test_itself(arguments: &Arguments) -> Result<ExitCode, String> {
    let stop = stop_flag()?;
    let image = match images::build(&arguments.from.join("images"), &arguments.folder, "plain") {
        Ok(image) => image,
        Err(NotBuilt::Cannot(why)) => {
            println!("skipped: {why}");
            return Ok(ExitCode::from(NOTHING_RUN));
        }
        Err(NotBuilt::Failed(why)) => return Err(why),
    };
    let file = arguments.folder.join("run").join("self_test.toml");
    fs::write(&file, self_test::SCENARIO).map_err(|error| error.to_string())?;
    let mut failed = false;
    for case in self_test::CASES {
        let scenario = Scenario::parse("self_test", self_test::SCENARIO)?;
        let place = Place { file: &file, image: &image, peers: None, stem: file.with_extension("") };
        let verdict = Verdict::of(&scenario, &run(&scenario, &place, Size::Tiny, case.plant, &stop));
        let (found, line) = case.judge(&verdict);
        println!("{line}");
        failed |= !found;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// Set by Ctrl-C: machines are ended, and what was seen until then is told.
fn stop_flag() -> Result<Arc<AtomicBool>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || set.store(true, Ordering::Relaxed)).map_err(|error| error.to_string())?;
    Ok(stop)
}
