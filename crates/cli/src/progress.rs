use chronoscope_measure::engine::Observer;
use chronoscope_measure::record::Part;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Interrupt;

/// Shows on standard error how far a run is, if that is a terminal, and carries the user's wish to stop.
pub(crate) struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
    done_ms: u64,
    part_ms: u64,
}

impl Progress {
    pub(crate) fn new(quiet: bool, interrupt: Interrupt) -> Self {
        // Hides itself where standard error is no terminal. It is drawn only when told of progress: a bar that
        // redraws by itself would disturb the measurements.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
            bar.set_style(style);
        }
        Self { bar, interrupt, done_ms: 0, part_ms: 0 }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn part_begins(&mut self, part: Part, done_ms: u64, whole_ms: u64) {
        (self.done_ms, self.part_ms) = (done_ms, 0);
        self.bar.set_length(whole_ms);
        self.bar.set_position(done_ms);
        self.bar.set_message(part.title());
    }

    fn part_goes_on(&mut self, _part: Part, budget_ms: u64, share: f64) {
        self.part_ms = (budget_ms as f64 * share) as u64;
        self.bar.set_position(self.done_ms + self.part_ms);
    }

    fn cancelled(&self) -> bool {
        self.interrupt.happened()
    }
}
