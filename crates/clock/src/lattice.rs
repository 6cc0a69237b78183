//! The step in which a clock moves, measured: the period of the lattice on which its readings lie.
//!
//! A clock that moves every P of its units shows ⌊k·P + φ⌋, so two of its readings differ by a multiple of P, give or take less
//! than one unit. P is no whole number where a hypervisor scales the counter, or where the unit is a nanosecond. The smallest
//! difference would measure how long a read takes, and a greatest common divisor knows whole numbers only.

use core::hint::black_box;

/// Readings of a set.
const READINGS: usize = 32;
/// Sets, of which the longest period counts: a reading off the lattice, as after a migration, shortens that of its own set.
pub(crate) const SETS: usize = 3;
/// No set begins after this time: where a read traps, one set must do.
const BUDGET_NS: f64 = 20_000.0;
/// Shorter periods cannot be told apart: every whole number is within one of a multiple of 3.
const SHORTEST: f64 = 3.0;
/// What may be cut off a difference, either way: less than a unit, but for the rounding of a quotient.
const CUT_OFF: f64 = 1.0 + 1e-6;
/// Multiples tried per set, after which the longest period that is not refuted is taken.
const MOST_TRIED: u32 = 4_000;
/// Where the period must be shorter than this, that is answer enough.
const FINE: f64 = 5.0;

/// The longest period, in units of `read`, on which `sets` of readings by it lie. None if no two differ.
///
/// # Guarantees
/// At least 3 units, and not shorter than the true period. Longer by at most a share of 1/k, where k is the number of periods
/// between the most distant neighbours; by more only if all distances happen to be multiples of more, or if a read takes hundreds of
/// periods.
pub(crate) fn measured(read: impl Fn() -> u64, ns_per_unit: f64, sets: usize) -> Option<f64> {
    let mut longest: Option<f64> = None;
    let mut spent_ns = 0.0;
    for _ in 0..sets {
        let mut readings = [0; READINGS];
        for (place, reading) in readings.iter_mut().enumerate() {
            delay(place);
            *reading = read();
        }
        if let Some((_, period)) = searched(&readings, longest.unwrap_or(SHORTEST), FINE) {
            longest = Some(longest.map_or(period, |longest| longest.max(period)));
        }
        spent_ns += readings[READINGS - 1].wrapping_sub(readings[0]) as f64 * ns_per_unit;
        if spent_ns > BUDGET_NS {
            break;
        }
    }
    longest
}

/// Irregular times between readings, up to some tens of nanoseconds: at regular ones they would be multiples of too much.
fn delay(place: usize) {
    let mut value = 1_u64;
    for _ in 0..place * 7 % 13 {
        value = black_box(value.wrapping_mul(3));
    }
}

/// The least and the greatest that the longest period from `shortest` on can be of which all differences between neighbours among the
/// first 32 `readings` are multiples, give or take less than one unit; `shortest` twice if there is none. None if no two neighbours
/// differ. Below 3 units every period fits.
#[must_use]
pub fn longest_period(readings: &[u64], shortest: f64) -> Option<(f64, f64)> {
    searched(readings, shortest, shortest)
}

/// The same, but searched for only if it may be longer than `fine`: what it is shorter than, if that is less.
fn searched(readings: &[u64], shortest: f64, fine: f64) -> Option<(f64, f64)> {
    let mut differences = [0; READINGS - 1];
    let neighbours = readings.iter().zip(readings.get(1..)?);
    neighbours.zip(&mut differences).for_each(|((earlier, later), place)| *place = later.saturating_sub(*earlier));
    // The shortest first: they leave the fewest periods, of which a longer one is then a multiple in one way or in none.
    differences.sort_unstable();
    let first = differences.iter().position(|difference| *difference > 0)?;
    let differences = &differences[first..];
    // No period is longer than two of them lie apart that are not of the same multiple; those of one lie at most one unit apart, or
    // two where somebody rounded.
    let apart = |least: u64| {
        let gaps = differences.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap >= least);
        gaps.min().map_or(f64::MAX, |gap| gap as f64 + 2.0 * CUT_OFF)
    };
    if apart(2) < fine {
        return Some((shortest, apart(2).max(shortest)));
    }
    let longest = (differences[0] as f64 + CUT_OFF).min(apart(3));
    let mut left = MOST_TRIED;
    Some(fitting((shortest, longest), differences, &mut left).unwrap_or((shortest, shortest)))
}

/// The longest periods in the range that fit all `differences`; once no try is `left`, the longest that are not refuted.
fn fitting(range: (f64, f64), differences: &[u64], left: &mut u32) -> Option<(f64, f64)> {
    let Some((difference, rest)) = differences.split_first() else { return Some(range) };
    let (least, most) = (*difference as f64 - CUT_OFF, *difference as f64 + CUT_OFF);
    let mut multiple = (least / range.1) as u64 as f64 + 1.0;
    while most > range.0 * multiple {
        if *left == 0 {
            return Some(range);
        }
        *left -= 1;
        let narrowed = (range.0.max(least / multiple), range.1.min(most / multiple));
        if narrowed.0 < narrowed.1 {
            if let Some(found) = fitting(narrowed, rest, left) {
                return Some(found);
            }
        }
        multiple += 1.0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use proptest::prelude::*;

    /// A clock that ticks every `period` units. Reads take `read` units, up to three times that, at random.
    fn clock(period: f64, read: f64, seed: u64) -> impl Fn() -> u64 {
        let (now, state) = (Cell::new(seed as f64 % 1e6), Cell::new(seed | 1));
        move || {
            let mut next = state.get();
            next ^= next << 13;
            next ^= next >> 7;
            next ^= next << 17;
            state.set(next);
            now.set(now.get() + read * (1.0 + 2.0 * (next >> 11) as f64 / (1_u64 << 53) as f64));
            // As hardware and kernels multiply.
            let ticks = (now.get() / period) as u128;
            ((ticks * (period * (1_u64 << 32) as f64) as u128) >> 32) as u64
        }
    }

    proptest! {
        /// Counters of 1, 3, 24 and 26 ticks, of 41.67 ns and 279 ns, scaled by a hypervisor or not, read fast or slowly.
        #[test]
        fn the_step_is_found_and_never_too_short(
            period in prop_oneof![
                Just(1.0), Just(3.0), Just(24.0), Just(26.0), Just(125.0 / 3.0), Just(69.841_3), Just(279.365), 1.0..3_000.0_f64
            ],
            scale in prop_oneof![Just(1.0), 0.25..4.0_f64],
            read in prop_oneof![10.0..200.0_f64, 500.0..5_000.0_f64],
            seed in any::<u64>(),
        ) {
            let period = period * scale;
            let Some(found) = measured(clock(period, read, seed), 1.0, SETS) else {
                prop_assert!(period > read * READINGS as f64, "{} does not move", period);
                return Ok(());
            };
            prop_assert!(found >= period, "{} is shorter than {}", found, period);
            prop_assert!(found <= (period * 1.02 + 1.0).max(5.0).max(read / 25.0), "{} for {}", found, period);
        }
    }

    #[test]
    fn a_clock_that_does_not_move_has_no_step() {
        assert_eq!(measured(|| 7, 1.0, SETS), None);
    }

    /// A thread that is moved to a CPU whose counter has another phase leaves the lattice once.
    #[test]
    fn a_reading_off_the_lattice_does_not_shorten_the_step() {
        let (now, reads) = (Cell::new(0_u64), Cell::new(0_u64));
        let moved = || {
            now.set(now.get() + 26 * (2 + reads.get() * 7 % 5));
            reads.set(reads.get() + 1);
            now.get() + if reads.get() > 40 { 11 } else { 0 }
        };
        let found = measured(moved, 0.4, SETS).unwrap();
        assert!((26.0..27.0).contains(&found), "{found}");
    }

    /// A clock goes back, or a thread is stopped for hours between two readings.
    #[test]
    fn any_readings_are_searched_to_an_end() {
        for odd in [193 - 2 * 26, 7, 0, 1 << 40, u64::MAX / 2, u64::MAX] {
            let found = longest_period(&[100, 126, 152, odd, odd.wrapping_add(52)], SHORTEST);
            assert!(found.is_some_and(|(least, most)| least <= most && most >= 26.0), "{odd}: {found:?}");
        }
    }

    #[test]
    fn where_a_read_traps_one_set_must_do() {
        let reads = Cell::new(0_u64);
        let trapping = || {
            reads.set(reads.get() + 1);
            reads.get() * 4_000
        };
        measured(trapping, 0.4, SETS).unwrap();
        assert_eq!(reads.get(), READINGS as u64);
    }
}
