pub mod disturbance;
pub mod findings;
pub mod reason;
pub mod title;

use chronoscope_render::machine;

use crate::Width;
use crate::answers::view as verdict;
use crate::page::Page;
use crate::record::Record;
use crate::sections::causality::view as causality;
use crate::sections::clocks::detail as clock_detail;
use crate::sections::clocks::view as clocks;
use crate::sections::contention::view as monotime;
use crate::sections::pauses::view as pause;
use crate::sections::reads::view as reads;
use crate::sections::runtimes::view as runtimes;
use crate::sections::thread_release::view as latch;

/// Which sections of a record are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Everything, on one screen.
    Check,
    /// The clocks alone, each with all that was seen of it.
    Clocks,
    /// Consecutive reads alone, of every clock.
    Reads,
    /// What was seen between CPUs alone: all pairs, all litmus runs.
    Causality,
    /// What causal times cost many threads alone.
    Monotime,
    /// What calls cost in one thread and in many alone.
    Latch,
    /// How long pauses take alone.
    Pause,
    /// What language runtimes see alone.
    Runtimes,
}

impl View {
    /// Every view.
    pub const ALL: [Self; 8] = [
        Self::Check,
        Self::Clocks,
        Self::Reads,
        Self::Causality,
        Self::Monotime,
        Self::Latch,
        Self::Pause,
        Self::Runtimes,
    ];
}

/// As [`terminal_at`], 118 columns wide.
#[cfg(test)]
pub fn terminal(record: &Record, view: View) -> String {
    terminal_at(record, view, Width::default())
}

/// Renders a record as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// Never panics, whatever the record holds. The record's own strings cannot steer the terminal: control characters
/// in them are shown as pictures. Quantities and their units are written the same way under every locale. A narrower
/// page has more lines and the same numbers: no column of a table is left out.
pub fn terminal_at(record: &Record, view: View, width: Width) -> String {
    let mut page = Page::with_width(width);
    title::show(&mut page, record);
    match view {
        View::Check => {
            verdict::show(&mut page, record);
            machine::show(&mut page, &record.machine);
            clocks::show(&mut page, record);
            reads::show(&mut page, record);
            causality::show(&mut page, record);
            pause::brief(&mut page, record);
            runtimes::brief(&mut page, record);
            crate::findings::notices(&mut page, &record.findings);
        }
        View::Clocks => {
            verdict::asked(&mut page, record);
            clocks::show(&mut page, record);
            clock_detail::show(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Reads => {
            reads::show_all(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Causality => {
            causality::show_all(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Monotime => {
            monotime::show(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Pause => {
            pause::show(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Runtimes => {
            runtimes::show(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
        View::Latch => {
            latch::show(&mut page, record);
            findings::concerning(&mut page, record, view);
        }
    }
    disturbance::show(&mut page, record);
    page.finish()
}
