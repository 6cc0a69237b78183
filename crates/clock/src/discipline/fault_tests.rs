//! What a machine can do to a clock, done to it: slewing, jumps, a kernel that changes its mind, a writer that dies.

use core::cell::Cell;

use super::reference::Foundation;
use super::*;
use crate::trust::{Reason, Reasons, TrustState};
use crate::{Line, Rate};

const HZ: u64 = 2_000_000_000;
/// Half a nanosecond per tick.
const TICKS_PER_NS: u64 = 2;
const READ_NS: u64 = 20;

/// A machine whose counter and system clock do as the test says.
struct Machine {
    /// True time in ticks of a flawless counter.
    ticks: Cell<u64>,
    /// What is added to the counter that programs read.
    counter_offset: Cell<i64>,
    /// The system's clock over the counter, as the kernel keeps it.
    kernel: Cell<Line>,
    /// Whether the kernel converts the counter, and lets its data be read.
    source: Cell<RateSource>,
}

impl Machine {
    fn new(source: RateSource) -> Self {
        Self {
            ticks: Cell::new(1_000 * HZ),
            counter_offset: Cell::new(0),
            kernel: Cell::new(Line::with_frequency(HZ).unwrap().through(1_000 * HZ, 77_000_000_000)),
            source: Cell::new(source),
        }
    }

    fn advance(&self, ns: u64) {
        self.ticks.set(self.ticks.get() + ns * TICKS_PER_NS);
    }

    fn counter(&self) -> u64 {
        self.ticks.get().wrapping_add_signed(self.counter_offset.get())
    }

    /// The kernel slews by `ppm` from now on.
    fn slew(&self, ppm: i64) {
        let now = self.counter();
        let rate = Line::with_frequency((HZ as i64 - HZ as i64 / 1_000_000 * ppm) as u64).unwrap();
        self.kernel.set(rate.through_fixed(now, self.kernel.get().fixed(now)));
    }

    /// The system's clock shows `ns` from now on: the kernel has found a new relation to the counter.
    fn set_system(&self, ns: u64) {
        self.kernel.set(self.kernel.get().through(self.counter(), ns));
    }

    /// True, unrounded: reading costs nothing.
    fn system_now(&self) -> u64 {
        self.kernel.get().ns(self.counter())
    }
}

impl Reference for &Machine {
    fn ticks(&self) -> u64 {
        self.advance(READ_NS);
        self.counter()
    }

    fn system_ns(&self) -> u64 {
        self.advance(READ_NS);
        self.system_now()
    }

    fn establish(&self) -> Foundation {
        match self.source.get() {
            RateSource::SystemClock => Foundation::fallback(Reasons::of(Reason::KernelRejects)),
            source => Foundation { source, reasons: Reasons::NONE, rate: None },
        }
    }

    fn kernel_look(&self) -> Option<(Line, u64)> {
        self.advance(READ_NS);
        (self.source.get() == RateSource::KernelData).then(|| (self.kernel.get(), self.counter()))
    }

    fn is_still_fit(&self) -> bool {
        self.source.get() != RateSource::SystemClock
    }

    fn anchor(&self) -> Anchor {
        let before = self.ticks();
        let reference_ns = self.system_ns();
        let width = self.ticks() - before;
        Anchor { ticks: before + width / 2, reference_ns, half_width_ticks: width.div_ceil(2) }
    }
}

/// A clock that is read again and again, each reading checked against the last and against the system's clock.
struct Watched<'a> {
    machine: &'a Machine,
    clock: Discipline<&'a Machine>,
    last: Cell<u64>,
}

impl<'a> Watched<'a> {
    fn new(machine: &'a Machine) -> Self {
        Self { machine, clock: Discipline::new(machine), last: Cell::new(0) }
    }

    /// Reads the clock, which must not have gone back; returns clock minus system in nanoseconds.
    fn read(&self) -> i64 {
        let ns = self.clock.read(|| self.machine.counter(), OnDistrust::ReadSystem);
        assert!(ns >= self.last.get(), "{ns} after {}", self.last.get());
        self.last.set(ns);
        ns.wrapping_sub(self.machine.system_now()) as i64
    }

    /// Reads every `step_ns` for `total_ns` and returns the largest error; checks each against the bound stated then.
    fn run(&self, total_ns: u64, step_ns: u64) -> u64 {
        let mut worst = 0;
        for _ in 0..total_ns / step_ns {
            self.machine.advance(step_ns);
            // Asking takes a look at the clock too, so the bound that holds for the reading is one of the two around it.
            let before = self.clock.knowledge().error_bound_ns;
            let error = self.read().unsigned_abs();
            let bound = before.max(self.clock.knowledge().error_bound_ns);
            assert!(error <= bound, "{error} ns off, and the bound is {bound} ns");
            worst = worst.max(error);
        }
        worst
    }
}

#[test]
fn the_kernels_data_are_followed_to_the_nanosecond() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    assert!(clock.run(50_000_000, 900) <= 2);
    let known = clock.clock.knowledge();
    assert_eq!((known.source, known.jumps, known.state()), (RateSource::KernelData, 0, TrustState::Verified));
    assert!(known.error_bound_ns <= 250, "{} ns", known.error_bound_ns);
}

#[test]
fn slewing_is_followed_within_the_bound_and_without_a_step() {
    for source in [RateSource::KernelData, RateSource::Brackets] {
        let machine = Machine::new(source);
        let clock = Watched::new(&machine);
        clock.run(20_000_000, 10_000);
        for ppm in [500, -500, 1, -37] {
            machine.slew(ppm);
            clock.run(20_000_000, 10_000);
        }
        assert_eq!(clock.clock.knowledge().jumps, 0);
    }
}

#[test]
fn brackets_get_surer_with_use() {
    let machine = Machine::new(RateSource::Brackets);
    let clock = Watched::new(&machine);
    clock.read();
    let first = clock.clock.knowledge();
    clock.run(1_000_000_000, 100_000);
    let second = clock.clock.knowledge();
    assert!(second.error_bound_ns <= 250 && second.rate_error_ppb < first.rate_error_ppb / 100, "{second:?}");
    clock.run(10_000_000_000, 100_000);
    let third = clock.clock.knowledge();
    assert!(third.rate_error_ppb <= 50, "{third:?}");
    let truth = Line::with_frequency(HZ).unwrap();
    assert!(third.rate.unwrap().ppm_faster_than(truth).abs() < 0.5);
}

#[test]
fn a_clock_that_is_seldom_read_is_as_good() {
    for source in [RateSource::KernelData, RateSource::Brackets] {
        let machine = Machine::new(source);
        let clock = Watched::new(&machine);
        machine.slew(100);
        clock.read();
        clock.run(60_000_000_000, 500_000_000);
        let known = clock.clock.knowledge();
        assert!(known.error_bound_ns <= 250 && known.jumps == 0, "{known:?}");
    }
}

#[test]
fn a_suspend_through_which_the_counter_ran_is_reported() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    clock.run(5_000_000, 1_000);
    // An hour that the system's clock does not count.
    let system_ns = machine.system_now();
    machine.advance(3_600_000_000_000);
    machine.set_system(system_ns);
    assert!(clock.read().unsigned_abs() <= 2_000_000);
    let known = clock.clock.knowledge();
    assert_eq!(known.jumps, 1);
    assert!(known.reasons.contains(Reason::Jumped) && known.state() == TrustState::Degraded);
    // What it is ahead it makes good, and says so all the while.
    clock.run(1_000_000_000, 100_000);
    assert!(clock.read().abs() <= 2);
}

#[test]
fn a_counter_that_goes_back_is_reported() {
    for source in [RateSource::KernelData, RateSource::Brackets] {
        let machine = Machine::new(source);
        let clock = Watched::new(&machine);
        clock.run(5_000_000, 1_000);
        // A snapshot restored: the counter starts over, and the system's clock goes on.
        let system_ns = machine.system_now();
        machine.counter_offset.set(-(machine.ticks.get() as i64) + 12_345);
        machine.set_system(system_ns + 1_000_000);
        clock.read();
        let known = clock.clock.knowledge();
        assert!(known.jumps >= 1 && known.reasons.contains(Reason::Jumped), "{known:?}");
        clock.run(1_000_000_000, 100_000);
        assert!(clock.read().abs() <= 150, "{source:?}: {} ns off", clock.read());
    }
}

#[test]
fn a_system_clock_that_jumps_ahead_is_met() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    clock.run(5_000_000, 1_000);
    machine.set_system(machine.system_now() + 5_000_000_000);
    machine.advance(300_000); // past the segment's end
    assert!(clock.read().abs() <= 2);
    assert_eq!(clock.clock.knowledge().jumps, 1);
}

#[test]
fn faster_slewing_than_it_follows_is_said() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    clock.run(2_000_000, 10_000);
    // Beyond what the bound allows for: it is off until the next look, and then says so.
    let read_for = |ns: u64| {
        for _ in 0..ns / 10_000 {
            machine.advance(10_000);
            clock.read();
        }
    };
    machine.slew(20_000);
    read_for(1_000_000);
    let known = clock.clock.knowledge();
    assert!(known.reasons.contains(Reason::Lagging) && known.state() == TrustState::Degraded, "{known:?}");
    assert!(known.error_bound_ns >= clock.read().unsigned_abs());
    machine.slew(0);
    read_for(20_000_000);
    clock.run(20_000_000, 10_000);
    assert!(!clock.clock.knowledge().reasons.contains(Reason::Lagging));
}

#[test]
fn a_kernel_that_leaves_the_counter_is_followed_and_so_is_its_return() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    clock.run(5_000_000, 1_000);
    machine.source.set(RateSource::SystemClock);
    clock.run(5_000_000, 1_000);
    let known = clock.clock.knowledge();
    assert_eq!((known.source, known.state()), (RateSource::SystemClock, TrustState::Fallback));
    assert!(known.reasons.contains(Reason::KernelLeftCounter) && known.reasons.contains(Reason::KernelRejects));
    // Looked at again after a while.
    machine.source.set(RateSource::KernelData);
    clock.run(30_000_000_000, 100_000_000);
    let known = clock.clock.knowledge();
    assert_eq!((known.source, known.state()), (RateSource::KernelData, TrustState::Degraded));
    assert!(known.reasons.contains(Reason::KernelLeftCounter), "it is remembered: {known:?}");
}

#[test]
fn a_kernel_that_rejects_the_counter_is_heard_without_its_data() {
    let machine = Machine::new(RateSource::Brackets);
    let clock = Watched::new(&machine);
    clock.run(1_000_000_000, 1_000_000);
    machine.source.set(RateSource::SystemClock);
    clock.run(20_000_000_000, 10_000_000);
    let known = clock.clock.knowledge();
    assert_eq!(known.state(), TrustState::Fallback, "{known:?}");
    assert!(known.reasons.contains(Reason::KernelRejects));
}

#[test]
fn who_asked_for_the_counter_keeps_it() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Discipline::new(&machine);
    let read = || clock.read(|| machine.counter(), OnDistrust::KeepCounting);
    let mut last = read();
    machine.source.set(RateSource::SystemClock);
    machine.advance(1_000_000);
    for _ in 0..100 {
        // The system's clock goes astray, as one may when its counter was left for a worse one.
        machine.set_system(machine.system_now() + 1_000_000);
        machine.advance(10_000);
        let next = read();
        assert!(next >= last && next - last <= 20_000_000, "{last}, {next}");
        last = next;
    }
    assert_eq!(clock.knowledge().state(), TrustState::Fallback);
}

#[test]
fn a_clock_without_a_counter_never_reads_it() {
    let machine = Machine::new(RateSource::SystemClock);
    let clock = Discipline::new(&machine);
    for _ in 0..10 {
        let ns = clock.read(|| unreachable!("the counter may be forbidden"), OnDistrust::ReadSystem);
        assert!(ns <= machine.system_now());
    }
    assert!(!clock.is_counting());
    assert_eq!(clock.knowledge().error_bound_ns, 0);
}

#[test]
fn a_writer_that_died_is_replaced_and_nobody_waits_for_it() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Watched::new(&machine);
    clock.run(5_000_000, 1_000);
    // Another thread had the lock when the process was forked; it will never give it back.
    let taken = clock.clock.try_lock().unwrap();
    machine.advance(1_000_000);
    let held = clock.read();
    assert!(held <= 0, "held back, not ahead");
    machine.advance(100_000_000);
    assert!(clock.read() < -90_000_000, "the time stands still");
    assert!(clock.clock.knowledge().error_bound_ns >= clock.read().unsigned_abs(), "and the bound says so");
    machine.advance(200_000_000);
    assert!(clock.read().abs() <= 2, "and goes on with a new writer");
    // The old one, if it comes back after all, does not open a lock that is another's by now.
    let taken_again = clock.clock.try_lock().unwrap();
    clock.clock.unlock(taken);
    assert!(clock.clock.try_lock().is_none());
    clock.clock.unlock(taken_again);
    assert!(clock.clock.try_lock().is_some());
}

#[test]
fn what_is_slower_than_the_conversion_can_say_falls_back() {
    let machine = Machine::new(RateSource::Brackets);
    // A counter of half a hertz beside a clock of nanoseconds.
    machine.kernel.set(Line::from_parts(u64::MAX, 0));
    let clock = Discipline::new(&machine);
    assert!(clock.read(|| machine.counter(), OnDistrust::ReadSystem) > 0);
    assert!(Rate::from_hz(HZ).is_some());
}

#[test]
fn anchors_convert_what_was_captured_to_what_was_shown() {
    let machine = Machine::new(RateSource::KernelData);
    let clock = Discipline::new(&machine);
    let first = clock.anchor();
    machine.advance(50_000);
    let (ticks, shown) = (machine.counter(), clock.read(|| machine.counter(), OnDistrust::ReadSystem));
    machine.advance(50_000);
    let anchors = [first, clock.anchor()];
    let table = crate::AnchorTable::new(&anchors).unwrap();
    let converted = table.convert(Ticks::from_raw(ticks)).unwrap().as_nanos();
    assert!(converted.abs_diff(shown) <= 1, "{converted} and {shown}");
}
