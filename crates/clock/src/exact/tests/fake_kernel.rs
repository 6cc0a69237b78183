use core::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Relaxed, Release, SeqCst},
    fence,
};
use std::boxed::Box;
use std::sync::Mutex;
use std::vec::Vec;

use crate::exact::machine::{Effort, Machine, NotLocated};
use crate::exact::mode;
use crate::os::{KernelPage, Located, Seal};
use crate::trust::Reason;

/// A machine of a test's own: a counter, a kernel that keeps time by it and publishes its data, and what a process sees.
pub(crate) struct FakeKernel {
    counter: AtomicU64,
    /// The step in which reads see it advance, in thousandths of a tick, and time with it; 0 while time is frozen.
    period: AtomicU64,
    state: Mutex<State>,
    forbids: AtomicBool,
    lacks_files: AtomicBool,
    hides_hypervisors: AtomicBool,
    pub(crate) locates: AtomicU32,
    restores: AtomicU32,
}

struct State {
    timekeeper: Timekeeper,
    /// Where the data and the vDSO's code are mapped now.
    page: &'static [AtomicU64],
    code: &'static [AtomicU64],
    /// kvm-clock's page, and Hyper-V's behind it.
    hypervisors: &'static [AtomicU64],
    clocksource: Clocksource,
    mode: u32,
    sequence: u64,
    /// The wall clock less the monotonic one.
    wall_ahead_ns: u64,
    /// The nanoseconds of the wall clock precede its seconds, as they did before Linux 4.20.
    is_swapped: bool,
}

/// The kernel's clocksource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(any(miri, not(target_arch = "x86_64")), allow(dead_code))]
pub(crate) enum Clocksource {
    Counter,
    /// 2.5 GHz in nanoseconds, from a counter of 500.
    KvmClock,
    /// 2.5 GHz in units of 100 ns.
    HyperV,
}

const KVM_SYSTEM_TIME: u64 = 9_000_000_000;
const KVM_TIMESTAMP: u64 = 500;
const KVM_MULT: u64 = 0xcccc_cccd;
const HYPERV_OFFSET: u64 = 777;
const HYPERV_AT: usize = 512;

impl Clocksource {
    /// The time it shows, by plain arithmetic.
    fn cycles(self, ticks: u64) -> u64 {
        match self {
            Self::Counter => ticks,
            Self::KvmClock => KVM_SYSTEM_TIME + ((ticks - KVM_TIMESTAMP) / 2 * KVM_MULT) / (1 << 32),
            Self::HyperV => HYPERV_OFFSET + ticks / 250,
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn mode(self) -> u32 {
        match self {
            Self::Counter => 1,
            Self::KvmClock => mode::PVCLOCK,
            Self::HyperV => mode::HYPERV,
        }
    }

    fn mult(self) -> u64 {
        match self {
            Self::Counter => 6_710_886,
            Self::KvmClock => 1 << SHIFT,
            Self::HyperV => 100 << SHIFT,
        }
    }
}

#[derive(Clone, Copy)]
struct Timekeeper {
    last: u64,
    mult: u64,
    seconds: u64,
    shifted_ns: u64,
}

const SHIFT: u32 = 24;
const PAGE_WORDS: usize = 1024;
const SECOND: u64 = 1_000_000_000;

impl Timekeeper {
    /// By plain arithmetic, as an independent witness.
    fn ns(&self, cycles: u64) -> u64 {
        let cycles = u128::from(cycles.saturating_sub(self.last));
        let since = (cycles * u128::from(self.mult) + u128::from(self.shifted_ns)) >> SHIFT;
        self.seconds * SECOND + since as u64
    }
}

#[cfg_attr(miri, allow(dead_code))] // the fault tests are too long to interpret
impl FakeKernel {
    /// 2.5 GHz, up for 77 s, and there until the process ends.
    pub(crate) fn new() -> &'static Self {
        let timekeeper = Timekeeper { last: 1_000_000, mult: 6_710_886, seconds: 77, shifted_ns: 5 << SHIFT };
        let clocksource = Clocksource::Counter;
        let hypervisors = words();
        let state = State {
            timekeeper,
            page: words(),
            code: words(),
            hypervisors,
            clocksource,
            mode: 1,
            sequence: 8,
            wall_ahead_ns: 1_700_000_000_999_999_990,
            is_swapped: false,
        };
        let rate = KVM_MULT | 0xff << 32 | 1 << 40;
        [2, KVM_TIMESTAMP, KVM_SYSTEM_TIME, rate]
            .iter()
            .zip(hypervisors)
            .for_each(|(word, at)| at.store(*word, SeqCst));
        let scale = ((1_u128 << 64) / 250 + 1) as u64;
        let page = &hypervisors[HYPERV_AT..];
        [1, scale, HYPERV_OFFSET].iter().zip(page).for_each(|(word, at)| at.store(*word, SeqCst));
        state.code[0].store(0x1122_3344_5566_8955, SeqCst);
        let kernel = Self {
            counter: AtomicU64::new(1_000_500),
            period: AtomicU64::new(0),
            state: Mutex::new(state),
            forbids: AtomicBool::new(false),
            lacks_files: AtomicBool::new(false),
            hides_hypervisors: AtomicBool::new(false),
            locates: AtomicU32::new(0),
            restores: AtomicU32::new(0),
        };
        kernel.state.lock().unwrap().publish();
        let kernel: &'static Self = Box::leak(Box::new(kernel));
        KERNELS.lock().unwrap().push(kernel);
        kernel
    }

    /// Advances time by `ticks`.
    pub(crate) fn pass(&self, ticks: u64) {
        self.counter.fetch_add(ticks, SeqCst);
    }

    /// From now on time passes with each read, and reads see the counter advance by so many thousandths of a tick.
    pub(crate) fn run_in_steps_of(&self, thousandths: u64) {
        self.period.store(thousandths, SeqCst);
    }

    /// The time at the last read, in nanoseconds, by the counter without its steps.
    pub(crate) fn true_ns(&self) -> f64 {
        let keeper = self.state.lock().unwrap().timekeeper;
        let since = (self.counter.load(SeqCst) - keeper.last) as f64 * keeper.mult as f64 + keeper.shifted_ns as f64;
        (keeper.seconds * SECOND) as f64 + since / f64::from(1_u32 << SHIFT)
    }

    fn shown(&self) -> u64 {
        match self.period.load(SeqCst) {
            0 => self.counter.load(SeqCst),
            period => {
                // Forty to a hundred ticks a read.
                let passed = 40 + (self.counter.load(SeqCst).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 61;
                let now = self.counter.fetch_add(passed, SeqCst) + passed;
                now * 1_000 / period * period / 1_000
            }
        }
    }

    /// Sets the counter back, as a core does whose own lags.
    pub(crate) fn step_back(&self, ticks: u64) {
        self.counter.fetch_sub(ticks, SeqCst);
    }

    /// The kernel's update at a tick; time then runs `ppm` faster than 2.5 GHz mean.
    pub(crate) fn update(&self, ppm: i64) {
        let mut state = self.state.lock().unwrap();
        state.sequence += 1;
        state.publish_sequence();
        state.accumulate(self.counter.load(SeqCst));
        let mult = state.clocksource.mult() as i64;
        state.timekeeper.mult = (mult + mult * ppm / 1_000_000) as u64;
        state.publish();
    }

    /// Switches timekeeping to another clocksource.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn switch(&self, clocksource: Clocksource) {
        let mut state = self.state.lock().unwrap();
        let ticks = self.counter.load(SeqCst);
        state.accumulate(ticks);
        state.clocksource = clocksource;
        state.mode = clocksource.mode();
        state.timekeeper.last = clocksource.cycles(ticks);
        state.timekeeper.mult = clocksource.mult();
        state.sequence += 2;
        state.publish();
    }

    /// The hypervisor begins to change its pages and does not end.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn stop_hypervisors(&self, are_stopped: bool) {
        let hypervisors = self.state.lock().unwrap().hypervisors;
        hypervisors[0].store(if are_stopped { 3 } else { 4 }, SeqCst);
        hypervisors[HYPERV_AT].store(if are_stopped { 0 } else { 2 }, SeqCst);
    }

    /// Begins an update and never ends it.
    pub(crate) fn stop_in_update(&self) {
        let mut state = self.state.lock().unwrap();
        state.sequence += 1;
        state.publish_sequence();
    }

    pub(crate) fn end_update(&self) {
        let mut state = self.state.lock().unwrap();
        state.sequence += 1;
        state.publish_sequence();
    }

    /// Switches to another mode of reading time.
    pub(crate) fn set_mode(&self, mode: u32) {
        let mut state = self.state.lock().unwrap();
        state.mode = mode;
        state.sequence += 2;
        state.publish();
    }

    /// Somebody sets the wall clock.
    pub(crate) fn set_wall(&self, ahead_ns: u64) {
        let mut state = self.state.lock().unwrap();
        state.wall_ahead_ns = ahead_ns;
        state.sequence += 2;
        state.publish();
    }

    /// Shows the wall clock as kernels before 4.20 do.
    pub(crate) fn swap_wall(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_swapped = true;
        state.sequence += 2;
        state.publish();
    }

    /// Moves the process into a time namespace: its page becomes one of offsets.
    pub(crate) fn enter_time_namespace(&self) {
        let state = self.state.lock().unwrap();
        state.page[DATA_AT].store(u64::from(mode::TIME_NAMESPACE) << 32 | 1, SeqCst);
    }

    /// Restores the process on another kernel: the data lie elsewhere, the vDSO's code leads there, and at the old place is
    /// something that looks like data and is not.
    pub(crate) fn restore_elsewhere(&self) {
        let mut state = self.state.lock().unwrap();
        let old = state.page;
        state.page = words();
        state.sequence += 2;
        state.publish();
        // `movabs rax, …`: the first time another instruction, every time another address.
        let restores = self.restores.fetch_add(1, SeqCst) + 1;
        state.code[0].store(0xb848 | (0x7fff_1230_0000 + u64::from(restores) * 0x9_7000) << 16, SeqCst);
        old[DATA_AT + 6].fetch_add(1_000, SeqCst);
        old[DATA_AT + 7].fetch_add(1_000, SeqCst);
    }

    /// Shows data that look right but are a second off: another kernel's layout might.
    pub(crate) fn lie(&self) {
        self.state.lock().unwrap().page[DATA_AT + 6].fetch_add(1, SeqCst);
    }

    /// No file can be opened: the process has as many as it may.
    pub(crate) fn run_out_of_files(&self, is_out: bool) {
        self.lacks_files.store(is_out, SeqCst);
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn hide_hypervisors(&self, are_hidden: bool) {
        self.hides_hypervisors.store(are_hidden, SeqCst);
    }

    pub(crate) fn forbid_counter(&self, forbids: bool) {
        self.forbids.store(forbids, SeqCst);
    }
}

/// How far into the page the data begin.
const DATA_AT: usize = 16;

impl State {
    fn publish_sequence(&self) {
        // As weakly ordered as the kernel's own writes, so that an interpreter of weak memory can find fault.
        fence(Release);
        self.page[DATA_AT].store(u64::from(self.mode) << 32 | self.sequence & 0xffff_ffff, Relaxed);
        fence(Release);
    }

    fn publish(&mut self) {
        self.sequence |= 1;
        self.publish_sequence();
        let Timekeeper { last, mult, seconds, shifted_ns } = self.timekeeper;
        let wall_shifted = shifted_ns + ((self.wall_ahead_ns % SECOND) << SHIFT);
        let second = SECOND << SHIFT;
        let mut wall = [seconds + self.wall_ahead_ns / SECOND + wall_shifted / second, wall_shifted % second];
        if self.is_swapped {
            wall.reverse();
        }
        let words = [last, u64::MAX, u64::from(SHIFT) << 32 | mult, wall[0], wall[1], seconds, shifted_ns];
        words.into_iter().zip(&self.page[DATA_AT + 1..]).for_each(|(word, place)| place.store(word, Relaxed));
        self.sequence += 1;
        self.publish_sequence();
    }

    fn accumulate(&mut self, ticks: u64) {
        let cycles = self.clocksource.cycles(ticks);
        let keeper = &mut self.timekeeper;
        let since = u128::from(cycles - keeper.last) * u128::from(keeper.mult) + u128::from(keeper.shifted_ns);
        keeper.seconds += (since / (u128::from(SECOND) << SHIFT)) as u64;
        keeper.shifted_ns = (since % (u128::from(SECOND) << SHIFT)) as u64;
        keeper.last = cycles;
    }
}

/// Memory of a process, which outlives the test as mappings outlive whoever looks at them.
fn words() -> &'static [AtomicU64] {
    let words: Vec<AtomicU64> = (0..PAGE_WORDS).map(|_| AtomicU64::new(0)).collect();
    let words: &'static [AtomicU64] = Box::leak(words.into_boxed_slice());
    MAPPINGS.lock().unwrap().push(words);
    words
}

/// Somebody who knows of each, so that none counts as lost.
static KERNELS: Mutex<Vec<&FakeKernel>> = Mutex::new(Vec::new());
static MAPPINGS: Mutex<Vec<&[AtomicU64]>> = Mutex::new(Vec::new());

impl Machine for &FakeKernel {
    fn counter<const ORDERED: bool>(&self, _self_ordered: bool) -> u64 {
        assert!(!self.forbids.load(SeqCst), "the counter was read in a process that must not");
        self.shown()
    }

    fn has_self_ordered(&self) -> bool {
        true
    }

    fn system_ns(&self) -> u64 {
        assert!(!self.forbids.load(SeqCst), "the C library's clock reads the counter too");
        self.system_call_ns()
    }

    fn system_call_ns(&self) -> u64 {
        let state = self.state.lock().unwrap();
        state.timekeeper.ns(state.clocksource.cycles(self.shown()))
    }

    fn realtime_ns(&self) -> u64 {
        assert!(!self.forbids.load(SeqCst), "the C library's clock reads the counter too");
        self.realtime_by_system_call_ns()
    }

    fn realtime_by_system_call_ns(&self) -> u64 {
        let state = self.state.lock().unwrap();
        state.timekeeper.ns(state.clocksource.cycles(self.shown())) + state.wall_ahead_ns
    }

    fn may_read_counter(&self) -> bool {
        !self.forbids.load(SeqCst)
    }

    fn locate(&self, _effort: Effort) -> Result<Located, NotLocated> {
        self.locates.fetch_add(1, SeqCst);
        if self.forbids.load(SeqCst) {
            return Err(Reason::CounterForbidden.into());
        }
        if self.lacks_files.load(SeqCst) {
            return Err(NotLocated { reason: Reason::NoKernelData, may_pass: true });
        }
        let state = self.state.lock().unwrap();
        let code = KernelPage::of_test(state.code);
        let seal = Seal::of(code).ok_or(Reason::Restored)?;
        let hypervisors = (cfg!(target_arch = "x86_64") && !self.hides_hypervisors.load(SeqCst))
            .then(|| KernelPage::of_test(state.hypervisors));
        Ok(Located { page: KernelPage::of_test(state.page), hypervisors, code, seal, self_ordered: true })
    }
}
