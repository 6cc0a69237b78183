use crate::TickSource;

/// One instant on two clocks: the CPU's counter, and a reference in nanoseconds.
///
/// Raw numbers of one boot, even serialised: store a [`BootId`](crate::BootId) with them.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let clock = Clock::or_system();
/// let (earlier, later) = (clock.anchor(), clock.anchor());
/// assert!(earlier.reference_ns <= later.reference_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Anchor {
    /// The counter's value at the instant: the middle of the bracket.
    pub ticks: u64,
    /// The reference's value at the instant, in nanoseconds.
    pub reference_ns: u64,
    /// How far the counter's true value may lie from `ticks`, either way.
    pub half_width_ticks: u64,
    /// How far the reference may be from the clock it represents, either way; `u64::MAX` if unbounded.
    #[cfg_attr(feature = "serde", serde(default))]
    pub error_ns: u64,
}

impl Anchor {
    /// An anchor of two clocks that were read at one instant, without error: from a record, a test or another counter. Set the
    /// fields of errors it has.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_clock::{Anchor, AnchorTable, Instant, Ticks};
    ///
    /// let anchors = [Anchor::exact(1_000, 500), Anchor::exact(3_000, 1_500)];
    /// assert_eq!(AnchorTable::new(&anchors)?.convert(Ticks::from_raw(2_000))?, Instant::from_nanos(1_000));
    /// # Ok::<(), chronoscope_clock::ConvertError>(())
    /// ```
    #[must_use]
    pub const fn exact(ticks: u64, reference_ns: u64) -> Self {
        Self { ticks, reference_ns, half_width_ticks: 0, error_ns: 0 }
    }
}

/// Reads `reference` between two reads of `counter`, `attempts` times, and keeps the narrowest bracket: disturbances only
/// widen brackets.
///
/// # Guarantees
/// The true instant lies within the half-width if `counter` is ordered.
///
/// # Sources
/// NTP's clock filter: D. Mills, RFC 5905 section 10, minimum delay.
pub(crate) fn narrowest(counter: impl Fn() -> u64, reference: &impl TickSource, attempts: u32) -> Anchor {
    let bracket = || {
        let before = counter();
        let reference_ns = reference.read();
        let after = counter();
        let width = after.wrapping_sub(before);
        Anchor { ticks: before.wrapping_add(width / 2), reference_ns, half_width_ticks: width.div_ceil(2), error_ns: 0 }
    };
    let mut best = bracket();
    for _ in 1..attempts {
        let next = bracket();
        if next.half_width_ticks < best.half_width_ticks {
            best = next;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FakeClock;
    use core::time::Duration;

    #[test]
    fn a_disturbed_bracket_loses_to_a_quiet_one() {
        let clock = FakeClock::new();
        clock.set_read_cost(Duration::from_nanos(10));
        let reference = clock.view(0);
        let reads = core::cell::Cell::new(0);
        let counter = || {
            reads.set(reads.get() + 1);
            if reads.get() == 2 {
                clock.advance(Duration::from_micros(5)); // the first bracket is preempted
            }
            clock.read()
        };
        let anchor = narrowest(counter, &reference, 2);
        assert_eq!(anchor.half_width_ticks, 10);
        assert!(anchor.reference_ns > 5_000);
    }
}
