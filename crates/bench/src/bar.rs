use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use chronoscope_render::page::fitted;
use terminal_size::{Width, terminal_size_of};

/// A line on standard error about what is done and what is left, if that is a terminal; otherwise nothing.
///
/// Drawn only on reported progress: a line that redraws by itself would disturb the measurement.
///
/// # Examples
/// ```
/// let mut bar = chronoscope_bench::Bar::new(false);
/// bar.shows(0.25, "relaxed, 4 tokens, 2 threads");
/// bar.clear();
/// ```
#[derive(Debug)]
pub struct Bar {
    is_shown: bool,
    began: Instant,
    drawn: Option<Instant>,
    /// How long the whole run takes, if that is known.
    expected: Option<Duration>,
}

/// It is drawn no more often.
const BETWEEN: Duration = Duration::from_millis(100);
/// Share of the run from which the time it took tells the time it takes.
const TELLING: f64 = 0.05;
/// Columns of a terminal that does not say how many it has.
const COLUMNS: u16 = 80;

impl Bar {
    /// Nothing is done yet; it never shows if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self { is_shown: !quiet && stderr().is_terminal(), began: Instant::now(), drawn: None, expected: None }
    }

    /// Says how long the whole run takes.
    pub fn expects(&mut self, whole: Duration) {
        self.expected = Some(whole);
    }

    /// Shows the completed share of the run, 0 to 1, the time left, and the current activity.
    pub fn shows(&mut self, share: f64, what: &str) {
        if !self.is_shown || self.drawn.is_some_and(|drawn| drawn.elapsed() < BETWEEN) {
            return;
        }
        self.drawn = Some(Instant::now());
        let columns = terminal_size_of(stderr()).map_or(COLUMNS, |(Width(columns), _)| columns);
        let line = said(share.clamp(0.0, 1.0), self.began.elapsed(), self.expected, what);
        self.writes(&fitted(&line, usize::from(columns).saturating_sub(1)));
    }

    /// Removes the line from the terminal, until something is shown again.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            self.writes("");
        }
    }

    fn writes(&self, line: &str) {
        // Progress that cannot be shown is not worth failing for.
        let _ = write!(anstream::stderr(), "\r\x1b[2K{line}").and_then(|()| stderr().flush());
    }
}

/// `42 % · 17 s left · relaxed, 2 threads`.
fn said(share: f64, elapsed: Duration, expected: Option<Duration>, what: &str) -> String {
    let left = left(share, elapsed, expected).map_or_else(String::new, |left| format!(" · {} left", rounded(left)));
    format!("{:.0} %{left} · {what}", (100.0 * share).floor())
}

/// The time left: as the time so far tells, and no more than is left of the time that the run was given. None where neither is
/// known.
fn left(share: f64, elapsed: Duration, expected: Option<Duration>) -> Option<Duration> {
    let given = expected.and_then(|expected| expected.checked_sub(elapsed));
    if share >= 1.0 {
        // How long the estimates take is not known.
        return None;
    }
    let told = (share >= TELLING).then(|| elapsed.mul_f64((1.0 - share) / share));
    told.into_iter().chain(given).min()
}

/// To whole seconds, and to minutes where there are hours.
fn rounded(time: Duration) -> String {
    match (time.as_secs_f64().ceil() as u64, time.as_secs().div_ceil(60)) {
        (seconds @ 0..60, _) => format!("{seconds} s"),
        (seconds @ 60..3600, _) => format!("{} min {} s", seconds / 60, seconds % 60),
        (_, minutes) => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn what_is_left_is_told_by_what_it_took() {
        for (share, took, given, wanted) in [
            (0.42, S(12), None, "42 % · 17 s left · a"),
            (0.42, S(12), Some(S(30)), "42 % · 17 s left · a"),
            // The time is over before all is done, and then the time given is over.
            (0.5, S(12), Some(S(20)), "50 % · 8 s left · a"),
            (0.5, S(30), Some(S(20)), "50 % · 30 s left · a"),
            (0.01, S(1), Some(S(20)), "1 % · 19 s left · a"),
            // Nothing is known.
            (0.0, S(1), None, "0 % · a"),
            (1.0, S(20), Some(S(30)), "100 % · a"),
            (0.999, S(1), None, "99 % · 1 s left · a"),
        ] {
            assert_eq!(said(share, took, given, "a"), wanted);
        }
        let words = [0, 59, 61, 3_599, 3_600, 7_380].map(|seconds| rounded(S(seconds)));
        assert_eq!(words, ["0 s", "59 s", "1 min 1 s", "59 min 59 s", "1 h 0 min", "2 h 3 min"]);
    }
}
