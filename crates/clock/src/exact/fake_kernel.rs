use core::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Relaxed, Release, SeqCst},
    fence,
};
use std::boxed::Box;
use std::sync::Mutex;
use std::vec::Vec;

use super::machine::Machine;
use super::mode;
use crate::os::{KernelPage, Located, Seal};
use crate::trust::Reason;

/// A machine of a test's own: a counter, a kernel that keeps time by it and publishes its data, and what a process sees.
pub(crate) struct FakeKernel {
    counter: AtomicU64,
    state: Mutex<State>,
    forbids: AtomicBool,
    pub(crate) locates: AtomicU32,
}

struct State {
    timekeeper: Timekeeper,
    /// Where the data and the vDSO's code are mapped now.
    page: &'static [AtomicU64],
    code: &'static [AtomicU64],
    mode: u32,
    sequence: u64,
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
    fn ns(&self, ticks: u64) -> u64 {
        let cycles = u128::from(ticks.saturating_sub(self.last));
        let since = (cycles * u128::from(self.mult) + u128::from(self.shifted_ns)) >> SHIFT;
        self.seconds * SECOND + since as u64
    }
}

#[cfg_attr(miri, allow(dead_code))] // the fault tests are too long to interpret
impl FakeKernel {
    /// 2.5 GHz, up for 77 s, and there until the process ends.
    pub(crate) fn new() -> &'static Self {
        let timekeeper = Timekeeper { last: 1_000_000, mult: 6_710_886, seconds: 77, shifted_ns: 5 << SHIFT };
        let state = State { timekeeper, page: words(), code: words(), mode: 1, sequence: 8 };
        state.code[0].store(0x1122_3344_5566_8955, SeqCst);
        let kernel = Self {
            counter: AtomicU64::new(1_000_500),
            state: Mutex::new(state),
            forbids: AtomicBool::new(false),
            locates: AtomicU32::new(0),
        };
        kernel.state.lock().unwrap().publish();
        let kernel: &'static Self = Box::leak(Box::new(kernel));
        KERNELS.lock().unwrap().push(kernel);
        kernel
    }

    /// Lets `ticks` pass.
    pub(crate) fn pass(&self, ticks: u64) {
        self.counter.fetch_add(ticks, SeqCst);
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
        state.timekeeper.mult = (6_710_886 + 6_710_886 * ppm / 1_000_000) as u64;
        state.publish();
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

    /// Keeps time in another way.
    pub(crate) fn set_mode(&self, mode: u32) {
        let mut state = self.state.lock().unwrap();
        state.mode = mode;
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
        let jump = state.code[0].load(SeqCst).wrapping_add(0x0bb8);
        state.code[0].store(jump, SeqCst);
        old[DATA_AT + 6].fetch_add(1_000, SeqCst);
        old[DATA_AT + 7].fetch_add(1_000, SeqCst);
    }

    pub(crate) fn forbid_counter(&self, forbids: bool) {
        self.forbids.store(forbids, SeqCst);
    }

    fn state(&self) -> (Timekeeper, u32) {
        let state = self.state.lock().unwrap();
        (state.timekeeper, state.mode)
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
        let words = [last, u64::MAX, u64::from(SHIFT) << 32 | mult, 0, 0, seconds, shifted_ns];
        words.into_iter().zip(&self.page[DATA_AT + 1..]).for_each(|(word, place)| place.store(word, Relaxed));
        self.sequence += 1;
        self.publish_sequence();
    }

    fn accumulate(&mut self, ticks: u64) {
        let keeper = &mut self.timekeeper;
        let since = u128::from(ticks - keeper.last) * u128::from(keeper.mult) + u128::from(keeper.shifted_ns);
        keeper.seconds += (since / (u128::from(SECOND) << SHIFT)) as u64;
        keeper.shifted_ns = (since % (u128::from(SECOND) << SHIFT)) as u64;
        keeper.last = ticks;
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
        self.counter.load(SeqCst)
    }

    fn has_self_ordered(&self) -> bool {
        true
    }

    fn system_ns(&self) -> u64 {
        assert!(!self.forbids.load(SeqCst), "the C library's clock reads the counter too");
        self.system_call_ns()
    }

    fn system_call_ns(&self) -> u64 {
        self.state().0.ns(self.counter.load(SeqCst))
    }

    fn locate(&self) -> Result<Located, Reason> {
        self.locates.fetch_add(1, SeqCst);
        if self.forbids.load(SeqCst) {
            return Err(Reason::CounterForbidden);
        }
        let state = self.state.lock().unwrap();
        let code = KernelPage::of_test(state.code);
        Ok(Located { page: KernelPage::of_test(state.page), hypervisors: None, code, seal: Seal::of(code) })
    }
}
