use core::time::Duration;

pub(super) use super::no_scheduling::{
    is_real_time, nice, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns,
};
pub(super) use super::polled::wake;
use crate::pause::SleepFailed;

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }

    #[cfg(feature = "std")]
    pub(super) fn sleep(&self, left: Duration) -> Result<(), SleepFailed> {
        std::thread::sleep(left);
        Ok(())
    }

    #[cfg(not(feature = "std"))]
    pub(super) fn sleep(&self, _left: Duration) -> Result<(), SleepFailed> {
        Err(SleepFailed::because("no way to sleep is known on this system without the standard library"))
    }
}
