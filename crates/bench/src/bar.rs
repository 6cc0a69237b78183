use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress line on standard error, if that is a terminal; otherwise nothing.
///
/// Drawn only on reported progress: a bar that redraws by itself would disturb the measurement.
///
/// # Examples
/// ```
/// let bar = chronoscope_bench::Bar::new(false);
/// bar.shows(0.25, "relaxed, 4 tokens, 2 threads");
/// bar.finish();
/// ```
#[derive(Debug)]
pub struct Bar(ProgressBar);

/// The bar's resolution.
const STEPS: u64 = 10_000;

impl Bar {
    /// A bar at 0 %; it never shows if `quiet`.
    pub fn new(quiet: bool) -> Self {
        // Hides itself if standard error is not a terminal.
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Shows the completed share of the run, 0 to 1, and the current activity.
    pub fn shows(&self, share: f64, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
    }

    /// Removes the bar from the terminal.
    pub fn finish(self) {
        self.0.finish_and_clear();
    }
}
