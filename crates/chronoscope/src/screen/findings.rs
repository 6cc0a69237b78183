use anstyle::Style;
use chronoscope_harness::finding::{Finding, Kind, Severity};

use crate::clock_id::ClockId;
use crate::document::Record;
use crate::kinds;
use crate::registry::parts_of;
use chronoscope_render::findings::all;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{CRITICAL, PLAIN, WARNING};

/// All findings that concern `section`; one of a kind unknown to this build is shown in every section, so that none is
/// lost.
pub fn concerning(page: &mut Page, record: &Record, section: &str) {
    let concerns = |id: &str| kinds::of_check(id).is_none_or(|kind| kind.is_shown_in(section));
    all(page, record.findings.iter().filter(|finding| concerns(&finding.id)));
}

/// The style of a number subject to findings of `kinds`: as severe as those about `clock`, under its current name or
/// the name when the document was written.
pub fn style(record: &Record, kinds: &[Kind], clock: &ClockId) -> Style {
    let about = record.findings.iter().filter(|finding| kinds.iter().any(|kind| finding.is(*kind)));
    let about = about.filter(|finding| finding.subject.as_deref().is_some_and(|name| clock.name() == name));
    match about.map(|finding| finding.severity).max() {
        None => PLAIN,
        Some(Severity::Critical) => CRITICAL,
        Some(_) => WARNING,
    }
}

/// All findings except those of sections outside checks: their own pages show them. A kind belongs to the first section
/// it names.
pub fn of_check(record: &Record) -> Vec<Finding> {
    let is_of_check = |finding: &&Finding| {
        let section = kinds::of_check(&finding.id).and_then(|kind| kind.shown_in.first());
        let is_of_check = |section: &str| parts_of(section).iter().any(|row| row.is_of_check);
        section.is_none_or(|section| is_of_check(section))
    };
    record.findings.iter().filter(is_of_check).cloned().collect()
}
