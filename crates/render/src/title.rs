use chronoscope_harness::record::Machine;

use crate::line::Line;
use crate::page::Page;
use crate::palette::{PLAIN, TITLE, WARNING};
use chronoscope_harness::quantity::ms;

/// Where and when a run was made, and its duration.
pub fn circumstances(machine: &Machine, started_at: &str, elapsed_ms: u64) -> String {
    let hostname = machine.hostname.as_deref().unwrap_or("hostname unknown");
    format!("{hostname} · {} · {}", moment(started_at), ms(elapsed_ms as f64))
}

/// The title line, with a note if the run was stopped.
pub fn head(page: &mut Page, name: &str, circumstances: &str, interrupted: bool) {
    let lead = Line::styled(TITLE, name);
    let rest = format!(" · {circumstances}");
    if lead.width() + Line::plain(&rest).width() <= page.width() {
        page.line(lead.and(&rest));
    } else {
        page.paragraph(Line::new(), PLAIN, &format!("{name}{rest}"));
    }
    if interrupted {
        let text = "interrupted: partial results follow";
        page.paragraph(Line::styled(WARNING, "! "), WARNING, text);
    }
}

/// `2026-11-21T06:10:03Z` to the minute; anything else unchanged.
fn moment(rfc3339: &str) -> String {
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
    use super::moment;

    #[test]
    fn moments_to_the_minute() {
        assert_eq!(moment("2026-11-21T06:10:03Z"), "2026-11-21 06:10 UTC");
        assert_eq!(moment("2026-11-21T06:10:03+02:00"), "2026-11-21T06:10:03+02:00");
        assert_eq!(moment("ü"), "ü");
    }
}
