//! A page for browsers stays of a size that any browser and any mail takes, whatever the document.

use super::own_markup::assert_own_markup;
use crate::clock_id::ClockId;
use crate::command::page::{Shown, browser_page};
use crate::document::Record;
use crate::json::document;
use crate::rules::judged;

const CHECK: &str = include_str!("../../../../docs/shown/check.json");
/// The page of a usual check.
const USUAL_BYTES: usize = 300_000;
/// That of any document.
const MOST_BYTES: usize = 2_000_000;

const CLOCKS: usize = 1_000;
const CPUS: u32 = 256;

fn page(record: &Record) -> String {
    let page = browser_page(record, Shown::default());
    assert_own_markup(&page);
    page
}

/// A machine of so many clocks and CPUs, with names that would be markup, or would fill the page.
fn huge() -> Record {
    let mut record = document(CHECK).unwrap();
    let name = |place: usize| match place % 2 {
        0 => format!("<b onload='{place}'>`&\"\x1b[31m{place}"),
        _ => format!("{}{place}", "长".repeat(400)),
    };
    let clocks = &mut record.content.sections.clocks.report.clocks;
    let known = clocks.clone();
    clocks.extend((0..CLOCKS - known.len()).map(|place| {
        let mut clock = known[place % known.len()].clone();
        clock.name = ClockId::Other(name(place));
        clock
    }));
    let causality = &mut record.content.sections.causality.report;
    let pair = causality.pairs[0].clone();
    let pairs = (0..CPUS).flat_map(|a| (a + 1..CPUS).map(move |b| (a, b)));
    causality.pairs = pairs
        .map(|(a, b)| {
            let mut pair = pair.clone();
            (pair.a, pair.b) = (a, b);
            pair
        })
        .collect();
    causality.pairs_possible = causality.pairs.len() as u64;
    record
}

#[test]
fn the_page_of_a_check_is_small() {
    let length = page(&document(CHECK).unwrap()).len();
    assert!(length <= USUAL_BYTES, "{length} bytes");
}

#[test]
fn the_page_of_a_huge_machine_counts_what_it_leaves_out() {
    let record = huge();
    for record in [record.clone(), judged(record)] {
        let page = page(&record);
        assert!(page.len() <= MOST_BYTES, "{} bytes", page.len());
        for left_out in
            ["are not drawn.", "rows are in the document.", "tables, paragraphs and lines are in the document."]
        {
            assert!(page.contains(&format!(" more {left_out}")), "{left_out}");
        }
    }
}
