use std::time::Duration;

use super::{Bar, Interrupt};
use chronoscope_harness::StudyObserver;

/// Shows the progress of a study, and relays the user's request to stop it.
///
/// # Examples
/// ```
/// use chronoscope_harness::StudyObserver;
/// use chronoscope_bench::{Interrupt, StudyProgress};
///
/// let mut progress = StudyProgress::new(true, Interrupt::default());
/// progress.goes_on(0.5, "relaxed, 4 tokens, 2 threads");
/// assert!(!progress.cancelled());
/// progress.finish();
/// ```
#[derive(Debug)]
pub struct StudyProgress {
    bar: Bar,
    interrupt: Interrupt,
    /// Where in the whole run this study begins and ends, as shares.
    span: (f64, f64),
}

impl StudyProgress {
    /// For a run of one study.
    pub fn new(quiet: bool, interrupt: Interrupt) -> Self {
        Self { bar: Bar::new(quiet), interrupt, span: (0.0, 1.0) }
    }

    /// Says how long the whole run takes, so that what is left is known from the start.
    pub fn expects(&mut self, whole: Duration) {
        self.bar.expects(whole);
    }

    /// Starts one of several studies, which covers the run between these shares, 0 to 1.
    pub fn enters(&mut self, from: f64, to: f64) {
        self.span = (from, to);
    }

    /// Removes the line from the terminal, until there is progress again.
    pub fn clear(&mut self) {
        self.bar.clear();
    }

    /// Removes the line from the terminal.
    pub fn finish(mut self) {
        self.clear();
    }
}

impl StudyObserver for StudyProgress {
    fn goes_on(&mut self, share: f64, what: &str) {
        let (from, to) = self.span;
        self.bar.shows(from + (to - from) * share.clamp(0.0, 1.0), what);
    }

    fn cancelled(&self) -> bool {
        self.interrupt.happened()
    }
}
