//! When repetitions keep meeting the clock's tick at the same phases, so that averaging does not help.

/// A rhythm of repetitions that meets few phases of the clock's tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locked {
    /// So many steps of the clock in …
    pub steps: u64,
    /// … so many repetitions: also how many phases are met.
    pub phases: u64,
}

/// The coarsest rhythm that `count` repetitions, `every` steps apart, keep to, if it meets fewer than `enough` phases.
///
/// Repetitions p/q steps apart meet q phases, 1/q of a step apart. One that is nearly so drifts; while it has drifted by less than
/// that distance, it has not met the phases between.
pub fn locked(every: f64, count: u64, enough: u64) -> Option<Locked> {
    if !(every.is_finite() && every > 0.0 && every < 1e15) {
        return None;
    }
    let keeps = |phases: &u64| {
        let steps = (every * *phases as f64).round();
        let drift = (every - steps / *phases as f64).abs() * count as f64;
        drift < 1.0 / *phases as f64
    };
    // One with more phases than repetitions is no rhythm that they could show.
    let most = enough.min(count).min(LONGEST);
    let phases = (1..most).find(keeps)?;
    Some(Locked { steps: (every * phases as f64).round() as u64, phases })
}

/// Rhythms of more phases are not looked for: they cost time, and hardly bias.
const LONGEST: u64 = 100_000;

/// How many phases leave an error of `room` steps at most.
///
/// With `q` phases the mean is the interval rounded to a multiple of 1/q, down or up as the phase has it: off by less than 1/q.
pub fn phases_needed(room: f64) -> u64 {
    if room > 0.0 { (1.0 / room).ceil().min(1e15) as u64 } else { u64::MAX }
}
