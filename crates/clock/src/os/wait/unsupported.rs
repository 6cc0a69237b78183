use core::sync::atomic::AtomicU32;
use core::time::Duration;

pub(super) use super::no_scheduling::{
    is_real_time, nice, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns,
};
use crate::pause::SleepFailed;

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn sleep_until(&self, _deadline_ns: u64, left: Duration) -> Result<(), SleepFailed> {
        sleep(left)
    }

    #[cfg(feature = "std")]
    pub(super) fn sleep_until_or(
        &self,
        word: &AtomicU32,
        _deadline_ns: u64,
        left: Duration,
    ) -> Result<(), SleepFailed> {
        super::polled::sleep_or(word, left, sleep)
    }

    #[cfg(not(feature = "std"))]
    pub(super) fn sleep_until_or(
        &self,
        _word: &AtomicU32,
        _deadline_ns: u64,
        left: Duration,
    ) -> Result<(), SleepFailed> {
        sleep(left)
    }
}

#[cfg(feature = "std")]
fn sleep(left: Duration) -> Result<(), SleepFailed> {
    std::thread::sleep(left);
    Ok(())
}

#[cfg(not(feature = "std"))]
fn sleep(_left: Duration) -> Result<(), SleepFailed> {
    Err(SleepFailed::because("no way to sleep is known on this system without the standard library"))
}

pub(super) fn wake(_word: &AtomicU32) {}
