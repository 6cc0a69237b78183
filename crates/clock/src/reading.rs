use core::fmt;
use core::time::Duration;

use crate::{Instant, TrustState, nanos};

/// A time and its error bound, both from one read.
///
/// # Units
/// Nanoseconds.
///
/// # Guarantees
/// At the moment of the read, `CLOCK_MONOTONIC` shows a time from [`earliest`](Self::earliest) to
/// [`latest`](Self::latest). Other implementations of [`Now`](crate::Now) name their own reference.
///
/// # Examples
/// ```
/// use chronoscope_clock::Clock;
///
/// let reading = Clock::or_system().reading();
/// assert!(reading.earliest() <= reading.instant() && reading.instant() <= reading.latest());
/// println!("{reading}"); // 1234.567890123 s ± 2ns
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reading {
    instant: Instant,
    offset_ns: u64,
    step_ns: u64,
    state: TrustState,
}

impl Reading {
    /// A reading of a clock that is its own reference and counts nanoseconds.
    #[must_use]
    pub const fn exact(instant: Instant) -> Self {
        Self { instant, offset_ns: 0, step_ns: 1, state: TrustState::Verified }
    }

    /// The same reading, of a clock that may be this far from its reference, either way.
    #[must_use]
    pub const fn with_offset(self, offset: Duration) -> Self {
        Self { offset_ns: nanos::saturating(offset), ..self }
    }

    /// The same reading, of a clock that moves in steps: its value is less than one step old.
    #[must_use]
    pub const fn with_step(self, step: Duration) -> Self {
        Self { step_ns: nanos::saturating(step), ..self }
    }

    /// The same reading, of a clock that can be trusted this far.
    #[must_use]
    pub const fn with_state(self, state: TrustState) -> Self {
        Self { state, ..self }
    }

    pub(crate) const fn in_steps_of(step_ns: u64, instant: Instant) -> Self {
        Self { step_ns, ..Self::exact(instant) }
    }

    /// The same bound for another time: for a clock that shows a time it was given earlier.
    pub(crate) const fn at(self, instant: Instant) -> Self {
        Self { instant, ..self }
    }

    /// The time.
    #[must_use]
    pub const fn instant(self) -> Instant {
        self.instant
    }

    /// How far the reference may have been from [`instant`](Self::instant), either way.
    #[must_use]
    pub const fn error_bound(self) -> Duration {
        Duration::from_nanos(self.offset_ns.saturating_add(self.step_ns))
    }

    /// The part of the bound that readings in quick succession share.
    #[must_use]
    pub const fn offset(self) -> Duration {
        Duration::from_nanos(self.offset_ns)
    }

    /// The step in which the clock moves, rounded up. [`Clock`](crate::Clock) measures it; where it cannot,
    /// [`Trust`](crate::Trust) has the reason [`StepDeclared`](crate::Reason::StepDeclared).
    #[must_use]
    pub const fn step(self) -> Duration {
        Duration::from_nanos(self.step_ns)
    }

    /// The earliest time that the reference may have shown.
    #[must_use]
    pub const fn earliest(self) -> Instant {
        self.instant.saturating_sub(self.error_bound())
    }

    /// The latest time that the reference may have shown.
    #[must_use]
    pub const fn latest(self) -> Instant {
        self.instant.saturating_add(self.error_bound())
    }

    /// How far the clock could be trusted at the time of the read.
    #[must_use]
    pub const fn state(self) -> TrustState {
        self.state
    }
}

/// The time, its bound, and the state unless that is [`Verified`](TrustState::Verified): `1234.567890123 s ± 2ns`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ± {:?}", self.instant, self.error_bound())?;
        match self.state {
            TrustState::Verified => Ok(()),
            state => write!(f, " ({state})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_prints_its_bound_and_whatever_is_not_as_it_should_be() {
        let reading = Reading::exact(Instant::from_nanos(1_500_000_000)).with_offset(Duration::from_nanos(30));
        assert_eq!(std::format!("{}", reading.with_state(TrustState::Fallback)), "1.500000000 s ± 31ns (fallback)");
    }

    #[test]
    fn the_bound_has_both_parts_and_both_sides() {
        let reading = Reading::exact(Instant::from_nanos(1_000))
            .with_offset(Duration::from_nanos(30))
            .with_step(Duration::from_nanos(5));
        assert_eq!(reading.error_bound(), Duration::from_nanos(35));
        assert_eq!((reading.earliest().as_nanos(), reading.latest().as_nanos()), (965, 1_035));
        assert_eq!(reading.with_offset(Duration::MAX).latest(), Instant::from_nanos(i64::MAX));
        assert_eq!(reading.with_offset(Duration::MAX).earliest(), Instant::from_nanos(i64::MIN));
        // Just after boot the reference may have been before it.
        assert_eq!(Reading::exact(Instant::ZERO).earliest(), Instant::from_nanos(-1));
    }
}
