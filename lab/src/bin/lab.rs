//! Boots every scenario's machine, and judges what it tells.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use chronoscope_lab::campaign::Campaign;
use chronoscope_lab::images::{self, Images, NotBuilt, PEERS, Scripts};
use chronoscope_lab::machine::{Image, Place};
use chronoscope_lab::run::{Run, run};
use chronoscope_lab::scenario::Scenario;
use chronoscope_lab::schedule::side_by_side;
use chronoscope_lab::self_test;
use chronoscope_lab::size::Size;
use chronoscope_lab::stop::{Cause, Stop};
use chronoscope_lab::table;
use chronoscope_lab::verdict::Verdict;
use clap::Parser;
use serde_json::json;

/// Boot emulated machines with every clocksource and every fault, run chronoscope in them, and judge what it says
///
/// Exit code 0: all expectations were met; 1: one was not, or the time was over; 2: wrong arguments; 77: nothing could be run
/// here; 130: interrupted by Ctrl-C or a signal, at once by the second one.
#[derive(Parser)]
#[command(name = "lab/run", disable_version_flag = true)]
struct Arguments {
    /// The scenarios to run; all, if none is named
    scenarios: Vec<String>,
    /// Only those of the quick set: at most four minutes on two cores
    #[arg(long, conflicts_with = "long")]
    quick: bool,
    /// The time for all scenarios together, without builds; what has not finished then has failed [default: 4 with --quick, 20
    /// for all scenarios, else none]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    minutes: Option<u64>,
    /// The numbers of readings, stops and forks that the docs claim: an hour or more
    #[arg(long)]
    long: bool,
    /// Show that the checks can fail: faults planted in a guest must be found
    #[arg(long, conflicts_with_all = ["quick", "long", "scenarios"])]
    self_test: bool,
    /// List the scenarios
    #[arg(long)]
    list: bool,
    /// Install nothing: what needs a package or a Rust target that is missing is skipped
    #[arg(long)]
    no_install: bool,
    /// Where images and results go
    #[arg(long, hide = true, default_value = "target/lab")]
    folder: PathBuf,
}

/// Where scenarios and scripts are.
const FROM: &str = "lab";
const WRONG_ARGUMENTS: u8 = 2;
const NOTHING_RUN: u8 = 77;
/// What a shell reports of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;
/// What the documents promise, on two cores. A host that needs longer fails, rather than run on with a warning: otherwise the
/// promise could not be broken, and a machine that hangs would be a slow one. Whoever has a slower host says so by `--minutes`.
const QUICK_MINUTES: u64 = 4;
const ALL_MINUTES: u64 = 20;

type Failure = (String, u8);

fn main() -> ExitCode {
    run_as_asked(&Arguments::parse()).unwrap_or_else(|(why, code)| {
        eprintln!("lab: {why}");
        ExitCode::from(code)
    })
}

fn run_as_asked(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let wrong = |error: String| (error, WRONG_ARGUMENTS);
    let all = Scenario::all(&Path::new(FROM).join("scenarios")).map_err(|error| wrong(error.to_string()))?;
    let chosen = choose(arguments, all).map_err(wrong)?;
    if arguments.list {
        for scenario in &chosen {
            let quick = if scenario.quick { "quick" } else { "" };
            println!("{:<16} {quick:<6} {}", scenario.name, scenario.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop_by_signals().map_err(|error| (error.to_string(), 1))?;
    let done = if arguments.self_test { test_itself(arguments, &stop) } else { run_all(arguments, &chosen, &stop) };
    done.map_err(|error| (error.to_string(), 1))
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
    if all.is_empty() {
        return Err("none of these scenarios is in the quick set; leave --quick out".to_owned());
    }
    // Getting and asking them takes minutes.
    Ok(if arguments.quick { all.into_iter().map(Scenario::without_peers).collect() } else { all })
}

fn run_all(arguments: &Arguments, scenarios: &[Scenario], stop: &Stop) -> io::Result<ExitCode> {
    let limit = |scenario: &Scenario| Duration::from_secs(scenario.limit_s);
    let images = Images::wanted(scenarios.iter().flat_map(images_of));
    let minutes = minutes(arguments);
    let slots = thread::available_parallelism().map_or(1, usize::from);
    let verdicts = thread::scope(|scope| {
        scope.spawn(|| {
            images.build(&scripts(arguments), stop);
            if let Some(minutes) = minutes {
                stop.begin(Duration::from_secs(60 * minutes));
            }
        });
        side_by_side(
            scenarios,
            slots,
            |scenario| (scenario.slots(), limit(scenario)),
            |scenario| match scenario.undisturbed {
                true => images.are_built(),
                false => images_of(scenario).all(|image| images.get(image).is_some()),
            },
            |scenario| verdict_of(arguments, scenario, &images, stop),
        )
    });
    if let (Some(Cause::OutOfTime), Some(minutes)) = (stop.cause(), minutes) {
        eprintln!("lab: out of time: {minutes} minutes are over; on a slower host, allow more by --minutes");
    }
    finish(arguments, &verdicts)
}

fn scripts(Arguments { folder, no_install, .. }: &Arguments) -> Scripts {
    Scripts { from: Path::new(FROM).join("images"), to: folder.clone(), may_install: !no_install }
}

fn images_of(scenario: &Scenario) -> impl Iterator<Item = &str> {
    let peers = scenario.asks_peers().then_some(PEERS);
    std::iter::once(scenario.image.as_str()).chain(peers)
}

/// Scenarios that are named have no limit but their own, and neither do long runs.
fn minutes(arguments: &Arguments) -> Option<u64> {
    let promised = match (arguments.quick, arguments.long || !arguments.scenarios.is_empty()) {
        (true, _) => Some(QUICK_MINUTES),
        (false, true) => None,
        (false, false) => Some(ALL_MINUTES),
    };
    arguments.minutes.or(promised)
}

fn verdict_of(arguments: &Arguments, scenario: &Scenario, images: &Images<'_>, stop: &Stop) -> Verdict {
    let cause = stop.cause();
    match images.get(&scenario.image).filter(|_| cause.is_none()) {
        Some(Ok(image)) => run_one(arguments, scenario, image, peers_of(scenario, images), stop),
        Some(Err(NotBuilt::Cannot(why))) => Verdict::skipped(scenario, why.clone()),
        Some(Err(NotBuilt::Failed(why))) => Verdict::of(scenario, &Run { faults: vec![why.clone()], ..Run::default() }),
        Some(Err(NotBuilt::Interrupted)) | None => {
            Verdict::of(scenario, &Run::not_begun(cause.unwrap_or(Cause::Interrupted)))
        }
    }
}

/// The archive with the peers, if the scenario asks them. Without it they could not run, which is no fault of ours.
fn peers_of<'i>(scenario: &Scenario, images: &'i Images<'_>) -> Option<&'i Path> {
    match images.get(PEERS).filter(|_| scenario.asks_peers())? {
        Ok(image) => Some(&image.initramfs),
        Err(NotBuilt::Cannot(why) | NotBuilt::Failed(why)) => {
            eprintln!("lab: no peers: {why}");
            None
        }
        Err(NotBuilt::Interrupted) => None,
    }
}

fn run_one(arguments: &Arguments, scenario: &Scenario, image: &Image, peers: Option<&Path>, stop: &Stop) -> Verdict {
    eprintln!("lab: {} begins", scenario.name);
    let size = if arguments.long { Size::Full } else { Size::Quick };
    let file = Path::new(FROM).join("scenarios").join(&scenario.name).with_extension("toml");
    let place = Place { file: &file, image, peers, stem: arguments.folder.join("run").join(&scenario.name) };
    let run = run(scenario, &place, size, None, stop);
    let verdict = Verdict::of(scenario, &run);
    let word = match (verdict.interrupted, verdict.passed()) {
        (true, _) => "is interrupted",
        (false, true) => "passes",
        (false, false) => "FAILS",
    };
    eprintln!("lab: {} {word} after {:.0} s", scenario.name, run.took.as_secs_f64());
    verdict
}

fn finish(arguments: &Arguments, verdicts: &[Verdict]) -> io::Result<ExitCode> {
    let failed = verdicts.iter().any(Verdict::failed);
    let interrupted = verdicts.iter().any(|verdict| verdict.interrupted);
    let passed = !failed && !interrupted && verdicts.iter().any(Verdict::passed);
    let sum = table::sum(verdicts);
    let document =
        json!({ "passed": passed, "sum": sum.trim(), "campaign": Campaign::of(verdicts), "scenarios": verdicts });
    // Whole, or not at all.
    let (path, part) = (arguments.folder.join("results.json"), arguments.folder.join("results.part"));
    fs::write(&part, format!("{document:#}\n"))?;
    fs::rename(part, path)?;
    print!("{}", table::text(verdicts));
    if interrupted {
        eprintln!("lab: interrupted");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if passed || failed {
        return Ok(ExitCode::from(u8::from(failed)));
    }
    let why = verdicts.iter().find_map(|verdict| verdict.skipped.clone()).unwrap_or_default();
    eprintln!("lab: skipped: {why}");
    Ok(ExitCode::from(NOTHING_RUN))
}

/// Planted faults must be found, for the reason that each was planted for; without one the same machine must pass.
fn test_itself(arguments: &Arguments, stop: &Stop) -> io::Result<ExitCode> {
    let image = match images::build(&scripts(arguments), "plain", stop) {
        Ok(image) => image,
        Err(NotBuilt::Cannot(why)) => {
            println!("skipped: {why}");
            return Ok(ExitCode::from(NOTHING_RUN));
        }
        Err(NotBuilt::Failed(why)) => return Err(io::Error::other(why)),
        Err(NotBuilt::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let stem = arguments.folder.join("run").join("self_test");
    let mut failed = false;
    let mut unplanted = Run::default();
    for case in self_test::CASES {
        let file = Path::new(FROM).join("self_test").join(case.0).with_extension("toml");
        let scenario = Scenario::read(&file)?;
        let place = Place { file: &file, image: &image, peers: None, stem: stem.clone() };
        // What alters a document needs no machine of its own: it alters what the one without a plant left.
        let seen = match case.1.filter(|_| case.0 == self_test::DOCUMENT) {
            Some(plant) => unplanted.altered(plant),
            None => run(&scenario, &place, Size::Tiny, case.1, stop),
        };
        let verdict = Verdict::of(&scenario, &seen);
        if case.1.is_none() {
            unplanted = seen;
        }
        if verdict.interrupted {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let (found, line) = case.judge(&verdict);
        println!("{line}");
        failed |= !found;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// Set by Ctrl-C, SIGTERM and SIGHUP: machines and builds are ended, and what was seen until then is told. Whoever cannot wait
/// for that asks a second time.
fn stop_by_signals() -> Result<Arc<Stop>, ctrlc::Error> {
    let stop = Arc::new(Stop::default());
    let told = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if told.interrupt() {
            process::exit(INTERRUPTED.into());
        }
    })?;
    Ok(stop)
}
