use core::time::Duration;

use crate::os::OsClock;

/// The unit a source counts in. Needs the feature `sources`.
///
/// # Examples
/// ```
/// use chronoscope_clock::{SourceId, Unit, os::OsClock};
///
/// assert_eq!(SourceId::CounterOrdered.facts().unit, Unit::CounterTicks);
/// assert_eq!(SourceId::Os(OsClock::Monotonic).facts().unit, Unit::Nanoseconds);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Ticks of the CPU's counter.
    CounterTicks,
    /// Nanoseconds.
    Nanoseconds,
}

/// The reads of this crate's own clock, by their guarantee. Needs the feature `sources`.
///
/// # Examples
/// ```
/// use chronoscope_clock::{Guarantee, SourceId};
///
/// assert_eq!(SourceId::Clock(Guarantee::Ordered).name(), "Clock::now");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guarantee {
    /// [`Unordered`](crate::Unordered): no order promised.
    Unordered,
    /// [`Clock`](crate::Clock): as monotonic and causal as `CLOCK_MONOTONIC`, in program order.
    Ordered,
    /// [`Granular`](crate::Granular) with 1 µs: monotonic and causal without a fence.
    Granular,
    /// [`Adaptive`](crate::Adaptive) from 100 ns to 2 µs: as `Granular`, in steps that grow while readers collide.
    Adaptive,
    /// [`FullResolution`](crate::FullResolution) with 1 µs: wrong by less than that.
    FullResolution,
}

impl Guarantee {
    /// All, in report order.
    pub const ALL: [Self; 5] = [Self::Unordered, Self::Ordered, Self::Granular, Self::Adaptive, Self::FullResolution];

    /// The fixed granularity of `Granular` and `FullResolution` in the table of sources.
    pub const GRANULARITY: Duration = Duration::from_nanos(crate::granular::DEFAULT_GRANULARITY_NS);

    /// The finest and coarsest granularity of `Adaptive`: fine enough for one thread, and so coarse that two never
    /// collide.
    pub const ADAPTIVE: (Duration, Duration) = (Duration::from_nanos(100), Duration::from_micros(2));
}

/// One way to read the time on this machine. Needs the feature `sources`.
///
/// # Examples
/// ```
/// use chronoscope_clock::SourceId;
///
/// for id in SourceId::all() {
///     assert_eq!(SourceId::from_name(id.name()), Some(id));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceId {
    /// The CPU's counter, unordered: `rdtsc`, `cntvct`.
    CounterUnordered,
    /// The CPU's counter behind a fence: `lfence; rdtsc`, `isb; cntvct`.
    CounterOrdered,
    /// `rdtscp`.
    CounterWithProcessorId,
    /// `cpuid; rdtsc`.
    CounterSerialised,
    /// A clock of the system through the C library, as programs read it.
    Os(OsClock),
    /// `CLOCK_MONOTONIC` through the real system call, past the vDSO.
    MonotonicSystemCall,
    /// This crate's clock, as programs link it.
    Clock(Guarantee),
}

impl SourceId {
    /// The library read behind the source, if it is one.
    #[must_use]
    pub const fn guarantee(self) -> Option<Guarantee> {
        match self {
            Self::Clock(guarantee) => Some(guarantee),
            _ => None,
        }
    }

    /// The system clock behind the source, if it is one.
    #[must_use]
    pub const fn os_clock(self) -> Option<OsClock> {
        match self {
            Self::Os(clock) => Some(clock),
            Self::MonotonicSystemCall => Some(OsClock::Monotonic),
            _ => None,
        }
    }
}
