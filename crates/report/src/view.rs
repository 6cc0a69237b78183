use chronoscope_record::Record;

use crate::Width;
use crate::page::Page;
use crate::section::{
    causality, clock_detail, clocks, disturbance, findings, latch, machine, monotime, pause, reads, runtimes, title,
    verdict,
};

/// Which sections of a record are shown.
///
/// # Examples
/// ```
/// use chronoscope_report::{View, parse, terminal};
///
/// let record = parse(include_str!("../tests/fixtures/record.json"))?;
/// assert!(terminal(&record, View::Causality).contains("ACROSS CORES"));
/// assert!(!terminal(&record, View::Reads).contains("ACROSS CORES"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
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
    ///
    /// # Examples
    /// ```
    /// assert_eq!(chronoscope_report::View::ALL.len(), 8);
    /// ```
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

/// Renders a record as text with ANSI styles, for a terminal of 118 columns or more.
///
/// # Guarantees
/// Those of [`terminal_at`].
///
/// # Examples
/// ```
/// use chronoscope_report::{View, parse, terminal};
///
/// let record = parse(include_str!("../tests/fixtures/record.json"))?;
/// assert!(terminal(&record, View::Check).contains("CLOCK_MONOTONIC"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn terminal(record: &Record, view: View) -> String {
    terminal_at(record, view, Width::default())
}

/// Renders a record as text with ANSI styles, for a terminal of this width.
///
/// # Guarantees
/// Never panics, whatever the record holds. The record's own strings cannot steer the terminal: control characters
/// in them are shown as pictures. Quantities and their units are written the same way under every locale. A narrower
/// page has more lines and the same numbers: no column of a table is left out.
///
/// # Examples
/// ```
/// use chronoscope_report::{View, Width, parse, terminal_at};
///
/// let record = parse(include_str!("../tests/fixtures/record.json"))?;
/// let page = terminal_at(&record, View::Check, Width::of_columns(80));
/// assert!(page.contains("CLOCK_MONOTONIC"));
/// # Ok::<(), chronoscope_report::ReportError>(())
/// ```
pub fn terminal_at(record: &Record, view: View, width: Width) -> String {
    let mut page = Page::with_width(width);
    title::show(&mut page, record);
    match view {
        View::Check => {
            verdict::show(&mut page, record);
            machine::show(&mut page, record);
            clocks::show(&mut page, record);
            reads::show(&mut page, record);
            causality::show(&mut page, record);
            pause::brief(&mut page, record);
            runtimes::brief(&mut page, record);
            findings::notices(&mut page, record);
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
