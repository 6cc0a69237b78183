use proptest::prelude::*;

use super::*;

fn text(table: Table, columns: usize) -> String {
    let mut text = String::new();
    for line in table.lines(Width::of_columns(columns)) {
        line.render(&mut text);
    }
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn every_row_is_one_line() {
    let mut table = Table::new(&[("clock", Align::Left), ("latency", Align::Right)]);
    table.row(PLAIN, ["a\nb".to_owned(), "8.10 ns".to_owned()]);
    table.remark(PLAIN, "HPET", "not there");
    table.row(PLAIN, [String::new(), String::new()]);
    assert_eq!(text(table, 118), "clock  latency\na␊b    8.10 ns\nHPET   not there\n\n");
}

fn wide() -> Table {
    let mut table = Table::new(&[
        ("clock", Align::Left),
        ("worst step back", Align::Right),
        ("latency", Align::Right),
        ("interval", Align::Right),
        ("shortest interval within 10 %", Align::Right),
        ("causal", Align::Left),
    ])
    .tied(&["interval"]);
    for (name, step) in [("CLOCK_MONOTONIC", "none"), ("rdtsc", "412 ns")] {
        let cells = [name, step, "21.7 ns", "21.5–21.9 ns", "2.40 µs", "yes"];
        table.row(PLAIN, cells.map(str::to_owned));
    }
    table.remark(PLAIN, "HPET", "unavailable: the kernel does not map it");
    table
}

#[test]
fn titles_give_way_before_anything_else() {
    let expected = [
        "                  worst                            shortest",
        "                   step                            interval",
        "clock              back  latency      interval  within 10 %  causal",
        "CLOCK_MONOTONIC    none  21.7 ns  21.5–21.9 ns      2.40 µs  yes",
        "rdtsc            412 ns  21.7 ns  21.5–21.9 ns      2.40 µs  yes",
        "HPET             unavailable: the kernel does not map it",
    ];
    assert_eq!(text(wide(), 70).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_table_that_is_too_wide_comes_in_parts_and_loses_nothing() {
    let mut table = Table::new(&[
        ("clock", Align::Left),
        ("threads", Align::Right),
        ("serial", Align::Right),
        ("interval", Align::Right),
        ("concurrent", Align::Right),
        ("interval", Align::Right),
        ("max", Align::Right),
    ])
    .named_by(2)
    .tied(&["interval"]);
    table.title(PLAIN, "Go 1.26.8", "one process");
    for name in [" CLOCK_MONOTONIC", ""] {
        let cells = [name, "2", "24.5 ns", "24.4–24.9 ns", "37.8 µs", "36.5–39.0 µs", "6.49 ms"];
        table.row(PLAIN, cells.map(str::to_owned));
    }
    table.remark(PLAIN, "HPET", "not read: the kernel does not map it");
    assert_eq!(
        text(table, 60),
        "clock             threads   serial      interval\n\
         Go 1.26.8         one process\n \
         CLOCK_MONOTONIC        2  24.5 ns  24.4–24.9 ns\n                        \
         2  24.5 ns  24.4–24.9 ns\n\
         HPET              not read: the kernel does not map it\n\
         \n\
         clock             threads  concurrent      interval      max\n\
         Go 1.26.8\n \
         CLOCK_MONOTONIC        2     37.8 µs  36.5–39.0 µs  6.49 ms\n                        \
         2     37.8 µs  36.5–39.0 µs  6.49 ms\n"
    );
}

#[test]
fn words_of_the_last_column_are_never_cut() {
    let mut table = Table::new(&[("measurement", Align::Left), ("migrations", Align::Right), ("bound", Align::Left)]);
    let reason =
        "no: sched_setaffinity said EPERM: a seccomp filter of the container does not allow it, nor may a user";
    table.row(PLAIN, ["CLOCK_MONOTONIC CPU 0–1".to_owned(), "0".to_owned(), reason.to_owned()]);
    for columns in [60, 80, 118] {
        let mut table = Table::new(&[("clock", Align::Left), ("bound", Align::Left)]);
        table.row(PLAIN, ["rdtsc".to_owned(), reason.to_owned()]);
        let text = text(table, columns);
        assert_eq!(text.split_whitespace().skip(3).collect::<Vec<_>>().join(" "), reason, "{text}");
    }
    let text = text(table, 118);
    assert!(text.lines().all(|line| line.width() <= 118) && text.ends_with("nor may a user\n"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_table_fits_any_page_whole(
        cells in prop::collection::vec(prop::collection::vec("[a-z0-9 ]{0,60}", 1..14), 1..6),
        naming in 0_usize..9,
        folds: bool,
        columns in 20_usize..200,
    ) {
        let titles: Vec<(&str, Align)> = cells[0]
            .iter()
            .enumerate()
            .map(|(i, title)| (title.as_str(), if i % 2 == 0 { Align::Left } else { Align::Right }))
            .collect();
        let mut table = Table::new(&titles).named_by(naming).tied_at(3);
        if folds {
            table = table.folding_last();
        }
        for row in &cells[1..] {
            table.cells(PLAIN, row.clone());
        }
        table.remark(PLAIN, "a name", "a remark that is a little longer than its name is, by some words");
        let whole = text(table, columns);
        for line in whole.lines() {
            prop_assert!(line.width() <= columns.max(Width::LEAST), "{columns} columns:\n{whole}");
        }
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for cell in cells[1..].iter().flatten().filter(|cell| cell.width() <= FOLDED) {
            prop_assert!(letters(&whole).contains(&letters(cell)), "{cell:?} of {columns} columns:\n{whole}");
        }
    }
}
