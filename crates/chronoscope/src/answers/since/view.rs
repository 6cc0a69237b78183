//! The sentence on the page of a check.

use chronoscope_render::line::Line;
use chronoscope_render::page::Page;
use chronoscope_render::palette::{PLAIN, TITLE};

use super::report::Since;

/// Adds what changed since the last check.
pub fn show(page: &mut Page, since: &Since) {
    page.paragraph(Line::styled(TITLE, "SINCE "), PLAIN, &since.sentence);
}
