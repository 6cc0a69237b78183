use core::cell::{Cell, RefCell};

use proptest::prelude::*;
use std::vec::Vec;

use super::*;
use crate::os::wait::scheduling::{BATCH, FIFO, OTHER, ROUND_ROBIN};

const IDLE: u32 = 5;
const DEFAULT_SLACK_NS: u64 = 50_000;
const DEFAULT_SLICE_NS: u64 = 2_800_000;
const REFUSED: Unavailable = Unavailable::because("refused");

/// What Linux knows of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Thread {
    policy: u32,
    priority: u32,
    nice: i32,
    reset_on_fork: bool,
    /// None: the default, whatever that is.
    slice_ns: Option<u64>,
    slack_ns: u64,
}

impl Thread {
    fn is_real_time(&self) -> bool {
        matches!(self.policy, FIFO | ROUND_ROBIN)
    }

    fn has_slices(&self) -> bool {
        matches!(self.policy, OTHER | BATCH)
    }
}

/// Linux, as far as it matters here (kernel/sched/syscalls.c, kernel/sys.c).
#[derive(Debug)]
struct FakeKernel {
    thread: RefCell<Thread>,
    is_privileged: bool,
    may_enter_real_time: bool,
    /// 6.13 and later: with slices to be chosen, and no slack for real-time threads.
    is_modern: bool,
    is_sandboxed: Cell<bool>,
}

impl Kernel for FakeKernel {
    fn timer_slack_ns(&self) -> Result<u64, Unavailable> {
        Ok(self.thread.borrow().slack_ns)
    }

    fn set_timer_slack_ns(&self, ns: u64) -> Result<(), Unavailable> {
        let mut thread = self.thread.borrow_mut();
        if self.is_sandboxed.get() {
            return Err(REFUSED);
        }
        if !(self.is_modern && thread.is_real_time()) {
            thread.slack_ns = if ns == 0 { DEFAULT_SLACK_NS } else { ns };
        }
        Ok(())
    }

    fn nice(&self) -> Option<i32> {
        Some(self.thread.borrow().nice)
    }

    fn scheduling(&self) -> Result<Scheduling, Unavailable> {
        let thread = self.thread.borrow();
        let found = Scheduling { policy: thread.policy, flags: thread.reset_on_fork.into(), ..Scheduling::default() };
        let runtime_ns = if self.is_modern { thread.slice_ns.unwrap_or(DEFAULT_SLICE_NS) } else { 0 };
        Ok(match thread.is_real_time() {
            true => Scheduling { priority: thread.priority, ..found },
            false => Scheduling { nice: thread.nice, runtime_ns, ..found },
        })
    }

    fn set_scheduling(&self, to: &Scheduling) -> Result<(), Unavailable> {
        let mut thread = self.thread.borrow_mut();
        let enters = to.is_real_time() && !thread.is_real_time();
        let clears = thread.reset_on_fork && !to.is_reset_on_fork();
        let is_nicer = to.has_time_slices() && to.nice < thread.nice;
        let is_refused = !self.is_privileged && (enters && !self.may_enter_real_time || clears || is_nicer);
        if self.is_sandboxed.get() || is_refused {
            return Err(REFUSED);
        }
        if to.has_time_slices() {
            thread.nice = to.nice;
            thread.slice_ns = (self.is_modern && to.runtime_ns > 0).then(|| to.runtime_ns.clamp(100_000, 100_000_000));
        }
        thread.policy = to.policy;
        thread.priority = to.priority;
        thread.reset_on_fork = to.is_reset_on_fork();
        if self.is_modern && thread.is_real_time() {
            thread.slack_ns = 0;
        } else if self.is_modern && thread.slack_ns == 0 {
            thread.slack_ns = DEFAULT_SLACK_NS;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add(GuardRequest),
    /// One of those that live.
    Remove(usize),
}

/// What the thread must be with `living` on it, said the plain way.
fn expected(before: Thread, living: &[(u64, GuardRequest)], is_modern: bool) -> Thread {
    let mut thread = before;
    for (_, request) in living {
        match *request {
            GuardRequest::TimerSlack(ns) => thread.slack_ns = ns,
            GuardRequest::TimeSlice(ns) => thread.slice_ns = Some(ns),
            GuardRequest::RealTime if before.is_real_time() => {}
            GuardRequest::RealTime => (thread.policy, thread.priority, thread.reset_on_fork) = (FIFO, 2, true),
        }
    }
    if is_modern && thread.is_real_time() {
        thread.slack_ns = 0;
    }
    thread
}

fn any_request() -> impl Strategy<Value = GuardRequest> {
    prop_oneof![
        prop_oneof![Just(1), 2_u64..9_000, Just(5_000_000_000)].prop_map(GuardRequest::TimerSlack),
        (100_000_u64..5_000_000).prop_map(GuardRequest::TimeSlice),
        Just(GuardRequest::RealTime),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![any_request().prop_map(Step::Add), any::<usize>().prop_map(Step::Remove)]
}

fn any_thread() -> impl Strategy<Value = Thread> {
    let policy =
        prop_oneof![4 => Just(OTHER), 1 => Just(BATCH), 1 => Just(IDLE), 1 => Just(FIFO), 1 => Just(ROUND_ROBIN)];
    let slice_ns = prop_oneof![Just(None), (100_000_u64..9_000_000).prop_map(Some)];
    let slack_ns = prop_oneof![Just(DEFAULT_SLACK_NS), Just(7_000), Just(5_000_000_000)];
    (policy, 3_u32..90, -20..20, any::<bool>(), slice_ns, slack_ns).prop_map(
        |(policy, priority, nice, reset_on_fork, slice_ns, slack_ns)| {
            let priority = if matches!(policy, FIFO | ROUND_ROBIN) { priority } else { 0 };
            Thread { policy, priority, nice, reset_on_fork, slice_ns, slack_ns }
        },
    )
}

fn any_kernel() -> impl Strategy<Value = FakeKernel> {
    (any_thread(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(mut thread, is_privileged, may_enter_real_time, is_modern)| {
            if !is_modern {
                thread.slice_ns = None;
            } else if thread.is_real_time() {
                thread.slack_ns = 0;
            }
            let thread = RefCell::new(thread);
            FakeKernel { thread, is_privileged, may_enter_real_time, is_modern, is_sandboxed: Cell::new(false) }
        },
    )
}

proptest! {
    #[test]
    fn the_youngest_of_each_kind_holds_and_afterwards_everything_is_as_before(
        kernel in any_kernel(),
        steps in prop::collection::vec(any_step(), 0..40),
    ) {
        let mut before = *kernel.thread.borrow();
        let mut requests = Requests::NONE;
        let mut living: Vec<(u64, GuardRequest)> = Vec::new();
        let check = |before, living: &[(u64, GuardRequest)]| {
            let (mut found, expected) = (*kernel.thread.borrow(), expected(before, living, kernel.is_modern));
            if !found.has_slices() {
                found.slice_ns = expected.slice_ns; // of no effect, and not to be seen
            }
            prop_assert_eq!(found, expected, "{:?}", living);
            Ok(())
        };
        for step in steps {
            match step {
                Step::Add(request) => {
                    let now = *kernel.thread.borrow();
                    match requests.add(request, &kernel) {
                        Ok(id) => living.push((id, request)),
                        Err(_) => {
                            let may = match request {
                                GuardRequest::TimerSlack(_) => true,
                                GuardRequest::TimeSlice(_) => now.has_slices() && kernel.is_modern,
                                GuardRequest::RealTime => kernel.is_privileged || kernel.may_enter_real_time,
                            };
                            prop_assert!(!may, "{request:?}");
                        }
                    }
                }
                Step::Remove(_) if living.is_empty() => {}
                Step::Remove(at) => {
                    let (id, request) = living.remove(at % living.len());
                    match requests.remove(id, &kernel) {
                        Ok(()) => {}
                        Err(stays) => {
                            prop_assert!(stays.is_only_reset_on_fork() && request == GuardRequest::RealTime, "{stays}");
                            prop_assert!(!kernel.is_privileged);
                            before.reset_on_fork = true;
                        }
                    }
                }
            }
            check(before, &living)?;
        }
        // At the end of the thread: what was forgotten, too.
        let leaves = living.iter().any(|(_, request)| *request == GuardRequest::RealTime) && !before.is_real_time();
        before.reset_on_fork |= leaves && !kernel.is_privileged;
        requests.remove_all(&kernel);
        check(before, &[])?;
    }

    #[test]
    fn what_a_sandbox_forbids_is_told(
        kernel in any_kernel(),
        wanted in prop::collection::vec(any_request(), 1..6),
    ) {
        let mut requests = Requests::NONE;
        let ids: Vec<u64> = wanted.into_iter().filter_map(|request| requests.add(request, &kernel).ok()).collect();
        let stays = *kernel.thread.borrow();
        kernel.is_sandboxed.set(true);
        let told: Vec<NotRestored> = ids.iter().filter_map(|id| requests.remove(*id, &kernel).err()).collect();
        prop_assert_eq!(*kernel.thread.borrow(), stays, "nothing can be changed there");
        kernel.is_sandboxed.set(false);
        // Whoever enters and leaves now finds what has stayed, and restores that.
        if let Ok(id) = requests.add(GuardRequest::TimerSlack(3), &kernel) {
            prop_assert_eq!(requests.remove(id, &kernel), Ok(()));
        }
        prop_assert_eq!(kernel.thread.borrow().slack_ns, stays.slack_ns);
        prop_assert!(told.iter().all(|told| told.reason() == REFUSED.reason() && !told.is_only_reset_on_fork()));
    }
}

fn kernel(thread: Thread) -> FakeKernel {
    FakeKernel {
        thread: RefCell::new(thread),
        is_privileged: true,
        may_enter_real_time: true,
        is_modern: true,
        is_sandboxed: Cell::new(false),
    }
}

const USUAL: Thread =
    Thread { policy: OTHER, priority: 0, nice: 0, reset_on_fork: false, slice_ns: None, slack_ns: DEFAULT_SLACK_NS };

#[test]
fn a_default_slice_stays_the_default() {
    for request in [GuardRequest::TimeSlice(300_000), GuardRequest::RealTime] {
        let kernel = kernel(USUAL);
        let mut requests = Requests::NONE;
        let id = requests.add(request, &kernel).unwrap();
        assert_ne!(*kernel.thread.borrow(), USUAL);
        assert_eq!(requests.remove(id, &kernel), Ok(()));
        assert_eq!(*kernel.thread.borrow(), USUAL);
    }
}

#[test]
fn each_thing_that_stays_is_told() {
    let kernel = kernel(USUAL);
    let mut requests = Requests::NONE;
    let ids = [GuardRequest::TimerSlack(1), GuardRequest::TimeSlice(300_000), GuardRequest::RealTime]
        .map(|request| requests.add(request, &kernel).unwrap());
    kernel.is_sandboxed.set(true);
    let [slack, slice, real_time] = ids;
    let stays = requests.remove(real_time, &kernel).unwrap_err();
    assert!(stays.policy && stays.timer_slack && !stays.time_slice, "{stays}");
    // As the policy has stayed, so has its having no slices.
    assert_eq!(requests.remove(slice, &kernel), Ok(()));
    assert!(requests.remove(slack, &kernel).unwrap_err().timer_slack);
}

#[test]
fn a_thread_that_somebody_took_out_of_real_time_gets_its_slack_back() {
    let kernel = kernel(Thread { policy: FIFO, priority: 9, slack_ns: 0, ..USUAL });
    let mut requests = Requests::NONE;
    let slack = requests.add(GuardRequest::TimerSlack(1), &kernel).unwrap();
    kernel.set_scheduling(&Scheduling::default()).unwrap();
    assert_eq!(requests.remove(slack, &kernel), Ok(()));
    assert_eq!(*kernel.thread.borrow(), USUAL);
}
