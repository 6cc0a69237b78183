use chronoscope_record::{Disturbance, Outcome, Part, Record};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{PLAIN, TITLE};
use crate::quantity::{count, ms};
use crate::section::machine::cpu_list;
use crate::section::{counted, given};

/// What all measurements suffered together, and the parts that are not whole.
pub(crate) fn show(page: &mut Page, record: &Record) {
    let mut all: Option<Disturbance> = None;
    for part in record.parts.iter().filter(|part| part.outcome != Outcome::Skipped) {
        all.get_or_insert_default().merge(&part.disturbance);
    }
    let mut sentences = vec![match &all {
        Some(all) if runtimes_ran(record) => format!(
            "of chronoscope's own threads: {}; switches and migrations of the runtimes' processes are not counted",
            said(all)
        ),
        Some(all) => format!("over all parts: {}", said(all)),
        None => "nothing was measured".to_owned(),
    }];
    for part in record.parts.iter().filter(|part| part.outcome != Outcome::Done) {
        let outcome = match part.outcome {
            Outcome::Done => "done",
            Outcome::Incomplete => "incomplete",
            Outcome::Skipped => "skipped",
            Outcome::Failed => "failed",
        };
        sentences.push(format!("{} {outcome}: {}", part.part.title(), given(part.reason.as_deref())));
    }
    page.paragraph(Line::styled(TITLE, "DISTURBANCE "), PLAIN, &sentences.join(" · "));
}

/// Whether processes ran whose threads nothing counts.
fn runtimes_ran(record: &Record) -> bool {
    record.parts.iter().any(|part| part.part == Part::Runtimes && part.outcome != Outcome::Skipped)
}

/// A disturbance in words.
pub(crate) fn said(disturbance: &Disturbance) -> String {
    let steal =
        disturbance.steal_ms.map_or_else(|| "steal not counted".to_owned(), |steal| format!("steal {}", ms(steal)));
    let switches = disturbance.involuntary_switches.map_or_else(
        || "involuntary switches not counted".to_owned(),
        |switches| counted(switches, "involuntary switch", "involuntary switches"),
    );
    let migrations = disturbance
        .migrations
        .map_or_else(|| "migrations not counted".to_owned(), |count| counted(count, "migration", "migrations"));
    let waited =
        disturbance.waited_ms.map_or_else(String::new, |waited| format!(" ({} of waiting for a CPU)", ms(waited)));
    format!("{steal}, {switches}{waited}, {migrations}, {}", bound_said(disturbance))
}

/// Steal, involuntary switches and migrations as cells of a table.
pub(crate) fn figures(disturbance: &Disturbance) -> [String; 3] {
    let counted = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), count);
    [
        disturbance.steal_ms.map_or_else(|| "–".to_owned(), ms),
        counted(disturbance.involuntary_switches),
        counted(disturbance.migrations),
    ]
}

/// The CPUs that threads were bound to, or why they were not.
pub(crate) fn bound(disturbance: &Disturbance) -> String {
    match &disturbance.reason_unpinned {
        Some(reason) => format!("no: {reason}"),
        None if disturbance.cpus.is_empty() => "no".to_owned(),
        None => cpu_list(&disturbance.cpus),
    }
}

fn bound_said(disturbance: &Disturbance) -> String {
    match &disturbance.reason_unpinned {
        Some(reason) => format!("threads not bound to CPUs: {reason}"),
        None if disturbance.cpus.is_empty() => "threads not bound to CPUs".to_owned(),
        None if disturbance.cpus.len() == 1 => format!("bound to CPU {}", cpu_list(&disturbance.cpus)),
        None => format!("bound to CPUs {}", cpu_list(&disturbance.cpus)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Width;

    fn line(record: &Record) -> String {
        let mut page = Page::with_width(Width::of_columns(400));
        show(&mut page, record);
        page.finish()
    }

    #[test]
    fn a_line_over_runtimes_says_whose_switches_it_counts() {
        let mut record = crate::json::parse(include_str!("../../tests/fixtures/runtimes.json")).unwrap();
        let said = line(&record);
        assert!(said.contains("of chronoscope's own threads: ") && !said.contains("all measurements"), "{said}");
        assert!(said.contains("runtimes' processes are not counted"), "{said}");
        record.parts.iter_mut().for_each(|part| part.part = Part::Reads);
        assert!(line(&record).contains("over all parts: "), "{}", line(&record));
    }
}
