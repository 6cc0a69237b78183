use crate::document::{Outcome, PartReport, Record};
use chronoscope_harness::record::Disturbance;
use chronoscope_render::disturbance::said;
use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{PLAIN, TITLE};
use chronoscope_render::words::given;

/// The combined disturbance of all measurements, and the incomplete parts.
pub fn show(page: &mut Page, record: &Record) {
    let mut all: Option<Disturbance> = None;
    let is_skipped = |part: &&PartReport| part.outcome == Outcome::Skipped;
    // A part without workers observes nothing.
    let unwatched = Disturbance::default();
    for part in record.content.parts.iter().filter(|part| !is_skipped(part) && part.disturbance != unwatched) {
        all.get_or_insert_default().merge(&part.disturbance);
    }
    let mut sentences = Vec::from_iter(match &all {
        Some(all) if runtimes_ran(record) => Some(format!(
            "chronoscope's own threads: {}; switches and migrations of the runtimes' processes are not counted",
            said(all)
        )),
        Some(all) => Some(format!("all parts, set-up included: {}", said(all))),
        None if record.content.parts.iter().all(|part| is_skipped(&part)) => Some("nothing was measured".to_owned()),
        None => None,
    });
    for part in record.content.parts.iter().filter(|part| part.outcome != Outcome::Done) {
        let outcome = part.outcome.word();
        sentences.push(format!("{} {outcome}: {}", part.part.title(), given(part.reason.as_deref())));
    }
    if !sentences.is_empty() {
        page.paragraph(Line::styled(TITLE, "DISTURBANCE "), PLAIN, &sentences.join(" · "));
    }
}

/// Whether processes ran whose threads are not counted.
fn runtimes_ran(record: &Record) -> bool {
    record
        .content
        .parts
        .iter()
        .any(|part| part.part == crate::sections::runtimes::plan::RUNTIMES && part.outcome != Outcome::Skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_render::Width;

    fn line(record: &Record) -> String {
        let mut page = Page::with_width(Width::of_columns(400));
        show(&mut page, record);
        page.finish()
    }

    #[test]
    fn a_line_over_runtimes_says_whose_switches_it_counts() {
        let mut record = crate::json::document(include_str!("../../tests/fixtures/runtimes.json")).unwrap();
        assert!(!line(&record).contains("all"), "{}", line(&record));
        record.content.parts.iter_mut().for_each(|part| part.part = crate::sections::reads::plan::READS);
        assert!(line(&record).contains("all"), "{}", line(&record));
        record.content.parts.iter_mut().for_each(|part| part.disturbance = Disturbance::default());
        assert_eq!(line(&record), "");
    }
}
