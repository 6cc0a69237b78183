//! When repetitions meet the clock's tick at unevenly spread phases, so that averaging does not help.

/// A rhythm of repetitions that meets the phases of the clock's tick unevenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uneven {
    /// About so many steps of the clock in …
    pub steps: u64,
    /// … so many repetitions.
    pub phases: u64,
    /// How far the mean may be off, in steps.
    pub off: f64,
}

/// The rhythm of `count` repetitions, `every` steps apart, if their mean may be off by more than `room` steps, however they begin.
///
/// A reading is rounded up if its phase is in an arc as long as the fraction of a step in the interval. So the mean is off by as much as
/// the share of phases in an arc differs from its length: at most, over all arcs, the discrepancy of the phases.
///
/// # Sources
/// L. Kuipers, H. Niederreiter, "Uniform Distribution of Sequences", 1974, chapter 2: the extreme discrepancy.
pub fn uneven(every: f64, count: u64, room: f64) -> Option<Uneven> {
    if !(every.is_finite() && every > 0.0 && every < 1e15) {
        return None;
    }
    let off = discrepancy(every, count);
    if off <= room {
        return None;
    }
    let (steps, phases) = rhythm(every);
    Some(Uneven { steps, phases, off })
}

/// The fewest repetitions of some that take nearly a whole number of steps, and that number.
fn rhythm(every: f64) -> (u64, u64) {
    /// More phases are no rhythm that anybody recognises.
    const MOST: u64 = 64;
    let off = |phases: u64| (every * phases as f64 - (every * phases as f64).round()).abs();
    let nearest = (1..=MOST).map(off).fold(f64::INFINITY, f64::min);
    let phases = (1..=MOST).find(|phases| off(*phases) <= nearest.max(NEARLY)).unwrap_or(1);
    ((every * phases as f64).round() as u64, phases)
}

/// A rhythm this near to a whole number of steps is called by it.
const NEARLY: f64 = 0.02;
/// More phases are looked at in blocks: all blocks together are at least as even as one of them.
const LONGEST: u64 = 1 << 18;

/// The largest difference between the share of phases in an arc and the arc's length.
fn discrepancy(every: f64, count: u64) -> f64 {
    let blocks = count.max(1).div_ceil(LONGEST);
    let size = count.max(1) / blocks;
    let mut phases: Vec<f64> = (0..size).map(|number| (every.fract() * number as f64).fract()).collect();
    phases.sort_unstable_by(f64::total_cmp);
    let share = |number: usize| number as f64 / size as f64;
    let ahead = phases.iter().enumerate().map(|(number, phase)| share(number + 1) - phase).fold(f64::MIN, f64::max);
    let behind = phases.iter().enumerate().map(|(number, phase)| phase - share(number)).fold(f64::MIN, f64::max);
    // What is left of the last block may all lie in one arc.
    let rest = (count.max(1) - size * blocks) as f64 / count.max(1) as f64;
    (ahead + behind + rest).min(1.0)
}

/// How many phases leave an error of `room` steps at most.
///
/// With `q` phases the mean is the interval rounded to a multiple of 1/q, down or up as the phase has it: off by less than 1/q.
pub fn phases_needed(room: f64) -> u64 {
    if room > 0.0 { (1.0 / room).ceil().min(1e15) as u64 } else { u64::MAX }
}
