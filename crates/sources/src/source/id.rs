use core::time::Duration;

use crate::os::OsClock;

/// The unit a source counts in.
///
/// # Examples
/// ```
/// use chronoscope_sources::{SourceId, Unit, os::OsClock};
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

/// The reads of chronoscope-clock, by their guarantee.
///
/// # Examples
/// ```
/// use chronoscope_sources::{Guarantee, SourceId};
///
/// assert_eq!(SourceId::Clock(Guarantee::Ordered).name(), "Clock::now");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guarantee {
    /// [`Unordered`](chronoscope_clock::Unordered): no order promised.
    Unordered,
    /// [`Clock`](chronoscope_clock::Clock): as monotonic and causal as `CLOCK_MONOTONIC`, in program order.
    Ordered,
    /// [`Granular`](chronoscope_clock::Granular) with 1 µs: monotonic and causal without a fence.
    Granular,
}

impl Guarantee {
    /// All, in report order.
    pub const ALL: [Self; 3] = [Self::Unordered, Self::Ordered, Self::Granular];

    /// The granularity of [`Granular::process`](chronoscope_clock::Granular::process).
    pub const GRANULARITY: Duration = Duration::from_micros(1);
}

/// One way to read the time on this machine.
///
/// # Examples
/// ```
/// use chronoscope_sources::SourceId;
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
    /// The clock of chronoscope-clock, as programs link it.
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
