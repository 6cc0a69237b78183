use chronoscope_record::Record;

use crate::line::Line;
use crate::page::Page;
use crate::palette::{PLAIN, TITLE, WARNING};
use crate::quantity::ms;

pub(crate) fn show(page: &mut Page, record: &Record) {
    let hostname = record.machine.hostname.as_deref().unwrap_or("hostname unknown");
    let lead = Line::styled(TITLE, &format!("{} {}", record.tool.name, record.tool.version));
    let rest = format!(" · {hostname} · {} · {}", moment(&record.started_at), ms(record.elapsed_ms as f64));
    if lead.width() + Line::plain(&rest).width() <= crate::page::WIDTH {
        page.line(lead.and(&rest));
    } else {
        page.paragraph(Line::new(), PLAIN, &format!("{} {}{rest}", record.tool.name, record.tool.version));
    }
    if record.interrupted {
        let text = "interrupted: the run was stopped before its end; what follows was measured until then";
        page.paragraph(Line::styled(WARNING, "! "), WARNING, text);
    }
}

/// `2026-11-21T06:10:03Z` to the minute; anything else as it stands.
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
