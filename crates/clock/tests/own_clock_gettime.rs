//! A program that defines `clock_gettime` by this crate's clock, as a preloaded library does: no read may come back to it.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), feature = "kernel-data"))]
#![allow(unsafe_code)]

use std::env;
use std::ffi::c_int;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chronoscope_clock::{Clock, RateSource};

/// Until then it is the system call, so that the clock has not been read.
static IS_OURS: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static IS_WITHIN: AtomicBool = const { AtomicBool::new(false) };
}

/// # Safety
/// As that of the C library: `time` is valid for writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    let shown = match clock {
        libc::CLOCK_MONOTONIC if IS_OURS.load(Relaxed) => Clock::monotonic,
        libc::CLOCK_REALTIME if IS_OURS.load(Relaxed) => Clock::realtime,
        // SAFETY: the kernel fills what the caller vouches for.
        _ => return unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as c_int },
    };
    if IS_WITHIN.with(|within| within.swap(true, Relaxed)) {
        eprintln!("the clock reads itself");
        std::process::abort();
    }
    let shown = shown(Clock::or_system());
    IS_WITHIN.with(|within| within.store(false, Relaxed));
    CALLS.fetch_add(1, Relaxed);
    // SAFETY: the caller vouches for it.
    unsafe { *time = libc::timespec { tv_sec: shown.as_secs() as _, tv_nsec: shown.subsec_nanos() as _ } };
    0
}

fn by_system_call(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel fills `time`.
    assert_eq!(unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[track_caller]
fn assert_right() {
    let clock = Clock::or_system();
    let calls = CALLS.load(Relaxed);
    for _ in 0..1_000 {
        let before = by_system_call(libc::CLOCK_MONOTONIC);
        let shown = [clock.monotonic(), clock.now() - chronoscope_clock::Instant::ZERO];
        let after = by_system_call(libc::CLOCK_MONOTONIC);
        assert!(before <= shown[0] && shown[0] <= shown[1] && shown[1] <= after, "{before:?} {shown:?} {after:?}");
        let std = Instant::now();
        assert!(Instant::now() >= std);
    }
    assert!(CALLS.load(Relaxed) >= calls + 2_000, "the standard library does not call it");
    // Somebody may set the clock, but not every time.
    let is_right = |_| {
        let before = by_system_call(libc::CLOCK_REALTIME);
        let shown = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        (before..=by_system_call(libc::CLOCK_REALTIME)).contains(&shown)
    };
    assert!((0..3).any(is_right));
}

fn limit_files(to: Option<libc::rlim_t>) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills and reads `limit`.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit), 0);
        limit.rlim_cur = to.unwrap_or(limit.rlim_max);
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
    }
}

/// As the first reader of a process: its own, so that another finds nothing read yet.
#[test]
fn a_clock_that_finds_no_data_reads_the_systems_past_the_symbol() {
    const MARK: c_int = 7_777;
    const IS_CHILD: &str = "CHRONOSCOPE_CLOCK_TEST_CHILD";
    if env::var_os(IS_CHILD).is_none() {
        let name = "a_clock_that_finds_no_data_reads_the_systems_past_the_symbol";
        let mut program = Command::new(env::current_exe().unwrap());
        program.args([name, "--exact", "--nocapture"]).env(IS_CHILD, "").env("CHRONOSCOPE_CLOCK", "system");
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    limit_files(Some(0));
    IS_OURS.store(true, Relaxed);
    // SAFETY: this thread's variable.
    unsafe { *libc::__errno_location() = MARK };
    assert!(Clock::or_system().monotonic() > Duration::ZERO && Clock::or_system().realtime() > Duration::ZERO);
    // SAFETY: as above.
    assert_eq!(unsafe { *libc::__errno_location() }, MARK);
    assert_eq!(Clock::or_system().trust().rate_source, RateSource::SystemClock);
    assert_right();
    limit_files(None);
    Clock::warm_up();
    assert_right();
}

/// It checks them against the system's clock first.
#[test]
fn a_clock_that_finds_the_data_is_right() {
    IS_OURS.store(true, Relaxed);
    assert_right();
}
