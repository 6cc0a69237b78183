mod id;
mod own_names;
mod serde;
mod source_facts;
mod table_of_clocks;

pub use id::{Guarantee, SourceId, Unit};
pub use source_facts::{Family, SourceFacts};

use chronoscope_clock::raw::{id, read_by_system_call_ns, read_ns};
use chronoscope_clock::{Clock, Granular, TickSource, Unavailable};

use crate::arch::{Counter, SerialisedByCpuid, WithProcessorId};
use crate::os::{self, OsClock};

impl SourceId {
    /// Whether the source can be read here. To find out, reads a system clock once, but never a counter.
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

    /// Calls `visitor` with the source as its own type, so that loops over it are compiled for it.
    ///
    /// # Errors
    /// As [`availability`](Self::availability).
    pub fn visit<V: SourceVisitor>(self, visitor: V) -> Result<V::Output, Unavailable> {
        self.availability()?;
        Ok(match self {
            Self::CounterUnordered => {
                let counter = Counter::new()?;
                visitor.visit(Function(move || counter.unordered()))
            }
            Self::CounterOrdered => {
                let counter = Counter::new()?;
                visitor.visit(Function(move || counter.ordered()))
            }
            Self::CounterWithProcessorId => visitor.visit(WithProcessorId::new()?),
            Self::CounterSerialised => visitor.visit(SerialisedByCpuid::new()?),
            Self::Os(clock) => visit_os_clock(clock, visitor),
            Self::MonotonicSystemCall => visitor.visit(Function(read_by_system_call_ns::<{ id(OsClock::Monotonic) }>)),
            Self::Clock(Guarantee::Unordered) => visitor.visit(Clock::or_system().unordered()),
            Self::Clock(Guarantee::Ordered) => visitor.visit(Clock::or_system()),
            Self::Clock(Guarantee::Granular) => visitor.visit(Granular::process()),
        })
    }
}

macro_rules! visit_each {
    ($($clock:ident)*) => {
        fn visit_os_clock<V: SourceVisitor>(clock: OsClock, visitor: V) -> V::Output {
            match clock {
                $(OsClock::$clock => visitor.visit(Function(read_ns::<{ id(OsClock::$clock) }>)),)*
            }
        }
    };
}
visit_each! {
    Monotonic MonotonicRaw MonotonicCoarse Realtime RealtimeCoarse Tai Boottime ProcessCpuTime ThreadCpuTime
}

/// A function as a source.
#[derive(Clone, Copy)]
struct Function<F>(F);

impl<F: Fn() -> u64> TickSource for Function<F> {
    #[inline(always)]
    fn read(&self) -> u64 {
        (self.0)()
    }
}

/// Work on a source of a statically known type. See [`SourceId::visit`].
///
/// # Examples
/// ```
/// use chronoscope_clock::TickSource;
/// use chronoscope_sources::{SourceId, SourceVisitor, os::OsClock};
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
    /// The result of a visit.
    type Output;

    /// Called once, with the source.
    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Self::Output;
}

/// A source whose every read completes before anything after it starts, so that reads form a chain.
///
/// The time per read of the chain bounds a read's latency, as opposed to the throughput of overlapping reads.
///
/// # Examples
/// ```
/// use chronoscope_clock::{FakeClock, TickSource};
/// use chronoscope_sources::Serialised;
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
    /// Puts the architecture's fence after every read of `source`.
    ///
    /// # Errors
    /// [`Unavailable`] if the architecture has no such fence.
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
