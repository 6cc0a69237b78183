use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

use super::arguments::Arguments;
use super::jobs::Jobs;
use super::selection::Named;
use super::task::Task;
use super::{Failure, Interrupt, print, tell, trial};
use chronoscope_harness::quantity::length;
use chronoscope_harness::{CaseFilter, Start, Study, StudyOptions, worker};

/// The `main` of a benchmark program: parses arguments, measures, prints, saves and compares.
///
/// `cargo bench` measures. Started without `--bench`, as by `cargo test --benches` and `cargo nextest run --benches`, or with
/// `--test`, it runs every case once and says whether it failed. `--help` lists the arguments. Returns on success; otherwise exits: with code 1 if a case failed, the run was
/// interrupted, output could not be written, something became slower than what it is compared with, or `--strict` met a warning or
/// an error; with code 2 on invalid arguments, an invalid study, or another build that cannot be compared with. `STUDY` and `STUDY/CASE` select among several studies.
///
/// Call it first: worker processes run the same program, and would repeat whatever precedes it.
///
/// # Examples
/// A bench target with `harness = false`:
/// ```no_run
/// use chronoscope_bench::{Study, black_box};
///
/// fn main() {
///     let divide = Study::new("divide")
///         .case("by 3", |b| b.iter(|| black_box(100_u64) / 3))
///         .case("by a number", |b| b.iter(|| black_box(100_u64) / black_box(3)))
///         .compare("by a number", "by 3");
///     chronoscope_bench::main([divide]);
/// }
/// ```
pub fn main(studies: impl IntoIterator<Item = Study>) {
    let studies: Vec<Study> = studies.into_iter().collect();
    for study in &studies {
        study.serve_if_worker();
    }
    if worker::is_worker() {
        eprintln!("this program has no study of the name that it was started to work for");
        std::process::exit(1);
    }
    let start = Start::of_this_process();
    let program = program_name();
    let arguments = Arguments::of_this_process(&program);
    arguments.set_color();
    let code = match run(&studies, &arguments, &program, &start) {
        Ok(true) => return,
        Ok(false) => 1,
        Err(failure) => {
            let code = failure.code();
            failure.report(&program);
            code
        }
    };
    std::process::exit(i32::from(code));
}

/// Carries out the arguments; false if the program should exit with code 1.
fn run(studies: &[Study], arguments: &Arguments, program: &str, start: &Start) -> Result<bool, Failure> {
    arguments.foreign.check()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = studies.iter().find(|study| !names.insert(study.name())) {
        return Err(Failure::usage(format!("duplicate study name {}; study names must be unique", twice.name())));
    }
    let (task, chosen) = (arguments.task(), chosen(studies, arguments)?);
    // Invalid arguments are reported before anything is measured.
    for (study, options) in &chosen {
        let plan = study.plan(options, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
        if task == Task::Measure
            && !arguments.quiet
            && let Some(warning) = study.too_short_for_verdicts(&plan)
        {
            tell(program, &format!("{}: {warning}", study.name()));
        }
    }
    match task {
        Task::List => print(&listed(&chosen, studies.len() > 1)).map(|()| true),
        Task::ListTerse => print(&listed_as_libtest_does(&chosen)).map(|()| true),
        _ if chosen.is_empty() => say_nothing_selected(studies, arguments, program).map(|()| true),
        Task::Test => {
            let is_well = trial::run(&chosen, start, arguments.quiet, Interrupt::listen())?;
            if !arguments.test && !arguments.quiet && std::io::stderr().is_terminal() {
                tell(program, "every case ran once, to test it; cargo bench measures, as does --bench");
            }
            Ok(is_well)
        }
        Task::Measure => {
            let interrupt = Interrupt::listen();
            Jobs::prepare(chosen, arguments, program, &interrupt)?.run(interrupt)
        }
    }
}

/// The selected studies, each with its options.
fn chosen<'s>(studies: &'s [Study], arguments: &Arguments) -> Result<Vec<(&'s Study, StudyOptions)>, Failure> {
    check_time(arguments)?;
    if studies.is_empty() {
        return Err(Failure::usage("this program has no studies"));
    }
    if arguments.ignored {
        return Ok(Vec::new());
    }
    let (selection, named) = (arguments.selection(), named(studies)?);
    let chosen = studies.iter().zip(selection.filters(&named));
    let chosen: Vec<(&Study, CaseFilter)> = chosen.filter_map(|(study, filter)| Some((study, filter?))).collect();
    if chosen.is_empty() && !arguments.may_select_nothing() {
        return Err(Failure::usage(selection.refusal(&named)));
    }
    let options = arguments.options(chosen.len());
    Ok(chosen.into_iter().map(|(study, filter)| (study, StudyOptions { filter, ..options.clone() })).collect())
}

/// The names of studies and their cases. A study that is invalid whatever the arguments is refused: it is not to vanish behind a
/// filter.
fn named(studies: &[Study]) -> Result<Vec<Named<'_>>, Failure> {
    let options = StudyOptions {
        processes: Some(2),
        threads: Some(vec![1]),
        backoff: Some(vec![0]),
        margin_pct: Some(1.0),
        ..StudyOptions::default()
    };
    let named = |study| match Study::plan(study, &options, &[0]) {
        Ok(plan) => Ok(Named { study: study.name(), cases: plan.cases }),
        Err(error) => Err(Failure::usage(error.to_string())),
    };
    studies.iter().map(named).collect()
}

/// Says why there was nothing to do.
fn say_nothing_selected(studies: &[Study], arguments: &Arguments, program: &str) -> Result<(), Failure> {
    let why = match arguments.ignored {
        true => "no case is ignored, so --ignored selects none".to_owned(),
        false => arguments.selection().refusal(&named(studies)?),
    };
    tell(program, &format!("nothing was run: {why}"));
    Ok(())
}

fn check_time(arguments: &Arguments) -> Result<(), Failure> {
    const SHORTEST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(24 * 3_600);
    match arguments.duration {
        Some(time) if !(SHORTEST..=LONGEST).contains(&time) => Err(Failure::usage(format!(
            "duration {} is out of range ({}–{})",
            length(time),
            length(SHORTEST),
            length(LONGEST)
        ))),
        _ => Ok(()),
    }
}

/// One combination per line.
fn listed(chosen: &[(&Study, StudyOptions)], with_study: bool) -> String {
    let mut text = String::new();
    for (study, options) in chosen {
        for cell in study.cells_with(options) {
            if with_study {
                text.push_str(study.name());
                text.push('/');
            }
            text.push_str(&cell);
            text.push('\n');
        }
    }
    text
}

/// One case per line, as `--list --format terse` has them in libtest, for nextest to read.
fn listed_as_libtest_does(chosen: &[(&Study, StudyOptions)]) -> String {
    let mut text = String::new();
    for (study, options) in chosen {
        // It was valid just now; which CPUs there are does not matter.
        let plan = study.plan(&StudyOptions { cpus: None, ..options.clone() }, &[0]);
        for case in plan.map(|plan| plan.cases).unwrap_or_default() {
            text.push_str(&format!("{}/{case}: benchmark\n", study.name()));
        }
    }
    text
}

/// The program's name as the user knows it: cargo appends a hash to the names of bench targets.
fn program_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    without_hash(&stem).to_owned()
}

fn without_hash(stem: &str) -> &str {
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()) => name,
        _ if stem.is_empty() => "study",
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::CasePattern;
    use clap::Parser;

    fn study(name: &str, cases: &[&'static str]) -> Study {
        cases.iter().fold(Study::new(name), |study, case| study.case(*case, |b| b.iter(|| ())))
    }

    fn parsed(arguments: &[&str]) -> Arguments {
        Arguments::try_parse_from(["test"].iter().chain(arguments)).unwrap()
    }

    /// What a measurement with these arguments would list.
    fn chosen_names(studies: &[Study], arguments: &[&str]) -> Result<String, Failure> {
        let chosen = chosen(studies, &parsed(&[&["--bench"], arguments].concat()))?;
        Ok(listed_as_libtest_does(&chosen).replace(": benchmark\n", " "))
    }

    #[test]
    fn studies_are_selected_by_their_name_or_their_cases() {
        let studies = [study("read", &["fast", "slow"]), study("write", &["fast"])];
        let chosen = |arguments: &[&str]| chosen_names(&studies, arguments).unwrap();
        assert_eq!(chosen(&[]), "read/fast read/slow write/fast ");
        assert_eq!(chosen(&["rea"]), "read/fast read/slow ");
        assert_eq!(chosen(&["fast"]), "read/fast write/fast ");
        assert_eq!(chosen(&["read/fast"]), "read/fast ");
        assert_eq!(chosen(&["--exact", "read/fast"]), "read/fast ");
        assert_eq!(chosen(&["--skip", "fast"]), "read/slow ");
        assert_eq!(chosen(&["--ignored"]), "");
        let refusal = chosen_names(&studies, &["--format", "json", "sideways"]).unwrap_err();
        assert!(["read", "write"].iter().all(|name| refusal.to_string().contains(name)), "{refusal}");
        assert_eq!(chosen(&["--exact", "read"]), "", "a study is no case");
    }

    #[test]
    fn what_is_asked_for_by_name_must_have_cases() {
        let studies = [study("read", &["fast", "slow"])];
        let terse = ["--list", "--format", "terse", "sideways"];
        for may_be_empty in [&["sideways"][..], &["--skip", "read"], &terse, &["--bench", "sideways"]] {
            assert!(chosen(&studies, &parsed(may_be_empty)).unwrap().is_empty(), "{may_be_empty:?}");
        }
        let saved = ["--bench", "--output", "run.json", "sideways"];
        for refused in [&saved[..], &["--bench", "--format", "json", "--skip", "read"], &["--list", "sideways"]] {
            assert_eq!(chosen(&studies, &parsed(refused)).err().map(|failure| failure.code()), Some(2), "{refused:?}");
        }
        assert!(chosen(&[], &parsed(&[])).is_err());
        let invalid = [study("read", &["fast"]), study("write", &["twice", "twice"])];
        let refused = chosen(&invalid, &parsed(&["read"])).expect_err("it has two cases of one name");
        assert!(refused.code() == 2 && refused.to_string().contains("twice"), "{refused}");
    }

    #[test]
    fn lists_show_what_the_arguments_leave() {
        let study = study("read", &["fast", "slow"]);
        let filter = CaseFilter { wanted: vec![CasePattern::NameContains("slow".to_owned())], skipped: Vec::new() };
        let options = StudyOptions { backoff: Some(vec![4]), filter, ..StudyOptions::default() };
        assert_eq!(listed(&[(&study, options.clone())], false), "slow, 4 tokens\n");
        assert_eq!(listed(&[(&study, options.clone())], true), "read/slow, 4 tokens\n");
        assert_eq!(listed_as_libtest_does(&[(&study, options)]), "read/slow: benchmark\n");
    }

    #[test]
    fn hashes_are_no_part_of_a_name() {
        assert_eq!(without_hash("publish-0123456789abcdef"), "publish");
        assert_eq!(without_hash("publish-often"), "publish-often");
        assert_eq!(without_hash(""), "study");
    }

    #[test]
    fn absurd_times_are_refused() {
        let studies = [study("read", &["fast"])];
        for wrong in ["0s", "9ms", "25h"] {
            assert!(chosen_names(&studies, &["--duration", wrong]).is_err(), "{wrong}");
        }
    }
}
