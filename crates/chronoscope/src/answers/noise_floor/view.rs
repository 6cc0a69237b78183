//! The noise floor as a section of a page.

use anstyle::Style;
use chronoscope_harness::quantity::{BARE, RATIO, TIME, confidence, count};
use chronoscope_harness::record::study::Leading;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{DIM, PLAIN, WARNING};
use chronoscope_render::table::{Align, Table};

use super::report::{IdenticalPair, NoiseFloor};

const NONE: &str = "–";

/// Adds a table of all pairs, and what their intervals rest on.
pub fn section(page: &mut Page, floor: &NoiseFloor) {
    page.section("IDENTICAL OPERATIONS COMPARED");
    let mut table = Table::new(&[
        ("operation", Align::Left),
        ("time", Align::Right),
        ("copy / operation", Align::Right),
        ("tells from, %", Align::Right),
        ("", Align::Left),
    ]);
    for pair in &floor.pairs {
        let (style, remark) = remark(floor, pair);
        let time = pair.time_ns.map_or_else(|| NONE.to_owned(), |time| TIME.value(time.estimate));
        let ratio = pair.ratio.map_or_else(|| NONE.to_owned(), |ratio| RATIO.amount(&ratio));
        let told = pair.told_pct.map_or_else(|| NONE.to_owned(), |pct| BARE.reach(pct));
        table.row(style, [pair.operation.clone(), time, ratio, told, remark]);
    }
    page.table(table);
    page.paragraph(Line::new(), DIM, &how_sure(floor));
}

fn remark(floor: &NoiseFloor, pair: &IdenticalPair) -> (Style, String) {
    match () {
        () if !pair.is_sure => (WARNING, format!("{} of {} processes", pair.processes, floor.processes_needed)),
        () if pair.is_false_alarm => (WARNING, "false alarm".to_owned()),
        () if pair.has_states => (WARNING, "processes disagree".to_owned()),
        () if pair.leads == Leading::Mean => (PLAIN, "mean".to_owned()),
        () => (PLAIN, String::new()),
    }
}

fn how_sure(floor: &NoiseFloor) -> String {
    let held = format!(
        "medians over {} processes; the intervals of all pairs hold at once at {}",
        floor.processes,
        confidence(floor.confidence)
    );
    match floor.iterations {
        0 => held,
        iterations => {
            format!("{held}; {} of {} iterations were undisturbed", count(floor.iterations_quiet), count(iterations))
        }
    }
}
