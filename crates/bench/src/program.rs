use std::collections::BTreeSet;
use std::time::Duration;

use super::arguments::Arguments;
use super::jobs::Jobs;
use super::{Failure, Interrupt, print, trial};
use chronoscope_harness::quantity::length;
use chronoscope_harness::{CaseFilter, CasePattern, Start, Study, StudyOptions, worker};

/// The `main` of a benchmark program: parses arguments, measures, prints, saves and compares.
///
/// `--help` lists the arguments. Returns on success; otherwise exits: with code 1 if a case failed, the run was
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
    let mut names = BTreeSet::new();
    if let Some(twice) = studies.iter().find(|study| !names.insert(study.name())) {
        return Err(Failure::usage(format!("duplicate study name {}; study names must be unique", twice.name())));
    }
    let chosen = chosen(studies, arguments)?;
    // Invalid arguments are reported before anything is measured.
    for (study, options) in &chosen {
        study.plan(options, start.allowed_cpus()).map_err(|error| Failure::usage(error.to_string()))?;
    }
    if arguments.list {
        return print(&listed(&chosen, studies.len() > 1)).map(|()| true);
    }
    if arguments.test {
        return trial::run(&chosen, start, arguments.quiet, Interrupt::listen());
    }
    let interrupt = Interrupt::listen();
    Jobs::prepare(chosen, arguments, program, &interrupt)?.run(interrupt)
}

/// The selected studies, each with its options.
fn chosen<'s>(studies: &'s [Study], arguments: &Arguments) -> Result<Vec<(&'s Study, StudyOptions)>, Failure> {
    check_time(arguments)?;
    let filters: Vec<&str> = arguments.filters().collect();
    let mut chosen: Vec<(&Study, Vec<String>)> = Vec::new();
    for study in studies {
        if filters.is_empty() || studies.len() == 1 {
            chosen.push((study, filters.iter().map(|text| (*text).to_owned()).collect()));
        } else if let Some(filter) = filter_among_several(study, &filters) {
            chosen.push((study, filter));
        }
    }
    if chosen.is_empty() {
        let names: Vec<&str> = studies.iter().map(Study::name).collect();
        return Err(Failure::usage(match names.is_empty() {
            true => "this program has no studies".to_owned(),
            false => format!(
                "no study or case matches {}; studies: {} (--list shows their cases)",
                filters.join(" or "),
                names.join(", ")
            ),
        }));
    }
    let options = arguments.options(chosen.len());
    let with = |(study, texts)| (study, StudyOptions { filter: part_of_name(texts), ..options.clone() });
    Ok(chosen.into_iter().map(with).collect())
}

/// Selects cases whose names contain any of the texts.
fn part_of_name(texts: Vec<String>) -> CaseFilter {
    CaseFilter { wanted: texts.into_iter().map(CasePattern::NameContains).collect(), skipped: Vec::new() }
}

/// The filter for one of several studies: empty, for the whole study, if a text is part of its name. None if nothing in
/// it is selected.
fn filter_among_several(study: &Study, texts: &[&str]) -> Option<Vec<String>> {
    if texts.iter().any(|text| study.name().contains(text)) {
        return Some(Vec::new());
    }
    let cases = study.plan(&StudyOptions::default(), &[0]).map(|plan| plan.cases).unwrap_or_default();
    let of_study = |text: &&str| match text.split_once('/') {
        Some((name, case)) if name == study.name() => case.to_owned(),
        _ => (*text).to_owned(),
    };
    let wanted = |text: &String| cases.iter().any(|case| case.contains(text.as_str()));
    let filter: Vec<String> = texts.iter().map(of_study).filter(wanted).collect();
    (!filter.is_empty()).then_some(filter)
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
    use clap::Parser;

    fn study(name: &str, cases: &[&'static str]) -> Study {
        cases.iter().fold(Study::new(name), |study, case| study.case(*case, |b| b.iter(|| ())))
    }

    fn chosen_names(studies: &[Study], filters: &[&str]) -> Result<Vec<(String, CaseFilter)>, Failure> {
        let arguments = Arguments::try_parse_from(["test"].iter().chain(filters)).unwrap();
        let chosen = chosen(studies, &arguments)?;
        Ok(chosen.into_iter().map(|(study, options)| (study.name().to_owned(), options.filter)).collect())
    }

    #[test]
    fn studies_are_selected_by_their_name_or_their_cases() {
        let studies = [study("read", &["fast", "slow"]), study("write", &["fast"])];
        let all = |name: &str| (name.to_owned(), CaseFilter::default());
        let some = |name: &str, case: &str| (name.to_owned(), part_of_name(vec![case.to_owned()]));
        assert_eq!(chosen_names(&studies, &[]), Ok(vec![all("read"), all("write")]));
        assert_eq!(chosen_names(&studies, &["rea"]), Ok(vec![all("read")]));
        assert_eq!(chosen_names(&studies, &["fast"]), Ok(vec![some("read", "fast"), some("write", "fast")]));
        assert_eq!(chosen_names(&studies, &["read/fast"]), Ok(vec![some("read", "fast")]));
        let refusal = chosen_names(&studies, &["sideways"]).unwrap_err();
        assert!(["read", "write"].iter().all(|name| refusal.to_string().contains(name)), "{refusal}");
    }

    #[test]
    fn lists_show_what_the_arguments_leave() {
        let study = study("read", &["fast", "slow"]);
        let options = StudyOptions {
            backoff: Some(vec![4]),
            filter: part_of_name(vec!["slow".to_owned()]),
            ..StudyOptions::default()
        };
        assert_eq!(listed(&[(&study, options.clone())], false), "slow, 4 tokens\n");
        assert_eq!(listed(&[(&study, options)], true), "read/slow, 4 tokens\n");
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
