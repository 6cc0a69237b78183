//! What was found, and about which machine.

use chronoscope_render::browser::Figure;
use chronoscope_render::machine;
use chronoscope_render::page::Page;

use crate::document::Record;
use crate::screen::{View, disturbance, findings, verdict};

/// Findings, the machine, and what disturbed the run, as the page for terminals has them.
pub fn figure(record: &Record, view: View) -> Figure {
    let mut page = Page::default();
    if view == View::CHECK {
        verdict::show(&mut page, record);
        chronoscope_render::findings::notices(&mut page, &findings::of_check(record));
    } else {
        findings::concerning(&mut page, record, view.name());
    }
    machine::show(&mut page, &record.machine);
    disturbance::show(&mut page, record);
    Figure {
        id: "findings",
        short: "findings",
        title: "What was found, and where".to_owned(),
        numbers: page,
        ..Figure::default()
    }
}
