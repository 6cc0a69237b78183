#[cfg(feature = "serde")]
mod serde;
mod table;

use core::fmt;
use core::time::Duration;

pub use table::{Family, SourceFacts};

use crate::arch::{Counter, SerialisedByCpuid, WithProcessorId};
use crate::os::{self, OsClock};
use crate::sync::process_wide;
use crate::{Adaptive, Clock, FullResolution, Granular, TickSource, Unavailable};

/// The unit in which a source counts. Needs the feature `sources`.
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

/// The reads of this crate's own clock, by what they guarantee. Needs the feature `sources`.
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
    /// [`Clock`]: as monotonic and causal as `CLOCK_MONOTONIC`, in program order.
    Ordered,
    /// [`Granular`] with 1 µs: monotonic and causal without a fence.
    Granular,
    /// [`Adaptive`] from 100 ns to 2 µs: as `Granular`, in steps that grow while readers collide.
    Adaptive,
    /// [`FullResolution`] with 1 µs: wrong by less than that.
    FullResolution,
}

impl Guarantee {
    /// Every one, in the order in which reports list them.
    pub const ALL: [Self; 5] = [Self::Unordered, Self::Ordered, Self::Granular, Self::Adaptive, Self::FullResolution];

    /// The granularity of the two that have a fixed one, in this table of sources.
    pub const GRANULARITY: Duration = Duration::from_nanos(crate::granular::DEFAULT_GRANULARITY_NS);

    /// The finest and the coarsest granularity of the one that adapts: fine enough for one thread, and so coarse that two
    /// never collide.
    pub const ADAPTIVE: (Duration, Duration) = (Duration::from_nanos(100), Duration::from_micros(2));
}

/// The name of one way to read the time on this machine. Needs the feature `sources`.
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
    /// Every source that this crate can name, in the order in which reports list them.
    pub fn all() -> impl Iterator<Item = Self> {
        table::ROWS.iter().map(|row| row.id)
    }

    /// What is known of the source before it is read.
    #[must_use]
    pub const fn facts(self) -> &'static SourceFacts {
        SourceFacts::of(self)
    }

    /// The source called `name`, as [`name`](Self::name) spells it or as earlier versions did.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        table::ROWS.iter().find(|row| row.name == name || row.former_names.contains(&name)).map(|row| row.id)
    }

    /// The name under which reports show the source.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Whether it reads the CPU's counter by an instruction of its own.
    #[must_use]
    pub const fn is_counter(self) -> bool {
        matches!(self.facts().family, Family::Counter)
    }

    /// The read of this crate's clock behind the source, if it is one.
    #[must_use]
    pub const fn guarantee(self) -> Option<Guarantee> {
        match self {
            Self::Clock(guarantee) => Some(guarantee),
            _ => None,
        }
    }

    /// The clock of the system behind the source, if it is one.
    #[must_use]
    pub const fn os_clock(self) -> Option<OsClock> {
        match self {
            Self::Os(clock) => Some(clock),
            Self::MonotonicSystemCall => Some(OsClock::Monotonic),
            _ => None,
        }
    }

    /// Whether the source can be read here. Reads a system clock once to find out, a counter never.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason.
    pub fn availability(self) -> Result<(), Unavailable> {
        match self {
            Self::CounterUnordered | Self::CounterOrdered => Counter::new().map(drop),
            Self::CounterWithProcessorId => WithProcessorId::new().map(drop),
            Self::CounterSerialised => SerialisedByCpuid::new().map(drop),
            Self::Os(clock) => os::try_read_ns(clock).map(drop),
            Self::MonotonicSystemCall => os::try_read_by_system_call_ns(OsClock::Monotonic).map(drop),
            Self::Clock(_) => {
                // The clock's own reads panic where there is none. Not asked on Linux: there is always one, and in a process
                // that may not read the counter this would end it.
                if cfg!(not(target_os = "linux")) {
                    os::try_read_ns(OsClock::Monotonic)?;
                }
                match Clock::trusted() {
                    Ok(_) => Ok(()),
                    Err(distrust) => Err(Unavailable::because(distrust.reason().clause())),
                }
            }
        }
    }

    /// Calls `visitor` with the source as a value of its own type, so that loops over it are compiled for it.
    ///
    /// # Errors
    /// [`Unavailable`] as from [`availability`](Self::availability).
    pub fn visit<V: SourceVisitor>(self, visitor: V) -> Result<V::Output, Unavailable> {
        self.availability()?;
        Ok(match self {
            Self::CounterUnordered => visitor.visit(Unordered(Counter::new()?)),
            Self::CounterOrdered => visitor.visit(Ordered(Counter::new()?)),
            Self::CounterWithProcessorId => visitor.visit(WithProcessorId::new()?),
            Self::CounterSerialised => visitor.visit(SerialisedByCpuid::new()?),
            Self::Os(clock) => clock.visit(visitor),
            Self::MonotonicSystemCall => visitor.visit(SystemCall::<{ os::id(OsClock::Monotonic) }>),
            Self::Clock(Guarantee::Unordered) => visitor.visit(Clock::or_system().unordered()),
            Self::Clock(Guarantee::Ordered) => visitor.visit(Clock::or_system()),
            Self::Clock(Guarantee::Granular) => visitor.visit(Granular::process()),
            Self::Clock(Guarantee::Adaptive) => visitor.visit(adaptive()),
            Self::Clock(Guarantee::FullResolution) => visitor.visit(full_resolution()),
        })
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

process_wide! {
    static FULL_RESOLUTION: FullResolution = FullResolution::new(Guarantee::GRANULARITY);
}

process_wide! {
    static ADAPTIVE: Adaptive = Adaptive::new(Guarantee::ADAPTIVE.0, Guarantee::ADAPTIVE.1);
}

fn adaptive() -> &'static Adaptive {
    &ADAPTIVE
}

fn full_resolution() -> &'static FullResolution {
    &FULL_RESOLUTION
}

/// What to do with a source once its type is known. See [`SourceId::visit`]. Needs the feature `sources`.
///
/// # Examples
/// ```
/// use chronoscope_clock::{SourceId, SourceVisitor, TickSource, os::OsClock};
///
/// struct Once;
/// impl SourceVisitor for Once {
///     type Output = u64;
///     fn visit<S: TickSource>(self, source: S) -> u64 {
///         source.read()
///     }
/// }
/// match SourceId::Os(OsClock::Boottime).visit(Once) {
///     Ok(ns) => assert!(ns > 0),
///     Err(unavailable) => println!("no boot time: {unavailable}"),
/// }
/// ```
pub trait SourceVisitor {
    /// What the visit yields.
    type Output;

    /// Called once, with the source.
    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Self::Output;
}

/// A source whose every read completes before anything after it starts, so that reads form a chain. Needs the feature
/// `sources`.
///
/// The time per read of such a chain bounds the latency of one read, as opposed to the throughput of many that overlap.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, Serialised, TickSource};
/// use core::time::Duration;
///
/// let clock = FakeClock::new();
/// clock.set_read_cost(Duration::from_nanos(1));
/// if let Ok(chained) = Serialised::new(&clock) {
///     assert_eq!([chained.read(), chained.read()], [1, 2]);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Serialised<S> {
    source: S,
    counter: Counter,
}

impl<S: TickSource> Serialised<S> {
    /// Puts the architecture's fence behind every read of `source`.
    ///
    /// # Errors
    /// [`Unavailable`] where the architecture has no such fence.
    pub fn new(source: S) -> Result<Self, Unavailable> {
        Ok(Self { source, counter: Counter::new()? })
    }
}

impl<S: TickSource> TickSource for Serialised<S> {
    #[inline(always)]
    fn read(&self) -> u64 {
        let ticks = self.source.read();
        self.counter.fence();
        ticks
    }
}

#[derive(Clone, Copy)]
struct Unordered(Counter);

impl TickSource for Unordered {
    #[inline(always)]
    fn read(&self) -> u64 {
        self.0.unordered()
    }
}

#[derive(Clone, Copy)]
struct Ordered(Counter);

impl TickSource for Ordered {
    #[inline(always)]
    fn read(&self) -> u64 {
        self.0.ordered()
    }
}

impl TickSource for WithProcessorId {
    #[inline(always)]
    fn read(&self) -> u64 {
        WithProcessorId::read(*self)
    }
}

impl TickSource for SerialisedByCpuid {
    #[inline(always)]
    fn read(&self) -> u64 {
        SerialisedByCpuid::read(*self)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Libc<const CLOCK: i32>;

impl<const CLOCK: i32> TickSource for Libc<CLOCK> {
    #[inline(always)]
    fn read(&self) -> u64 {
        os::read_ns::<CLOCK>()
    }
}

#[derive(Clone, Copy)]
struct SystemCall<const CLOCK: i32>;

impl<const CLOCK: i32> TickSource for SystemCall<CLOCK> {
    #[inline(always)]
    fn read(&self) -> u64 {
        os::read_by_system_call_ns::<CLOCK>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pairs(usize);

    impl SourceVisitor for Pairs {
        type Output = usize;

        fn visit<S: TickSource>(self, source: S) -> usize {
            (0..self.0)
                .filter(|_| {
                    let first = source.read();
                    source.read() < first
                })
                .count()
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that Miri does not know")]
    fn ordered_sources_do_not_step_back_on_one_thread() {
        for id in SourceId::all().filter(|id| id.facts().is_ordered && !id.facts().is_settable) {
            if let Ok(backward) = id.visit(Pairs(1000)) {
                assert_eq!(backward, 0, "{} stepped back", id.name());
            }
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    #[cfg_attr(miri, ignore = "reads the counter")]
    fn the_monotonic_clock_can_be_had_on_linux() {
        for id in [SourceId::CounterOrdered, SourceId::Os(OsClock::Monotonic), SourceId::MonotonicSystemCall] {
            assert_eq!(id.availability(), Ok(()));
        }
    }
}
