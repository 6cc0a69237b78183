use core::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use super::reference::{Foundation, Reference};
use crate::arch::Counter;
use crate::os::{self, CounterAccess, KernelData, KernelDataCell, KernelVerdict, OsClock};
use crate::source::Function;
use crate::trust::{RateSource, Reason, Reasons};
use crate::{Anchor, Line};

/// Brackets that the kernel's conversion data must pass before it is used.
const CHECKS: u32 = 16;
/// Brackets among which an anchor is the narrowest, and how often as many more are tried while all were disturbed: wider
/// than twice the narrowest seen so far.
const ANCHOR_ATTEMPTS: u32 = 3;
const ANCHOR_REPEATS: u32 = 4;
/// How far a declared rate may be from the measured one before it is refused, in parts per million: crystals are good to
/// 100 ppm, NTP slews by 500.
const DECLARED_TOLERANCE_PPM: f64 = 1_000.0;
/// What a declared rate may be off from the system's clock until brackets say it better, in parts per billion.
const DECLARED_ERROR_PPB: u64 = 600_000;
/// Reads in which a step of the counter shows: 10 µs or so where it is an emulated one of 1 µs.
const STEP_READS: u32 = 256;
/// How long a declared rate is compared with the system's clock, in nanoseconds.
const DECLARED_CHECK_NS: u64 = 20_000;

/// This machine's counter and its `CLOCK_MONOTONIC`.
#[derive(Debug)]
pub(crate) struct System {
    /// Whether the process may not read the counter, and so not the C library's clock either.
    forbids_counter: AtomicBool,
    kernel_data: KernelDataCell,
    /// By how much the counter moves at a time, where that is more than a read takes; else 1.
    step_ticks: AtomicU64,
    /// The narrowest bracket so far.
    narrowest_ticks: AtomicU64,
}

impl System {
    pub(crate) const fn new() -> Self {
        Self {
            forbids_counter: AtomicBool::new(false),
            kernel_data: KernelDataCell::empty(),
            step_ticks: AtomicU64::new(1),
            narrowest_ticks: AtomicU64::new(u64::MAX / 4),
        }
    }

    /// The rungs between the kernel's own data and brackets alone: who declares the rate?
    fn declared_rate(&self, counter: Counter) -> Option<(RateSource, Line)> {
        let by_cpu = || counter.declared_frequency_hz().and_then(Line::with_frequency);
        let perf = os::perf_rate().map(|rate| (RateSource::PerfPage, rate));
        let (source, rate) = perf.or_else(|| Some((RateSource::Declared, by_cpu()?)))?;
        // Validated by brackets: a wrong crystal would be off by percents.
        let first = self.anchor();
        let later = self.anchor_after(first, DECLARED_CHECK_NS)?;
        let measured = Line::between(first, later)?;
        let uncertain_ns = measured.length_ns(first.half_width_ticks + later.half_width_ticks) + 2;
        let uncertain_ppm = uncertain_ns as f64 / DECLARED_CHECK_NS as f64 * 1e6;
        let is_near = measured.ppm_faster_than(rate).abs() <= DECLARED_TOLERANCE_PPM + uncertain_ppm;
        is_near.then_some((source, rate))
    }

    /// Whether the kernel's data gives what `clock_gettime` gives, in brackets.
    fn agrees(&self, data: KernelData) -> bool {
        let Some(counter) = Counter::assume() else { return false };
        (0..CHECKS).all(|_| {
            let before = os::monotonic_ns();
            let Some((line, ticks)) = data.look(|| counter.ordered()) else { return false };
            let after = os::monotonic_ns();
            (before..=after).contains(&line.ns(ticks))
        })
    }
}

impl Reference for System {
    #[inline(always)]
    fn ticks(&self) -> u64 {
        Counter::assume().map_or(0, Counter::ordered)
    }

    #[inline(always)]
    fn system_ns(&self) -> u64 {
        if self.forbids_counter.load(Acquire) {
            // The C library's clock reads the counter too.
            return os::try_read_by_system_call_ns(OsClock::Monotonic).unwrap_or(0);
        }
        os::monotonic_ns()
    }

    fn establish(&self) -> Foundation {
        let fallback = |reason| Foundation::fallback(Reasons::of(reason));
        let is_forbidden = os::counter_access() == CounterAccess::Faults;
        self.forbids_counter.store(is_forbidden, Release);
        if is_forbidden {
            return fallback(Reason::CounterForbidden);
        }
        if !os::COUNTER_IS_KNOWN {
            return fallback(Reason::SystemNotSupported);
        }
        // The kernel's data names its counter, so this needs no CPUID, which costs microseconds in a virtual machine.
        let data = KernelData::find().filter(|data| self.agrees(*data));
        self.kernel_data.set(data);
        if data.is_some() {
            return Foundation { source: RateSource::KernelData, reasons: Reasons::NONE, rate: None };
        }
        let Ok(counter) = Counter::new() else { return fallback(Reason::CounterAbsent) };
        self.step_ticks.store(step_ticks(|| counter.ordered()), Relaxed);
        let mut reasons = Reasons::of(Reason::NoKernelData);
        match os::counter_verdict() {
            KernelVerdict::KeepsTimeByIt => {}
            KernelVerdict::ListsIt => reasons = reasons.with(Reason::KernelUsesAnother),
            KernelVerdict::RejectsIt => return fallback(Reason::KernelRejects),
            KernelVerdict::Unknown if counter.is_invariant() => reasons = reasons.with(Reason::NoKernelVerdict),
            KernelVerdict::Unknown => return fallback(Reason::NotInvariant),
        }
        match self.declared_rate(counter) {
            Some((source, rate)) => Foundation { source, reasons, rate: Some((rate, DECLARED_ERROR_PPB)) },
            None => {
                Foundation { source: RateSource::Brackets, reasons: reasons.with(Reason::RateMeasured), rate: None }
            }
        }
    }

    fn kernel_look(&self) -> Option<(Line, u64)> {
        let (data, counter) = (self.kernel_data.get()?, Counter::assume()?);
        data.look(|| counter.ordered())
    }

    fn is_still_fit(&self) -> bool {
        os::counter_verdict() != KernelVerdict::RejectsIt
    }

    fn anchor(&self) -> Anchor {
        match Counter::assume() {
            Some(counter) => {
                let narrowest = || Anchor::of_counter(counter, &Function(os::monotonic_ns), ANCHOR_ATTEMPTS);
                let mut anchor = narrowest();
                for _ in 1..ANCHOR_REPEATS {
                    if anchor.half_width_ticks <= 2 * self.narrowest_ticks.load(Relaxed).max(1) {
                        break;
                    }
                    let next = narrowest();
                    if next.half_width_ticks <= anchor.half_width_ticks {
                        anchor = next;
                    }
                }
                self.narrowest_ticks.fetch_min(anchor.half_width_ticks, Relaxed);
                // What the counter shows may be up to a step old.
                let half_width_ticks = anchor.half_width_ticks + self.step_ticks.load(Relaxed);
                Anchor { half_width_ticks, ..anchor }
            }
            None => Anchor { ticks: 0, reference_ns: self.system_ns(), half_width_ticks: 0 },
        }
    }
}

/// By how much a counter moves at a time, if consecutive reads can be equal: the least of a few changes. Else 1: a read
/// then takes longer than a step.
///
/// Emulators and scaled counters advance by many ticks at once, whatever frequency they declare.
fn step_ticks(read: impl Fn() -> u64) -> u64 {
    let mut least = u64::MAX;
    let mut has_equal = false;
    let mut last = read();
    for _ in 0..STEP_READS {
        let next = read();
        has_equal |= next == last;
        least = least.min(next.wrapping_sub(last).wrapping_sub(1)); // of a change of 0, the largest number
        last = next;
    }
    if has_equal { least.saturating_add(1) } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FakeClock, TickSource};

    #[test]
    fn a_counter_that_moves_in_steps_is_told_from_a_slow_read() {
        let clock = FakeClock::new();
        clock.set_read_cost_ns(30);
        assert_eq!(step_ticks(|| clock.read()), 1);
        clock.coarsen(1_000);
        assert_eq!(step_ticks(|| clock.read()), 1_000);
    }
}
