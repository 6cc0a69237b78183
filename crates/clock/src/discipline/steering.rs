use super::published::Segment;
use crate::Line;

/// By how much of itself a segment's rate may change from one to the next, and how far it may be from the reference's to
/// make good a lag, as a power of two: 2⁻⁸ is 3906 ppm.
///
/// NTP slews by up to 500 ppm. What changes faster is followed as fast as this, and the lag is part of the bound.
const RATE_CHANGE_SHIFT: u32 = 8;
/// Counter and reference have jumped against each other if they differ by more than this and the share below of the time
/// since the last segment; chrony slews by 8 % at most.
const JUMP_NS: u64 = 1_000_000;
const JUMP_SHARE_SHIFT: u32 = 3;

/// One look at the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// The counter at the time of the look.
    pub(super) ticks: u64,
    /// The reference's time then, in units of 2⁻ᶠ ns.
    pub(super) fixed: u128,
    /// How far the reference's true time may lie from that, in nanoseconds.
    pub(super) half_width_ns: u64,
}

/// How the clock stood to its reference when a segment began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// Reference minus clock, in nanoseconds: positive if the clock is behind.
    pub(super) lag_ns: i64,
    /// Whether either jumped.
    pub(super) jumped: bool,
}

/// The first segment: at the upper edge of the look, so that no time that the system's clock has shown to anyone comes
/// after one that this segment shows later.
pub(super) fn begin(look: &Look, rate: Line, span_log2: u32, floor_ns: u64) -> Segment {
    let upper = look.fixed.wrapping_add(u128::from(look.half_width_ns + 1) << Line::FRACTION_BITS);
    let fixed = upper.max(u128::from(floor_ns) << Line::FRACTION_BITS);
    Segment { line: rate.through_fixed(look.ticks, fixed), start: look.ticks, span: 1 << span_log2 }
}

/// The segment after `previous`, which is past its end: continues from where that ended, and is steered so that it meets
/// the reference at its own end, `2^span_log2` ticks on, if `rate` holds.
///
/// # Guarantees
/// At no tick past the previous end is the new line below what [`shown_or_held`] shows there.
pub(super) fn follow(previous: Segment, look: &Look, rate: Line, span_log2: u32) -> (Segment, Standing) {
    let end = previous.end();
    let at_end = previous.line.fixed(end);
    let gap = look.ticks.wrapping_sub(end);
    if gap > u64::MAX / 2 {
        // The counter went back: nothing is known but what was shown already, and the reference.
        let fixed = look.fixed.max(at_end);
        let segment = Segment { line: rate.through_fixed(look.ticks, fixed), start: look.ticks, span: 1 << span_log2 };
        return (segment, Standing { lag_ns: difference_ns(look.fixed, fixed), jumped: true });
    }
    let slope = previous.line.slope();
    let least = at_end.saturating_add(held_gain(previous, gap));
    let gained = u128::from(slope) * u128::from(gap);
    let most = at_end.saturating_add(gained).saturating_add(gained >> RATE_CHANGE_SHIFT);
    let surprise = look.fixed.abs_diff(at_end.saturating_add(gained));
    let jumped = surprise > (gained >> JUMP_SHARE_SHIFT) + (u128::from(JUMP_NS) << Line::FRACTION_BITS);
    // A jump ahead is taken at once, as nobody can have read the time in between; one back is never.
    let fixed = if jumped { look.fixed.max(least) } else { look.fixed.clamp(least, most.max(least)) };
    let lag = look.fixed.wrapping_sub(fixed) as i128;
    let correction = i128::from(rate.slope() >> RATE_CHANGE_SHIFT);
    let wanted = i128::from(rate.slope()) + (lag >> span_log2).clamp(-correction, correction);
    let change = i128::from(slope >> RATE_CHANGE_SHIFT);
    let slope = wanted.clamp(i128::from(slope) - change, (i128::from(slope) + change).min(i128::from(u64::MAX))) as u64;
    let line = Line::from_parts(slope, 0).through_fixed(look.ticks, fixed);
    let standing = Standing { lag_ns: difference_ns(look.fixed, fixed), jumped };
    (Segment { line, start: look.ticks, span: 1 << span_log2 }, standing)
}

/// The time at `ticks` by `last`, also past its end and before its successor is there, in nanoseconds.
///
/// # Guarantees
/// Past the end never above what any later segment will show at that tick or later: it runs at the least rate that the
/// next one may have, for as long as that one lasts at least, and then stands still.
pub(super) fn shown_or_held(last: Segment, ticks: u64) -> u64 {
    if last.holds_at(ticks) {
        return last.line.ns(ticks);
    }
    let end = last.end();
    let past_end = ticks.wrapping_sub(end);
    if past_end > u64::MAX / 2 {
        return last.line.ns(end); // the counter went back
    }
    let fixed = last.line.fixed(end).saturating_add(held_gain(last, past_end));
    (fixed >> Line::FRACTION_BITS) as u64
}

/// What the held time gains in `gap` ticks past the end of `last`. A successor is never shorter than `last`.
fn held_gain(last: Segment, gap: u64) -> u128 {
    let slope = last.line.slope();
    let least_slope = slope - (slope >> RATE_CHANGE_SHIFT);
    u128::from(least_slope) * u128::from(gap.min(last.span.into()))
}

/// `a − b` in whole nanoseconds, away from zero, so that a bound made of it holds.
fn difference_ns(a: u128, b: u128) -> i64 {
    let one = 1_u128 << Line::FRACTION_BITS;
    let magnitude = |difference: u128| i64::try_from(difference.div_ceil(one)).unwrap_or(i64::MAX);
    if a >= b { magnitude(a - b) } else { -magnitude(b - a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HZ: u64 = 2_000_000_000;
    const SPAN_LOG2: u32 = 19;

    fn rate(ppm: i64) -> Line {
        Line::with_frequency((HZ as i64 - HZ as i64 / 1_000_000 * ppm) as u64).unwrap()
    }

    fn look(ticks: u64, ns: u64) -> Look {
        Look { ticks, fixed: u128::from(ns) << Line::FRACTION_BITS, half_width_ns: 10 }
    }

    fn first(start: u64, ns: u64) -> Segment {
        Segment { line: rate(0).through(start, ns), start, span: 1 << SPAN_LOG2 }
    }

    #[test]
    fn the_first_segment_is_not_below_what_the_system_may_have_shown() {
        let segment = begin(&look(1_000, 500), rate(0), SPAN_LOG2, 0);
        assert_eq!(segment.line.ns(1_000), 511);
        assert_eq!(begin(&look(1_000, 500), rate(0), SPAN_LOG2, 9_000).line.ns(1_000), 9_000);
    }

    #[test]
    fn a_lag_is_made_good_over_the_next_segment() {
        let previous = first(1_000, 1_000_000);
        let at = previous.end() + 10;
        let (next, standing) = follow(previous, &look(at, previous.line.ns(at) + 100), rate(0), SPAN_LOG2);
        assert!((99..=101).contains(&standing.lag_ns) && !standing.jumped);
        assert!(next.line.ns(at) <= previous.line.ns(at) + 1, "no step");
        assert!(next.line.ns(next.end()).abs_diff(previous.line.ns(next.end()) + 100) <= 1);
    }

    #[test]
    fn after_a_long_pause_the_reference_is_met_at_once() {
        let previous = first(1_000, 1_000_000);
        let at = previous.end() + HZ; // a second later
        let (next, standing) = follow(previous, &look(at, previous.line.ns(at) + 50_000), rate(50), SPAN_LOG2);
        assert_eq!((standing.lag_ns, standing.jumped), (0, false));
        assert_eq!(next.line.ns(at), previous.line.ns(at) + 50_000);
    }

    #[test]
    fn jumps_are_seen_and_never_shown_backwards() {
        let previous = first(HZ, 5_000_000_000);
        let end_ns = previous.line.ns(previous.end());
        // The counter ran through a suspend that the system's clock does not count.
        let at = previous.end() + 3_600 * HZ;
        let (next, standing) = follow(previous, &look(at, end_ns + 2_000), rate(0), SPAN_LOG2);
        let span_ns = previous.line.length_ns(previous.span.into());
        assert!(standing.jumped && (end_ns..=end_ns + span_ns).contains(&next.line.ns(at)));
        // The system's clock moved on while the counter stood.
        let at = previous.end() + 1_000;
        let (next, standing) = follow(previous, &look(at, end_ns + 10_000_000_000), rate(0), SPAN_LOG2);
        assert!(standing.jumped && next.line.ns(at) == end_ns + 10_000_000_000);
        // The counter went back, as after a snapshot.
        let (next, standing) = follow(previous, &look(77, end_ns + 5), rate(0), SPAN_LOG2);
        assert!(standing.jumped && next.line.ns(77) >= end_ns);
    }

    #[test]
    fn the_held_time_stands_still_in_the_end() {
        let last = first(1_000, 1_000_000);
        let end_ns = last.line.ns(last.end());
        let span_ns = last.line.length_ns(last.span.into());
        let still_ns = shown_or_held(last, last.end() + 3_600 * HZ);
        assert!(still_ns > end_ns && still_ns <= end_ns + span_ns);
        assert_eq!(shown_or_held(last, last.end() + u64::from(last.span)), still_ns);
        assert_eq!(shown_or_held(last, 990), last.line.ns(990));
        assert_eq!(shown_or_held(last, last.start.wrapping_sub(HZ)), end_ns);
        assert!(last.holds_at(999) && last.holds_at(last.end()) && !last.holds_at(last.end() + 1));
    }

    proptest! {
        #[test]
        fn no_successor_goes_below_what_was_held(
            pause in 1_u64..HZ, error_ns in -2_000_000_i64..2_000_000, ppm in -5_000_i64..5_000, later in 0_u64..1 << SPAN_LOG2,
        ) {
            let previous = first(HZ, 5_000_000_000);
            let at = previous.end() + pause;
            let reference = look(at, previous.line.ns(at).saturating_add_signed(error_ns));
            let (next, _) = follow(previous, &reference, rate(ppm), SPAN_LOG2);
            prop_assert!(next.line.ns(at) >= shown_or_held(previous, at));
            prop_assert!(next.line.ns(at + later) >= shown_or_held(previous, at + later));
            prop_assert!(next.line.ns(at) >= previous.line.ns(previous.end()));
        }

        #[test]
        fn an_error_shrinks_until_it_is_gone(error_ns in -1_000_i64..1_000, ppm in -500_i64..500) {
            // The reference runs `ppm` fast; the clock begins with `error_ns` and follows it with the right rate.
            let reference = rate(ppm).through(HZ, 5_000_000_000);
            let mut segment = first(HZ, 5_000_000_000_u64.saturating_add_signed(error_ns));
            let mut lag = i64::MAX;
            for _ in 0..4 {
                let at = segment.end() + 20;
                let look = Look { ticks: at, fixed: reference.fixed(at), half_width_ns: 0 };
                (segment, Standing { lag_ns: lag, .. }) = follow(segment, &look, rate(ppm), SPAN_LOG2);
            }
            prop_assert!(lag.abs() <= 2, "{lag} ns");
        }
    }
}
