//! How many readings of a coarse clock recover a shorter interval.

/// The two-sided normal quantile for 99 %.
pub const Z_99: f64 = 2.575_829_303_548_901;
/// The confidence that goes with it, in percent.
pub const CONFIDENCE_PCT: f64 = 99.0;
/// More readings than this are not counted.
const MOST: f64 = 1e15;

/// The standard deviation of a reading in steps of the clock, for a random phase.
///
/// A reading is the interval rounded to the step below or the one above. The mean is right: it is rounded up as often as the
/// fraction `f` that is left over. The variance is that of one such toss, f (1 − f). Where the interval is not much shorter than
/// the step, a slightly different length has another fraction, so the worst case counts.
///
/// # Sources
/// B. Widrow, I. Kollár, "Quantization Noise", 2008, chapter 15; a reading is the difference of two quantised times.
pub fn deviation_in_steps(interval_ns: f64, step_ns: f64) -> f64 {
    let fraction = interval_ns / step_ns;
    if (0.0..0.5).contains(&fraction) { (fraction * (1.0 - fraction)).sqrt() } else { 0.5 }
}

/// How many readings to average so that noise of this standard deviation exceeds `room` in one of 100 experiments at most; both in
/// steps of the clock. None if no number suffices.
///
/// n ≥ (z s / t)², with the usual correction of half a step for the sum of `n` tosses, without which a few readings are too few.
pub fn readings(deviation: f64, room: f64) -> Option<u64> {
    if !(room > 0.0 && deviation >= 0.0) {
        return None;
    }
    let spread = Z_99 * deviation;
    let root = (spread + (spread * spread + 2.0 * room).sqrt()) / (2.0 * room);
    let count = (root * root).ceil().max(1.0);
    (count <= MOST).then_some(count as u64)
}
