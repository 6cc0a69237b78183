//! The reads: a look at the data, a conversion, and nothing kept.

use core::time::Duration;

use super::convert::Conversion;
use super::layout::Layout;
use super::mode::mode_of;
use super::sequence::{first_look, is_odd, look, second_look};
use super::{CHECKS, Exact, Machine, Words, hyperv, mode, pvclock};
use crate::os::{Data, Found, PAGE_WORDS, Sealed};
use crate::trust::{RateSource, Reason};

/// Which clock a read shows, and in which form.
pub(crate) trait Form {
    type Time;
    const IS_REALTIME: bool;

    fn of(conversion: Conversion) -> Self::Time;

    fn of_ns(ns: u64) -> Self::Time;
}

/// `CLOCK_MONOTONIC` in nanoseconds.
pub(crate) enum Nanoseconds {}

/// `CLOCK_MONOTONIC` or `CLOCK_REALTIME`, its seconds and nanoseconds apart.
pub(crate) enum Apart<const IS_REALTIME: bool> {}

pub(crate) type Monotonic = Apart<false>;
pub(crate) type Realtime = Apart<true>;

impl Form for Nanoseconds {
    type Time = u64;
    const IS_REALTIME: bool = false;

    #[inline(always)]
    fn of(conversion: Conversion) -> u64 {
        conversion.nanoseconds()
    }

    #[inline(always)]
    fn of_ns(ns: u64) -> u64 {
        ns
    }
}

impl<const IS_REALTIME: bool> Form for Apart<IS_REALTIME> {
    type Time = Duration;
    const IS_REALTIME: bool = IS_REALTIME;

    #[inline(always)]
    fn of(conversion: Conversion) -> Duration {
        conversion.duration()
    }

    fn of_ns(ns: u64) -> Duration {
        Duration::from_nanos(ns)
    }
}

#[inline(always)]
const fn base<F: Form>(layout: Layout) -> usize {
    if F::IS_REALTIME { layout.realtime() } else { layout.monotonic() }
}

/// What data must show at the second look, of which this was the first: an odd number has passed by then.
#[inline(always)]
const fn even(before: u64) -> u64 {
    before & !1
}

impl<M: Machine> Exact<M> {
    /// The time in nanoseconds.
    ///
    /// # Ordering
    /// Where `ORDERED`, the counter keeps its place in program order.
    #[inline(always)]
    pub(crate) fn read<const ORDERED: bool>(&self) -> u64 {
        self.read_as::<Nanoseconds, ORDERED>()
    }

    /// The time of a clock in some form. For the order see [`read`](Self::read).
    #[inline(always)]
    pub(crate) fn read_as<F: Form, const ORDERED: bool>(&self) -> F::Time {
        let sealed = if F::IS_REALTIME { self.memo.0.sealed_for_realtime() } else { self.memo.0.sealed() };
        if let Some(sealed) = sealed {
            let data = sealed.data();
            let before = first_look(data.words);
            if is_odd(before) || !mode::is_architecture(mode_of(before)) {
                return self.read_by_page::<F, ORDERED>(sealed, before);
            }
            let cycles = self.machine.counter::<ORDERED>(data.self_ordered);
            if let Ok(conversion) = second_look(data.words, data.layout, base::<F>(data.layout), before, cycles) {
                return F::of(conversion);
            }
        }
        self.read_otherwise::<F, ORDERED>()
    }

    /// The time by the page of a hypervisor, which the data name at their first look, at the price of the read alone.
    #[cold]
    #[inline(never)]
    fn read_by_page<F: Form, const ORDERED: bool>(&self, sealed: Sealed, before: u64) -> F::Time {
        if mode_of(before) != mode::PVCLOCK {
            return self.read_by_hyper_v::<F, ORDERED>(sealed, before);
        }
        let (data, page) = (sealed.data(), self.memo.0.hypervisors_of(sealed));
        let counter = || self.machine.counter::<ORDERED>(data.self_ordered);
        if let Some(cycles) = page.and_then(|page| pvclock::cycles(page, counter)) {
            if let Ok(conversion) = second_look(data.words, data.layout, base::<F>(data.layout), even(before), cycles) {
                return F::of(conversion);
            }
        }
        self.read_otherwise::<F, ORDERED>()
    }

    /// In a function of its own, so that neither keeps registers for the other.
    #[cold]
    #[inline(never)]
    fn read_by_hyper_v<F: Form, const ORDERED: bool>(&self, sealed: Sealed, before: u64) -> F::Time {
        let (data, page) = (sealed.data(), self.memo.0.hypervisors_of(sealed));
        let counter = || self.machine.counter::<ORDERED>(data.self_ordered);
        let page = page.filter(|_| mode_of(before) == mode::HYPERV).map(|page| page.from(PAGE_WORDS));
        if let Some(cycles) = page.and_then(|page| hyperv::cycles(page, counter)) {
            if let Ok(conversion) = second_look(data.words, data.layout, base::<F>(data.layout), even(before), cycles) {
                return F::of(conversion);
            }
        }
        self.read_otherwise::<F, ORDERED>()
    }

    #[cold]
    #[inline(never)]
    fn read_otherwise<F: Form, const ORDERED: bool>(&self) -> F::Time {
        if F::IS_REALTIME {
            return self.realtime_otherwise::<ORDERED>().map_or_else(F::of_ns, F::of);
        }
        F::of_ns(self.take_otherwise::<ORDERED>().ns)
    }
    /// `CLOCK_REALTIME` by data of which it is not known yet that they show it, or by those that are being changed; else, in
    /// nanoseconds, the system's.
    fn realtime_otherwise<const ORDERED: bool>(&self) -> Result<Conversion, u64> {
        // Whatever there is to be found out is found out for the monotonic clock.
        let source = self.take::<ORDERED>().source;
        let (found, observed) = self.memo.0.found();
        let is_shown = |data: &Data| self.memo.0.shows_realtime(observed) || self.agrees_on_realtime(data);
        match found {
            Found::Data(data) if source != RateSource::SystemClock && is_shown(&data) => {
                self.memo.0.note_realtime(observed);
                if let Some((conversion, ..)) = self.looked_from::<ORDERED>(&data, data.layout.realtime()) {
                    return Ok(conversion);
                }
            }
            Found::Nothing(Reason::CounterForbidden) => return Err(self.machine.realtime_by_system_call_ns()),
            _ => {}
        }
        Err(self.machine.realtime_ns())
    }

    /// As for the monotonic clock; but whoever sets this one meanwhile makes readings disagree, so another read asks again.
    fn agrees_on_realtime(&self, data: &Data) -> bool {
        (0..CHECKS).all(|_| {
            let before = self.machine.realtime_ns();
            let looked = self.looked_from::<true>(data, data.layout.realtime());
            let Some((conversion, ..)) = looked else { return false };
            (before..=self.machine.realtime_ns()).contains(&conversion.nanoseconds())
        })
    }

    /// How long so many ticks of the counter take at the kernel's present rate, in nanoseconds, rounded down. None if it does
    /// not keep time by the counter now.
    pub(crate) fn ns_of_ticks(&self, ticks: u64) -> Option<u64> {
        let _ = self.take::<false>();
        let data = self.memo.0.data()?;
        loop {
            let mode = mode_of(data.words.word(0));
            let (cycles, part) = match mode {
                mode::PVCLOCK => pvclock::cycles_and_part(self.memo.0.kvm_clock()?, ticks),
                mode::HYPERV => hyperv::cycles_and_part(self.memo.0.hyper_v()?, ticks),
                _ => (ticks, 0),
            };
            match look(data.words, data.layout, |now| now == mode && mode::is_readable(now), || Some(0)) {
                Ok(conversion) => return Some(conversion.rate().ns_of(cycles, part)),
                // As `clock_gettime` does, until the kernel has changed them.
                Err(missed) if missed.is_passing(mode::is_readable) => core::hint::spin_loop(),
                Err(_) => return None,
            }
        }
    }
}
