use core::fmt;
use core::time::Duration;

use crate::{Anchor, Instant, Ticks};

/// How far the reference's rate is assumed to stay from a constant one. The kernel's NTP loop is limited to 500 ppm
/// (`MAXFREQ` in include/linux/timex.h), `adjtime` to as much again; the loop's correction of a large offset, and
/// chrony's tick length (up to 100 000 ppm), are not.
const ASSUMED_SLEW_PPM: u32 = 1_000;
/// Beyond this a reference may stand still, and nothing bounds the error.
const MOST_PPM: u32 = 999_999;

/// Converts counter readings to times afterwards, between anchors taken along with them.
///
/// Take an [anchor](crate::Clock::anchor) before the first reading, after the last, and now and then in between: a
/// reading between two anchors is converted by the straight line through them.
///
/// # Guarantees
/// At an anchor the result is the anchor's own time, from either side: the lines join. Between anchors it is rounded down
/// to the nanosecond. It never decreases as ticks grow.
///
/// # Examples
/// ```
/// use chronoscope_clock::{AnchorTable, Clock};
///
/// let clock = Clock::or_system();
/// let begin = clock.anchor();
/// let captured = clock.ticks(); // the cheap part, on the hot path
/// let anchors = [begin, clock.anchor()];
///
/// let table = AnchorTable::new(&anchors)?;
/// let instant = table.convert(captured)?;
/// assert!(instant >= table.first() && instant <= table.last());
/// # Ok::<(), chronoscope_clock::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AnchorTable<'a> {
    anchors: &'a [Anchor],
}

impl<'a> AnchorTable<'a> {
    /// A table of `anchors` in the order they were taken.
    ///
    /// # Errors
    /// [`ConvertError`] if there are fewer than two, ticks do not grow from one to the next, or times go back.
    pub fn new(anchors: &'a [Anchor]) -> Result<Self, ConvertError> {
        if anchors.len() < 2 {
            return Err(ConvertError(Kind::TooFew(anchors.len())));
        }
        let is_good = |pair: &[Anchor]| pair[0].ticks < pair[1].ticks && pair[0].reference_ns <= pair[1].reference_ns;
        match anchors.windows(2).position(|pair| !is_good(pair)) {
            Some(at) => Err(ConvertError(Kind::NotInOrder(at + 1))),
            None => Ok(Self { anchors }),
        }
    }

    /// The time of the first anchor.
    #[must_use]
    pub fn first(&self) -> Instant {
        Instant::from_bits(self.anchors[0].reference_ns)
    }

    /// The time of the last anchor.
    #[must_use]
    pub fn last(&self) -> Instant {
        Instant::from_bits(self.anchors[self.anchors.len() - 1].reference_ns)
    }

    /// The time at which the counter stood at `ticks`.
    ///
    /// # Errors
    /// [`ConvertError`] if `ticks` lie outside the anchors: nothing is extrapolated.
    pub fn convert(&self, ticks: Ticks) -> Result<Instant, ConvertError> {
        let (a, b) = self.around(ticks)?;
        let (ns, length) = (b.reference_ns - a.reference_ns, b.ticks - a.ticks);
        let part = u128::from(ticks.as_raw() - a.ticks) * u128::from(ns) / u128::from(length);
        Ok(Instant::from_bits(a.reference_ns + part as u64))
    }

    /// How far the time at `ticks` may be off, either way, if the reference is slewed by at most 1 000 ppm: what NTP's
    /// frequency and `adjtime` set, but not a daemon's fast correction of a large offset.
    /// [`error_bound_at_slew`](Self::error_bound_at_slew) takes another limit.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn error_bound(&self, ticks: Ticks) -> Result<Duration, ConvertError> {
        self.error_bound_at_slew(ticks, ASSUMED_SLEW_PPM)
    }

    /// How far the time at `ticks` may be off, either way: the sum of
    /// - the uncertainty of the surrounding anchors: half-width plus stated error, of the worse of the two;
    /// - 1 ns for rounding;
    /// - how far the reference can have been from the line between the anchors, if its rate stayed within `slew_ppm` of
    ///   some constant rate: `2 · s / (1 − s) · x (l − x) / l` at x ticks after the first of two anchors l apart, nearly
    ///   reached if it runs at one extreme up to there and at the other afterwards.
    ///
    /// Excludes a suspend, a migration or a reset of the counter between the two anchors.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn error_bound_at_slew(&self, ticks: Ticks, slew_ppm: u32) -> Result<Duration, ConvertError> {
        let (a, b) = self.around(ticks)?;
        let (ns, length) = (b.reference_ns - a.reference_ns, b.ticks - a.ticks);
        let in_ns = |ticks: u64| (u128::from(ticks) * u128::from(ns)).div_ceil(u128::from(length));
        let of_anchor = |anchor: Anchor| in_ns(anchor.half_width_ticks) + u128::from(anchor.error_ns);
        let (behind, before) = (u128::from(ticks.as_raw() - a.ticks), u128::from(b.ticks - ticks.as_raw()));
        let leverage = in_ns((behind * before).div_ceil(u128::from(length)) as u64);
        // In nanoseconds of the line, which may itself have been the slowest of those rates.
        let slew_ppm = u128::from(slew_ppm.min(MOST_PPM));
        let slewed = (2 * leverage * slew_ppm).div_ceil(1_000_000 - slew_ppm);
        let bound_ns = of_anchor(a).max(of_anchor(b)) + slewed + 1;
        Ok(Duration::from_nanos(u64::try_from(bound_ns).unwrap_or(u64::MAX)))
    }

    fn around(&self, ticks: Ticks) -> Result<(Anchor, Anchor), ConvertError> {
        let ticks = ticks.as_raw();
        let later = self.anchors.partition_point(|anchor| anchor.ticks <= ticks);
        match later {
            0 => Err(ConvertError(Kind::BeforeFirst)),
            at if at < self.anchors.len() => Ok((self.anchors[at - 1], self.anchors[at])),
            at if self.anchors[at - 1].ticks == ticks => Ok((self.anchors[at - 2], self.anchors[at - 1])),
            _ => Err(ConvertError(Kind::AfterLast)),
        }
    }
}

/// Why ticks cannot be converted.
///
/// # Examples
/// ```
/// use chronoscope_clock::AnchorTable;
///
/// assert!(AnchorTable::new(&[]).is_err_and(|error| !error.is_outside()), "two anchors are needed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvertError(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    TooFew(usize),
    NotInOrder(usize),
    BeforeFirst,
    AfterLast,
}

impl ConvertError {
    /// Whether the ticks lie outside the table.
    #[must_use]
    pub const fn is_outside(&self) -> bool {
        matches!(self.0, Kind::BeforeFirst | Kind::AfterLast)
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::TooFew(count) => write!(f, "two anchors are needed and there are {count}: take one at each end"),
            Kind::NotInOrder(at) => {
                write!(f, "anchor {at} is not after the one before it: the counter or its reference jumped in between")
            }
            Kind::BeforeFirst => f.write_str("the ticks precede the first anchor: take it before any reading"),
            Kind::AfterLast => f.write_str("the ticks follow the last anchor: take one after all readings"),
        }
    }
}

impl core::error::Error for ConvertError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn anchor(ticks: u64, reference_ns: u64) -> Anchor {
        Anchor { ticks, reference_ns, half_width_ticks: 30, error_ns: 4 }
    }

    #[test]
    fn nothing_is_extrapolated() {
        let anchors = [anchor(100, 1_000), anchor(200, 1_050)];
        let table = AnchorTable::new(&anchors).unwrap();
        assert!(table.convert(Ticks::from_raw(99)).unwrap_err().is_outside());
        assert!(table.convert(Ticks::from_raw(201)).unwrap_err().is_outside());
        assert_eq!(table.convert(Ticks::from_raw(200)), Ok(table.last()));
        // 15 ns for the anchors' widths, 4 for their own errors, 1 each for rounding and for slewing.
        assert_eq!(table.error_bound(Ticks::from_raw(150)), Ok(Duration::from_nanos(15 + 4 + 1 + 1)));
        assert_eq!(table.error_bound_at_slew(Ticks::from_raw(150), 100_000), Ok(Duration::from_nanos(15 + 4 + 3 + 1)));
        assert_eq!(table.error_bound_at_slew(Ticks::from_raw(200), 100_000), Ok(Duration::from_nanos(15 + 4 + 1)));
        assert_eq!(AnchorTable::new(&[anchor(5, 0), anchor(5, 1)]).unwrap_err().0, Kind::NotInOrder(1));
    }

    #[test]
    fn an_anchor_without_a_bound_leaves_none() {
        let anchors = [anchor(100, 1_000), Anchor { error_ns: u64::MAX, ..anchor(200, 1_050) }];
        let table = AnchorTable::new(&anchors).unwrap();
        assert_eq!(table.error_bound(Ticks::from_raw(150)), Ok(Duration::from_nanos(u64::MAX)));
    }

    #[test]
    fn the_worst_schedule_stays_within_the_bound() {
        // Fast for as long as leaves the line slow, then slow: the larger part of the bound is reached.
        for (slew_ppm, share) in [(500_u32, 0.211_3), (500, 0.5), (100_000, 0.211_3), (100_000, 0.8)] {
            let (length, slew) = (60_000_000_000_u64, f64::from(slew_ppm) / 1e6);
            let at = (length as f64 * share) as u64;
            for sign in [1.0, -1.0] {
                let turn_ns = (at as f64 * (1.0 + sign * slew)) as u64;
                let end_ns = turn_ns + ((length - at) as f64 * (1.0 - sign * slew)) as u64;
                let exact = |ticks, reference_ns| Anchor { ticks, reference_ns, half_width_ticks: 0, error_ns: 1 };
                let anchors = [exact(0, 0), exact(length, end_ns)];
                let table = AnchorTable::new(&anchors).unwrap();
                let off_ns = table.convert(Ticks::from_raw(at)).unwrap().to_bits().abs_diff(turn_ns);
                let bound_ns = table.error_bound_at_slew(Ticks::from_raw(at), slew_ppm).unwrap().as_nanos() as u64;
                assert!(
                    off_ns <= bound_ns && bound_ns < off_ns + off_ns / 3,
                    "{off_ns} of {bound_ns} at {slew_ppm} ppm"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn a_slewed_reference_stays_within_the_bound(
            rates in proptest::collection::vec(-500_i64..=500, 2..40), at in 0_u64..1_000_000, segment in 1_000_u64..1_000_000_000,
        ) {
            // A reference of one tick per nanosecond whose rate changes from segment to segment.
            let length = segment * rates.len() as u64;
            let reference = |tick: u64| {
                let whole = (tick / segment) as usize;
                let slewed: i128 = rates[..whole].iter().map(|ppm| i128::from(*ppm) * i128::from(segment)).sum();
                let rest = rates.get(whole).map_or(0, |ppm| i128::from(*ppm) * i128::from(tick % segment));
                (i128::from(tick) + (slewed + rest) / 1_000_000 + 1_000_000_000) as u64
            };
            let anchors = [0, length].map(|ticks| Anchor { ticks, reference_ns: reference(ticks), half_width_ticks: 0, error_ns: 1 });
            let table = AnchorTable::new(&anchors).unwrap();
            let tick = (u128::from(at) * u128::from(length) / 1_000_000) as u64;
            let shown = table.convert(Ticks::from_raw(tick)).unwrap().to_bits();
            let bound = table.error_bound_at_slew(Ticks::from_raw(tick), 500).unwrap();
            prop_assert!(u128::from(shown.abs_diff(reference(tick))) <= bound.as_nanos(), "{} and {}", shown, reference(tick));
        }

        #[test]
        fn it_is_exact_at_anchors_and_never_decreases(
            steps in proptest::collection::vec((1_u64..1 << 40, 0_u64..1 << 40), 2..20), at in any::<prop::sample::Index>(),
            offset in 0_u64..1 << 41,
        ) {
            let mut anchors = std::vec![anchor(0, 0)];
            for (ticks, ns) in steps {
                let last = *anchors.last().unwrap();
                anchors.push(anchor(last.ticks + ticks, last.reference_ns + ns));
            }
            let table = AnchorTable::new(&anchors).unwrap();
            for anchor in &anchors {
                prop_assert_eq!(table.convert(Ticks::from_raw(anchor.ticks)), Ok(Instant::from_bits(anchor.reference_ns)));
            }
            let from = anchors[at.index(anchors.len())].ticks;
            if let (Ok(a), Ok(b)) = (table.convert(Ticks::from_raw(from)), table.convert(Ticks::from_raw(from + offset))) {
                prop_assert!(b >= a);
            }
        }
    }
}
