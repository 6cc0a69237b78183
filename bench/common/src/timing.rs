//! Loops timed from outside: two reads of the time around thousands of turns.

use std::time::{Duration, Instant};

/// Turns of the first attempt at finding how many fill a batch.
const FIRST_TURNS: u64 = 1_000;
/// No batch has more turns than this, however little they take.
const MOST_TURNS: u64 = 50_000_000;

/// Nanoseconds per turn of `batch`, which does `turns` turns.
pub fn ns_per_turn(turns: u64, batch: impl FnOnce(u64)) -> f64 {
    let begun = Instant::now();
    batch(turns);
    begun.elapsed().as_nanos() as f64 / turns as f64
}

/// How many turns of `batch` take about `length`; warms it up on the way.
pub fn turns_in(length: Duration, mut batch: impl FnMut(u64)) -> u64 {
    let mut turns = FIRST_TURNS;
    loop {
        let ns = (ns_per_turn(turns, &mut batch) * turns as f64).max(1.0);
        let wanted = turns as f64 * length.as_nanos() as f64 / ns;
        if ns * 2.0 >= length.as_nanos() as f64 || turns >= MOST_TURNS {
            return (wanted as u64).clamp(1, MOST_TURNS);
        }
        // At most tenfold: the first turns may have been slow for another reason.
        turns = (wanted as u64).clamp(turns + 1, turns * 10).min(MOST_TURNS);
    }
}
