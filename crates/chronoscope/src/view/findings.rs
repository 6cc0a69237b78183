use crate::document::Record;
use crate::rules::kind;
use chronoscope_render::findings::all;
use chronoscope_render::page::Page;

/// All findings that concern `section`; one of a kind that this build does not know is shown in all, so that none is lost.
pub fn concerning(page: &mut Page, record: &Record, section: &str) {
    let concerns = |id: &str| kind(id).is_none_or(|kind| kind.is_shown_in(section));
    all(page, record.findings.iter().filter(|finding| concerns(&finding.id)));
}
