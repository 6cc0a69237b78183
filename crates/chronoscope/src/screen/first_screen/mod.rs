//! The first screen of a check: at most 18 lines of 80 columns on a sound host, else 24. Everything else is on the full page.

mod attention;
mod cells;
mod gaps;
mod layout;
mod rows;
mod title;
mod trust;
mod uses;

pub use attention::{attention as warnings, gravest};
pub use cells::Row;
pub use gaps::gaps;
pub use layout::page_at;
pub use title::{cpus, machine_named as machine, processor, state, surroundings};
pub use trust::trust;
pub use uses::uses;

use anstyle::Style;
use chronoscope_render::palette::{CRITICAL, DIM, GOOD, WARNING};

use crate::judgement::grade::Grade;
use chronoscope_harness::finding::HostState;

/// How a conclusion of this grade is marked.
pub fn mark(grade: Grade) -> (Style, &'static str) {
    match grade {
        Grade::Good => (GOOD, "✔ "),
        Grade::Unknown => (DIM, "? "),
        Grade::Warning => (WARNING, "! "),
        Grade::Critical => (CRITICAL, "✘ "),
    }
}

/// The colour of a host's state, and of what puts it there.
fn style_of(state: HostState) -> Style {
    match state {
        HostState::Ok => GOOD,
        HostState::Unknown => DIM,
        HostState::Noisy | HostState::Degraded => WARNING,
        HostState::Broken => CRITICAL,
    }
}
