use crate::engine::Observer;
use crate::record::Part;
use chronoscope_bench::{Bar, Interrupt};

/// Shows on standard error how far a run is, if that is a terminal, and carries the user's wish to stop.
pub struct Progress {
    bar: Bar,
    interrupt: Interrupt,
    done_ms: u64,
    whole_ms: u64,
}

impl Progress {
    pub fn new(quiet: bool, interrupt: Interrupt) -> Self {
        Self { bar: Bar::new(quiet), interrupt, done_ms: 0, whole_ms: 1 }
    }

    /// Takes the bar off the terminal.
    pub fn finish(self) {
        self.bar.finish();
    }

    fn shows(&self, part: Part, part_ms: f64) {
        self.bar.shows((self.done_ms as f64 + part_ms) / self.whole_ms.max(1) as f64, part.title());
    }
}

impl Observer for Progress {
    fn part_begins(&mut self, part: Part, done_ms: u64, whole_ms: u64) {
        (self.done_ms, self.whole_ms) = (done_ms, whole_ms);
        self.shows(part, 0.0);
    }

    fn part_goes_on(&mut self, part: Part, budget_ms: u64, share: f64) {
        self.shows(part, budget_ms as f64 * share);
    }

    fn cancelled(&self) -> bool {
        self.interrupt.happened()
    }
}
