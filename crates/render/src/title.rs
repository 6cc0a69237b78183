use chronoscope_harness::record::{Document, Machine};

use crate::line::Line;
use crate::page::Page;
use crate::palette::{PLAIN, TITLE, WARNING};
use chronoscope_harness::quantity::ms;

/// Where and when a run was made, and its duration.
pub fn circumstances<C>(run: &Document<C>) -> String {
    let hostname = run.machine.hostname.as_deref().unwrap_or("hostname unknown");
    format!("{hostname} · {} · {}", moment(&run.started_at), ms(run.elapsed_ms as f64))
}

/// What to say before any figure of a machine with an emulated CPU.
pub fn emulated(machine: &Machine) -> Option<String> {
    machine.emulated_by().map(|by| format!("emulated by {by}: no duration here is one of hardware"))
}

/// The title line, with a note if the CPU is emulated, and one if the run was stopped.
pub fn head<C>(page: &mut Page, name: &str, run: &Document<C>) {
    let lead = Line::styled(TITLE, name);
    let rest = format!(" · {}", circumstances(run));
    if lead.width() + Line::plain(&rest).width() <= page.width() {
        page.line(lead.and(&rest));
    } else {
        page.paragraph(Line::new(), PLAIN, &format!("{name}{rest}"));
    }
    if let Some(text) = emulated(&run.machine) {
        page.paragraph(Line::styled(WARNING, "! "), WARNING, &text);
    }
    if run.interrupted {
        let text = "interrupted: partial results follow";
        page.paragraph(Line::styled(WARNING, "! "), WARNING, text);
    }
}

/// `2026-11-21T06:10:03Z` to the minute; anything else unchanged.
pub fn moment(rfc3339: &str) -> String {
    let utc = rfc3339.ends_with('Z') || rfc3339.ends_with("+00:00");
    match (rfc3339.get(..10), rfc3339.get(10..11), rfc3339.get(11..16)) {
        (Some(date), Some("T" | "t" | " "), Some(time)) if utc && time.as_bytes().get(2) == Some(&b':') => {
            format!("{date} {time} UTC")
        }
        _ => rfc3339.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::{Emulation, Tool};

    #[test]
    fn an_emulated_cpu_is_named_under_the_title() {
        let tool = Tool { name: "test".to_owned(), version: "1".to_owned() };
        let mut run = Document::new("check", tool, Machine::default(), ());
        let shown = |run: &Document<()>| {
            let mut page = Page::with_width(crate::Width::of_columns(80));
            head(&mut page, "test 1", run);
            page.finish()
        };
        assert!(!shown(&run).contains("emulated"));
        let by = Some("QEMU (TCG)".to_owned());
        run.machine.cpu.emulation = Emulation { is_emulated: Some(true), by, ..Emulation::default() };
        let second = shown(&run).lines().nth(1).map(str::to_owned).unwrap_or_default();
        assert!(second.contains("emulated") && second.contains("(TCG)"), "{second}");
    }

    #[test]
    fn moments_to_the_minute() {
        assert_eq!(moment("2026-11-21T06:10:03Z"), "2026-11-21 06:10 UTC");
        assert_eq!(moment("2026-11-21T06:10:03+02:00"), "2026-11-21T06:10:03+02:00");
        assert_eq!(moment("ü"), "ü");
    }
}
