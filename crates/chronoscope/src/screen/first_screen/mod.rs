//! The first screen of a check: at most 24 lines of 80 columns. Everything else is on the full page.

mod cells;
mod layout;
mod rows;

pub use layout::terminal_at;

use anstyle::Style;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, WARNING};

use crate::judgement::grade::Grade;

/// How a conclusion of this grade is marked.
pub fn mark(grade: Grade) -> (Style, &'static str) {
    match grade {
        Grade::Good => (GOOD, "✔ "),
        Grade::Unknown => (DIM, "? "),
        Grade::Warning => (WARNING, "! "),
        Grade::Critical => (CRITICAL, "✘ "),
    }
}
