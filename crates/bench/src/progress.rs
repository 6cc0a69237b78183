use super::{Bar, Interrupt};
use chronoscope_harness::StudyObserver;

/// Shows how far a study is, and carries the user's wish to stop it.
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
    /// The share of the whole run at which this study begins and ends.
    span: (f64, f64),
}

impl StudyProgress {
    /// For a run that is one study.
    pub fn new(quiet: bool, interrupt: Interrupt) -> Self {
        Self { bar: Bar::new(quiet), interrupt, span: (0.0, 1.0) }
    }

    /// For one of several studies, which takes the run from one share of it, 0 to 1, to another.
    pub fn enters(&mut self, from: f64, to: f64) {
        self.span = (from, to);
    }

    /// Takes the bar off the terminal.
    pub fn finish(self) {
        self.bar.finish();
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
