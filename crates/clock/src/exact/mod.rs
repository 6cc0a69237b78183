//! The exact clock: `CLOCK_MONOTONIC`, computed from the kernel's own numbers.
//!
//! Nothing here keeps time. Each reading [looks](sequence) at the data that the kernel shares with every process for its
//! vDSO, and [converts](convert) the counter as the kernel does. While the data change, or name a clocksource that user
//! space cannot read, that reading is `clock_gettime`'s, the same function of the same data. So no stopped thread, fork,
//! signal or slew can spoil anything. All that is kept is [where](crate::os::Memo) the data are.

pub(crate) mod as_if;
mod convert;
mod hyperv;
mod layout;
mod machine;
mod measured_steps;
mod mode;
pub(crate) mod pvclock;
mod read;
mod retry;
mod sequence;
mod step;
#[cfg(test)]
mod tests;
mod this_machine;
mod words;

pub(crate) use convert::Rate;
use convert::{Conversion, FRACTION};
pub(crate) use layout::Layout;
pub(crate) use layout::{Search, search};
pub(crate) use machine::{Effort, Machine, NotLocated};
pub(crate) use read::{Monotonic, Realtime};
#[cfg(all(test, target_os = "linux", feature = "std", not(any(loom, miri))))]
pub(crate) use step::at_step;
pub(crate) use step::{Step, reached};
pub(crate) use this_machine::ThisMachine;
pub(crate) use words::Words;

use core::sync::atomic::{AtomicBool, Ordering::SeqCst};

use crate::lattice;
use crate::os::{Data, Found, KernelPage, Memo, Observed, Seal};
use crate::sync::{AtomicU64, CachePadded, Ordering::Relaxed, const_fn};
use crate::trust::{RateSource, Reason};
use measured_steps::MeasuredSteps;
use mode::mode_of;
use retry::Retry;
use sequence::{look, look_at};

/// Looks at changing data, with a pause between, before a reading falls back to `clock_gettime`: some microseconds. The
/// kernel changes them in less than one, but its virtual CPU may be stopped midway.
const LOOKS: u32 = 64;
/// Readings that data must pass, each between two of `clock_gettime`, before they are used.
const CHECKS: u32 = 16;
/// How long a clock without data waits before it searches their page again.
const SEARCH_AGAIN_NS: u64 = 100_000_000;

/// `CLOCK_MONOTONIC` over a [`Machine`].
#[derive(Debug)]
pub(crate) struct Exact<M> {
    memo: CachePadded<Memo>,
    machine: M,
    steps: MeasuredSteps,
    retry: Retry,
    /// The data are not to be used any more.
    is_off: AtomicBool,
    /// When the page was last searched, by this clock. A hint: no value does harm.
    searched_ns: AtomicU64,
}

/// A reading and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) ns: u64,
    pub(crate) source: RateSource,
    /// The counter at that very time. None if the reading is the system's.
    pub(crate) ticks: Option<u64>,
    /// How long the clocksource's cycles were. None if the reading is the system's.
    pub(crate) rate: Option<Rate>,
}

impl Taken {
    fn of_data(conversion: Conversion, source: RateSource, ticks: u64) -> Self {
        Self { ns: conversion.nanoseconds(), source, ticks: Some(ticks), rate: Some(conversion.rate()) }
    }

    const fn of_system(ns: u64) -> Self {
        Self { ns, source: RateSource::SystemClock, ticks: None, rate: None }
    }
}

impl<M> Exact<M> {
    const_fn! {
        /// A clock that has not been read yet; the first reading finds the data.
        pub(crate) fn new(machine: M) -> Self {
            Self {
                memo: CachePadded(Memo::new()),
                machine,
                steps: MeasuredSteps::new(),
                retry: Retry::new(),
                is_off: AtomicBool::new(false),
                searched_ns: AtomicU64::new(0),
            }
        }
    }
}

impl<M: Machine> Exact<M> {
    /// The time and the step in which it moves, at the price of the time alone. None where that takes another way, or the step is to
    /// be measured.
    #[inline(always)]
    pub(crate) fn read_with_step<const ORDERED: bool>(&self) -> Option<(u64, u64)> {
        let data = self.memo.0.data()?;
        let counter = || Some(self.machine.counter::<ORDERED>(data.self_ordered));
        let conversion = look(data.words, data.layout, mode::is_architecture, counter).ok()?;
        let ns = conversion.nanoseconds();
        if self.steps.are_noted(ns) { Some((ns, conversion.rate().ns(self.steps.counter()?))) } else { None }
    }

    /// The time, with everything known about the reading.
    #[inline]
    pub(crate) fn take<const ORDERED: bool>(&self) -> Taken {
        if let Some(data) = self.memo.0.data() {
            let mut ticks = 0;
            let counter = || {
                ticks = self.machine.counter::<ORDERED>(data.self_ordered);
                Some(ticks)
            };
            if let Ok(conversion) = look(data.words, data.layout, mode::is_architecture, counter) {
                return Taken::of_data(conversion, RateSource::KernelData, ticks);
            }
        }
        self.take_otherwise::<ORDERED>()
    }

    #[inline(never)]
    fn take_otherwise<const ORDERED: bool>(&self) -> Taken {
        let (mut found, mut observed) = self.memo.0.found();
        if matches!(found, Found::Unknown) {
            self.find_out(observed, Effort::Quick);
            (found, observed) = self.memo.0.found();
        }
        match found {
            Found::Data(data) => self.take_from::<ORDERED>(&data).unwrap_or_else(|| {
                let taken = self.take_from_system();
                let is_hypervisors = matches!(mode_of(data.words.word(0)), mode::PVCLOCK | mode::HYPERV);
                if is_hypervisors && self.memo.0.kvm_clock().is_none() && self.retry.is_due(taken.ns) {
                    self.find_out(observed, Effort::Thorough);
                }
                taken
            }),
            Found::Nothing(reason) => {
                let taken = match reason {
                    Reason::CounterForbidden => Taken::of_system(self.machine.system_call_ns()),
                    _ => self.take_from_system(),
                };
                self.search_again_if_due(reason, taken.ns, observed);
                taken
            }
            Found::Outdated => {
                self.memo.0.publish_nothing(observed, Reason::Restored);
                self.take_from_system()
            }
            // Somebody else's publication, not seen yet.
            Found::Unknown => self.take_from_system(),
        }
    }

    /// Finds out afresh what this process can read, by system calls that readings must not make from now on.
    pub(crate) fn look_again(&self) {
        self.retry.stop();
        let (_, observed) = self.memo.0.found();
        self.find_out(observed, Effort::Thorough);
    }

    /// Gives up the data for the life of the process.
    pub(crate) fn switch_off(&self) {
        self.is_off.store(true, SeqCst);
        let reason = if self.machine.may_read_counter() { Reason::SwitchedOff } else { Reason::CounterForbidden };
        self.memo.0.replace_by_nothing(reason);
    }

    /// Why readings come from the system's clock now; None if they do not.
    pub(crate) fn reason(&self) -> Option<Reason> {
        let source = self.take::<true>().source;
        match self.memo.0.found().0 {
            _ if source != RateSource::SystemClock => None,
            Found::Nothing(reason) => Some(reason),
            Found::Data(data) => Some(match mode_of(data.words.word(0)) {
                mode::TIME_NAMESPACE => Reason::TimeNamespace,
                mode if mode::is_readable(mode) && self.is_offered(mode) => Reason::KernelDataChanging,
                _ => Reason::KernelUsesAnother,
            }),
            Found::Outdated => Some(Reason::Restored),
            Found::Unknown => Some(Reason::NoKernelData),
        }
    }

    /// Whether the data are there, and not those of a time namespace.
    pub(crate) fn is_outside_time_namespaces(&self) -> bool {
        self.memo.0.data().is_some_and(|data| mode_of(data.words.word(0)) != mode::TIME_NAMESPACE)
    }

    /// Whether the hypervisor offers its page to programs, if the mode is a hypervisor's.
    fn is_offered(&self, mode: u32) -> bool {
        match mode {
            mode::PVCLOCK => self.memo.0.kvm_clock().is_some_and(pvclock::is_offered),
            mode::HYPERV => self.memo.0.hyper_v().is_some_and(hyperv::is_offered),
            _ => true,
        }
    }

    /// The counter's frequency in hertz, as the data convert it; None if it is not read.
    pub(crate) fn counter_hz(&self) -> Option<f64> {
        let data = self.memo.0.data()?;
        for _ in 0..LOOKS {
            match mode_of(data.words.word(0)) {
                mode::PVCLOCK => return self.memo.0.kvm_clock().map(pvclock::hz),
                mode::HYPERV => return self.memo.0.hyper_v().map(hyperv::hz),
                _ => {}
            }
            if let Ok(conversion) = look(data.words, data.layout, mode::is_architecture, || Some(0)) {
                return Some(conversion.cycles_per_second());
            }
        }
        None
    }

    /// The clock's step at a reading, in nanoseconds, rounded up. None if the clock did not move while it was measured.
    ///
    /// Measured when [due](MeasuredSteps::are_due), by some dozens of readings.
    #[inline]
    pub(crate) fn step_ns(&self, taken: &Taken) -> Option<u64> {
        if self.steps.are_due(taken.ns) {
            self.measure(taken.rate.is_some());
            self.steps.note(taken.ns);
        }
        let Some(rate) = taken.rate else { return self.system_step_ns() };
        let ticks = self.steps.counter().or_else(|| self.counter_step())?;
        // A hypervisor's page counts whole units, and may halve the ticks first: its clock may move two units more.
        let in_units = |cycles: u64| (cycles / FRACTION + 2) * FRACTION;
        let cycles = match taken.source {
            RateSource::KvmClock => self.memo.0.kvm_clock().map(|page| in_units(pvclock::cycles_in(page, ticks))),
            RateSource::HyperV => self.memo.0.hyper_v().map(|page| in_units(hyperv::cycles_in(page, ticks))),
            _ => None,
        };
        Some(rate.ns(cycles.unwrap_or(ticks)))
    }

    /// Measures again, and checks that the data still are what they were.
    #[cold]
    fn measure(&self, is_of_data: bool) {
        self.check_again();
        if is_of_data {
            self.counter_step();
        } else {
            self.measure_system_step(self.mode());
        }
    }

    #[cold]
    fn counter_step(&self) -> Option<u64> {
        let data = self.memo.0.data()?;
        let ns_per_tick = self.counter_hz().map_or(1.0, |hz| 1e9 / hz);
        let sets = if self.steps.counter().is_none() { lattice::SETS } else { 1 };
        let ticks = lattice::measured(|| self.machine.counter::<true>(data.self_ordered), ns_per_tick, sets)?;
        // It shows whole ticks.
        self.steps.widen_counter((ticks as u64 + 1) * FRACTION);
        self.steps.counter()
    }

    /// The step of the system's clock while the kernel keeps time as it does now.
    fn system_step_ns(&self) -> Option<u64> {
        let mode = self.mode();
        self.steps.system(mode).unwrap_or_else(|| {
            self.measure_system_step(mode);
            self.steps.system(mode).flatten()
        })
    }

    fn measure_system_step(&self, mode: u32) {
        let ns = lattice::measured(|| self.take::<true>().ns, 1.0, lattice::SETS);
        self.steps.widen_system(mode, ns.map(|ns| ns as u64 + u64::from(ns > ns as u64 as f64))); // rounded up
    }

    /// How the kernel says that it keeps time.
    fn mode(&self) -> u32 {
        self.memo.0.data().map_or(mode::NONE, |data| mode_of(data.words.word(0)))
    }

    /// The counter, in program order.
    #[inline(always)]
    pub(crate) fn ticks(&self) -> Option<u64> {
        Some(self.machine.counter::<true>(self.memo.0.data()?.self_ordered))
    }

    fn take_from_system(&self) -> Taken {
        Taken::of_system(self.machine.system_ns())
    }

    /// A reading by the data, whatever their clocksource. None if that is unreadable or keeps changing.
    fn take_from<const ORDERED: bool>(&self, data: &Data) -> Option<Taken> {
        let (conversion, source, ticks) = self.looked_from::<ORDERED>(data, data.layout.monotonic())?;
        Some(Taken::of_data(conversion, source, ticks))
    }

    /// A state of the data for the clock whose seconds are at `base`, with its clocksource and the counter.
    fn looked_from<const ORDERED: bool>(&self, data: &Data, base: usize) -> Option<(Conversion, RateSource, u64)> {
        for _ in 0..LOOKS {
            let mode = mode_of(data.words.word(0));
            let mut ticks = 0;
            let mut counter = || {
                ticks = self.machine.counter::<ORDERED>(data.self_ordered);
                ticks
            };
            let (source, looked) = match mode {
                mode::PVCLOCK => {
                    let page = self.memo.0.kvm_clock().filter(|page| pvclock::is_offered(*page))?;
                    let cycles = || pvclock::cycles(page, &mut counter);
                    (RateSource::KvmClock, look_at(data.words, data.layout, base, |now| now == mode, cycles))
                }
                mode::HYPERV => {
                    let page = self.memo.0.hyper_v().filter(|page| hyperv::is_offered(*page))?;
                    let cycles = || hyperv::cycles(page, &mut counter);
                    (RateSource::HyperV, look_at(data.words, data.layout, base, |now| now == mode, cycles))
                }
                _ => {
                    let cycles = || Some(counter());
                    (RateSource::KernelData, look_at(data.words, data.layout, base, mode::is_architecture, cycles))
                }
            };
            match looked {
                Ok(conversion) => return Some((conversion, source, ticks)),
                Err(missed) if missed.is_passing(mode::is_readable) => core::hint::spin_loop(),
                Err(_) => return None,
            }
        }
        None
    }

    /// Locates the data and publishes the result.
    #[cold]
    fn find_out(&self, observed: Observed, effort: Effort) {
        reached(Step::Begun);
        if self.is_off.load(SeqCst) {
            return self.switch_off();
        }
        match self.machine.locate(effort) {
            Ok(located) => {
                self.memo.0.note(&located);
                match self.data_in(located.page, || located.self_ordered) {
                    Ok(data) => {
                        if effort == Effort::Quick {
                            self.retry.allow();
                        }
                        self.publish(observed, &data, located.seal);
                    }
                    Err(_) if effort == Effort::Quick => self.find_out(observed, Effort::Thorough),
                    Err(reason) => self.memo.0.publish_nothing(observed, reason),
                }
            }
            Err(NotLocated { reason, may_pass }) => {
                if may_pass {
                    self.retry.schedule(self.machine.system_call_ns());
                }
                // A file that cannot be opened now implies nothing about data that were found and are still sealed.
                if reason != Reason::NoKernelData || self.memo.0.data().is_none() {
                    self.memo.0.publish_nothing(observed, reason);
                }
            }
        }
        // Switched off meanwhile.
        if self.is_off.load(SeqCst) {
            self.switch_off();
        }
    }

    /// Checks, with no system call but `clock_gettime`'s, whether data have appeared since; locates them afresh where the last
    /// attempt failed for a reason that may have passed.
    fn search_again_if_due(&self, reason: Reason, now_ns: u64, observed: Observed) {
        if reason == Reason::SwitchedOff || now_ns.wrapping_sub(self.searched_ns.load(Relaxed)) < SEARCH_AGAIN_NS {
            return;
        }
        self.searched_ns.store(now_ns, Relaxed);
        if self.retry.is_due(now_ns) {
            self.find_out(observed, Effort::Thorough);
        } else if reason != Reason::CounterForbidden {
            if let Some((page, seal)) = self.memo.0.page() {
                match self.data_in(page, || self.machine.has_self_ordered()) {
                    Ok(data) => self.publish(observed, &data, seal),
                    Err(reason) => self.memo.0.publish_nothing(observed, reason),
                }
            }
        }
    }

    /// The data in a page, if they agree with the system.
    fn data_in(&self, page: KernelPage, self_ordered: impl FnOnce() -> bool) -> Result<Data, Reason> {
        let (start, layout) = match search(|at| page.word(at)) {
            Search::Found(start, layout) => (start, layout),
            Search::NotReadable => return Err(Reason::KernelUsesAnother),
            Search::TimeNamespace => return Err(Reason::TimeNamespace),
            Search::Unknown => return Err(Reason::NoKernelData),
        };
        reached(Step::Searched);
        let data = Data { words: page.from(start), layout, self_ordered: self_ordered() };
        if !self.agrees(&data) {
            return Err(Reason::NoKernelData);
        }
        reached(Step::Checked);
        Ok(data)
    }

    fn publish(&self, observed: Observed, data: &Data, seal: Seal) {
        self.steps.forget(); // it may be another machine's counter
        self.memo.0.publish(observed, data, seal);
    }

    /// Whether the data agree with `clock_gettime`, read before and after.
    fn agrees(&self, data: &Data) -> bool {
        (0..CHECKS).all(|_| self.agrees_once(data) == Some(true))
    }

    /// Gives up data that no longer agree at any look: another meaning of a field may show only later.
    fn check_again(&self) {
        if let (Found::Data(data), observed) = self.memo.0.found() {
            if (0..CHECKS).all(|_| self.agrees_once(&data) == Some(false)) {
                self.memo.0.publish_nothing(observed, Reason::NoKernelData);
            }
        }
    }

    /// None if the data cannot be read now.
    fn agrees_once(&self, data: &Data) -> Option<bool> {
        let before = self.machine.system_ns();
        let taken = self.take_from::<true>(data)?;
        let after = self.machine.system_ns();
        Some((before..=after).contains(&taken.ns))
    }
}
