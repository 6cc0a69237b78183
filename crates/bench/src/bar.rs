use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line on standard error that shows how far a run is, if that is a terminal; else nothing.
///
/// It is drawn only when told of progress: a bar that redraws by itself would disturb what is measured.
///
/// # Examples
/// ```
/// let bar = chronoscope_bench::Bar::new(false);
/// bar.shows(0.25, "relaxed, 4 tokens, 2 threads");
/// bar.finish();
/// ```
#[derive(Debug)]
pub struct Bar(ProgressBar);

/// The bar's length: shares are shown no finer than this.
const STEPS: u64 = 10_000;

impl Bar {
    /// A bar at its beginning; one that never shows if `quiet`.
    pub fn new(quiet: bool) -> Self {
        // Hides itself where standard error is no terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Shows that a share of the run, 0 to 1, is done, and what it does now.
    pub fn shows(&self, share: f64, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
    }

    /// Takes the bar off the terminal.
    pub fn finish(self) {
        self.0.finish_and_clear();
    }
}
