//! Pages fit the width that they are asked for.

use std::path::PathBuf;

use assert_cmd::Command;
use unicode_width::UnicodeWidthStr;

const VIEWS: [&str; 6] = ["check", "clocks", "reads", "causality", "pause", "runtimes"];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn shown(columns: Option<&str>, name: &str, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chronoscope"));
    command.arg("show").arg(fixture(name)).args(options).env_remove("COLUMNS");
    if let Some(columns) = columns {
        command.env("COLUMNS", columns);
    }
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn widest(page: &str) -> usize {
    page.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
}

#[test]
fn a_page_has_the_columns_that_the_user_asks_for() {
    for columns in [60, 80, 100] {
        let asked = Some(columns.to_string());
        for name in ["record.json", "runtimes.json"] {
            for view in VIEWS {
                let page = shown(asked.as_deref(), name, &["--view", view]);
                assert_eq!(widest(&page), columns, "{name}, {view}:\n{page}");
            }
        }
        for options in [&[][..], &["--full"][..]] {
            let page = shown(asked.as_deref(), "study.json", options);
            assert_eq!(widest(&page), columns, "{options:?}:\n{page}");
        }
    }
}

#[test]
fn a_page_that_nobody_asks_a_width_of_has_118_columns() {
    let first = shown(None, "record.json", &[]);
    assert_eq!(widest(&first), 80);
    assert_eq!(first, include_str!("golden/first-screen.txt"));
    let usual = shown(None, "record.json", &["--full"]);
    assert_eq!(widest(&usual), 118);
    assert_eq!(usual, include_str!("golden/check.txt"));
    for nonsense in ["", "0", "-1", "wide", "80.5", "99999999999999999999"] {
        assert_eq!(shown(Some(nonsense), "record.json", &["--full"]), usual, "{nonsense}");
    }
}

#[test]
fn a_page_for_few_columns_is_laid_out_for_60() {
    for few in ["1", "20", "59"] {
        assert_eq!(shown(Some(few), "record.json", &[]), shown(Some("60"), "record.json", &[]));
    }
}

#[test]
fn json_does_not_depend_on_the_width() {
    let json = ["--format", "json"];
    assert_eq!(shown(Some("60"), "record.json", &json), shown(None, "record.json", &json));
}
