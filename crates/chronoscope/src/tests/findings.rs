//! Every kind of finding has one row, its own id, a test that triggers it, and a line in the list of all kinds.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use chronoscope_harness::record::study::{Estimate, OperationPart, State, Steadiness, StudyRecord, StudyReport};
use chronoscope_harness::rule::conclude;
use chronoscope_harness::study_rules::{self, *};

use super::golden_file::assert_same;
use crate::kinds;
use crate::registry::NAMES;
use crate::standalone::StandaloneCommand;
use chronoscope_harness::finding::{HostState, Kind, Severity};
use clap::Subcommand;

/// All rows, in the order of the list.
fn rows() -> Vec<Kind> {
    kinds::all().copied().collect()
}

#[test]
fn every_row_has_an_id_of_its_own_and_names_sections_that_there_are() {
    let rows = rows();
    let standalone = StandaloneCommand::augment_subcommands(clap::Command::new(""));
    let standalone: Vec<&str> = standalone.get_subcommands().map(clap::Command::get_name).collect();
    let sections = [&["check"], NAMES, &standalone].concat();
    for (at, row) in rows.iter().enumerate() {
        assert!(rows[..at].iter().all(|other| other.id != row.id), "two rows are called {}", row.id);
        let is_snake = row.id.split('_').all(|word| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        });
        assert!(is_snake, "{row:?}");
        assert!(row.shown_in.iter().all(|section| sections.contains(section)), "{row:?}");
        for words in [row.about, row.evidence, row.mend] {
            assert!(!words.trim().is_empty() && !words.ends_with('.') && !words.contains("  "), "{row:?}");
        }
    }
}

/// The test code of all source files below `folder`.
fn tests_below(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() {
            text += &tests_below(&entry);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            let whole = fs::read_to_string(&entry).expect("source is text");
            let is_test =
                entry.components().any(|part| ["tests", "tests.rs"].map(OsStr::new).contains(&part.as_os_str()));
            text += if is_test { &whole } else { module_of_tests(&whole) };
        }
    }
    text
}

/// The module of tests in a file, whoever may see it, and all below it.
fn module_of_tests(whole: &str) -> &str {
    let begins = whole.split_inclusive('\n').scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    });
    let lines: Vec<(usize, &str)> = begins.collect();
    let module = lines.windows(2).find(|pair| pair[0].1 == "#[cfg(test)]\n" && pair[1].1.contains("mod "));
    module.map_or("", |pair| &whole[pair[1].0..])
}

#[test]
fn every_row_is_named_by_a_test() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["chronoscope/src", "chronoscope/tests", "harness/src", "harness/tests"];
    let tests: String = folders.iter().map(|folder| tests_below(&crates.join(folder))).collect();
    let named: Vec<&str> = tests.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
    for row in rows() {
        let constant = row.id.to_uppercase();
        assert!(named.contains(&constant.as_str()), "no test names {constant}");
    }
}

/// The source of every rule, as text: a row that no list has cannot be found through the lists.
#[test]
fn no_row_is_missing_from_the_list() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = rows();
    let mut written = 0;
    for folder in ["chronoscope/src", "harness/src"] {
        for text in sources_below(&crates.join(folder)) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            for of in ["Kind::notice(", "Kind::warning(", "Kind::critical("] {
                for rest in code.split(of).skip(1) {
                    let id = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
                    let id = id.unwrap();
                    assert!(rows.iter().any(|row| row.id == id), "{id} is unlisted");
                    written += 1;
                }
            }
        }
    }
    assert_eq!(written, rows.len());
}

/// Every number that a row names is one that some rule gives.
#[test]
fn the_numbers_of_the_evidence_are_those_of_findings() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources: String =
        ["chronoscope/src", "harness/src"].iter().flat_map(|folder| sources_below(&crates.join(folder))).collect();
    let mut named = 0;
    for row in rows() {
        let words = row.evidence.split('`').skip(1).step_by(2);
        let is_number =
            |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || b"_0123456789".contains(&byte));
        for number in words.filter(is_number) {
            assert!(sources.contains(&format!("\"{number}\"")), "{}: no rule gives {number}", row.id);
            named += 1;
        }
    }
    assert!(named > 80, "{named}");
}

fn sources_below(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() && entry.file_name() == Some(OsStr::new("tests")) {
            // Kinds that a test makes up are in no list.
        } else if entry.is_dir() {
            texts.extend(sources_below(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            texts.push(fs::read_to_string(entry).expect("source is text"));
        }
    }
    texts
}

#[test]
fn the_list_of_findings_is_that_of_the_rows() {
    let mut text = "# Findings\n\n\
        What Chronoscope concludes, by the `id` of a finding in a document. `chronoscope findings ID` explains one in the \
        terminal; [`--forbid` of a gate](gate.md) fails on it; a run with `--strict` fails on any warning or \
        worse. The severity is that of the kind; a rule may call a single finding less grave. *Evidence* names the numbers \
        that a finding carries in the document. *Fix* is the usual remedy; the advice of a finding fits its machine.\n\n\
        Generated from the rows in the sections' `rules.rs`: `UPDATE_GOLDEN=1 cargo test -p chronoscope --lib findings`.\n"
        .to_owned();
    for row in rows() {
        let shown = if row.shown_in.is_empty() { "every page".to_owned() } else { row.shown_in.join(", ") };
        let Kind { id, about, evidence, mend, severity, .. } = row;
        let severity = severity.word();
        text += &format!(
            "\n## `{id}`\n\n{severity}, shown by {shown}\n\n- **Meaning**: {about}\n- **Evidence**: {evidence}\n- **Fix**: {mend}\n"
        );
    }
    assert_same(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.md"), &text);
}

/// The table of the page about checks: kinds that count by default, and what each state means.
#[test]
fn the_states_of_a_host_are_documented() {
    let counts = |row: &Kind| row.class == HostState::Noisy || row.severity >= Severity::Warning;
    let mut text = "| HOST | it means | because of |\n|---|---|---|\n".to_owned();
    for state in [HostState::Broken, HostState::Degraded, HostState::Noisy, HostState::Unknown] {
        let of_class = rows().into_iter().filter(|row| row.class == state && counts(row));
        let ids: Vec<String> = of_class.map(|row| format!("`{}`", row.id)).collect();
        text += &format!("| {} | {} | {} |\n", state.word(), state.about(), ids.join(", "));
    }
    text += &format!("| {} | {} | none of these |\n", HostState::Ok.word(), HostState::Ok.about());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once("| HOST |").expect("the page has the table");
    let (_, after) = rest.split_once("\n\n").expect("the table ends");
    assert_same(&path, &format!("{before}{text}\n{after}"));
}

/// One fault after another in a study, each with its finding.
#[test]
fn each_fault_of_a_study_is_told_as_what_it_is() {
    type Fault = (Kind, fn(&mut StudyReport));
    let faults: [Fault; 11] = [
        (OWN_THREADS, |study| study.cells[0].own_threads = true),
        (MEASURED_ONCE, |study| study.cells[0].processes.iter_mut().skip(1).for_each(|process| process.mean_ns = None)),
        (DRIFTS_OVER_RUN, |study| {
            let drifting = Steadiness { drift_over_run_pct: Some(3.1), ..Steadiness::default() };
            study.cells[0].steadiness = Some(drifting);
        }),
        (OVERSUBSCRIBED, |study| study.cells[0].oversubscribed = true),
        (OMISSION_INFLATES, |study| {
            let two = study.cells[0].time_ns.map(|time| Estimate { estimate: 2.0, low: 1.9, high: 2.1, ..time });
            study.cells[0].part = two.map(|two| OperationPart {
                part_ns: two,
                claimed_per_s: two,
                external_per_s: two,
                inflation: two,
                timed_share: 0.5,
                preemptions_per_iteration: 0.0,
            });
        }),
        (NO_STEADY_STATE, |study| {
            let rises = Estimate { estimate: 14.2, low: 13.1, high: 15.3, confidence: 0.999 };
            let within_process_pct = Some(rises);
            study.cells[0].steadiness = Some(Steadiness { within_process_pct, ..Steadiness::default() });
        }),
        (STATES, |study| {
            study.cells[0].states = vec![State { value: 137.0, processes: 14 }, State { value: 164.0, processes: 7 }];
        }),
        (PART_UNAVAILABLE, |study| study.processes[0].reason_incomplete = Some("it was killed".to_owned())),
        (FALSE_ALARMS, |study| {
            let control = study.control.as_mut().expect("it compares");
            control.alarms = control.comparisons.max(2);
        }),
        (NOT_PINNED, |study| study.processes[0].disturbance.reason_unpinned = Some("EPERM".to_owned())),
        (TOKENS_NOT_LINEAR, |study| {
            study.tokens.as_mut().expect("they were measured").largest_deviation_pct = 50.0;
        }),
    ];
    let sound = chronoscope_harness::record::parse_study(include_str!("../../tests/fixtures/study.json")).unwrap();
    let of_kind = |study: &StudyRecord, kind| {
        let found = conclude(study_rules::RULES, study);
        found.into_iter().filter(|finding| finding.is(kind)).count()
    };
    for (kind, fault) in faults {
        let mut study = sound.clone();
        fault(&mut study.content.study);
        assert_eq!(of_kind(&study, kind), of_kind(&sound, kind) + 1, "{kind:?}");
    }
}

/// A later build may have conclusions without a rule in this one.
#[test]
fn a_finding_of_an_unknown_kind_is_read_and_shown_by_every_section() {
    let text =
        include_str!("../../tests/fixtures/record.json").replacen("\"path_inferred\"", "\"of_a_later_build\"", 1);
    let record = crate::json::document(&text).unwrap();
    let finding = record.findings.iter().find(|finding| finding.id == "of_a_later_build").unwrap();
    let words: String = finding.evidence.summary.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    for view in crate::screen::View::all() {
        assert!(crate::screen::terminal(&record, view).contains(&words), "{view:?}");
    }
    assert!(crate::json::json(&record).unwrap().contains("of_a_later_build"));
}
