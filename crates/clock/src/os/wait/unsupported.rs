use core::time::Duration;

pub(crate) use super::no_scheduling::{
    is_real_time, nice, preemptions, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns,
};
use super::polled::SleepFor;
pub(crate) use super::polled::wake;
use crate::Unavailable;

#[derive(Debug)]
pub(super) struct Sleeper;

impl Sleeper {
    pub(super) fn new() -> Self {
        Self
    }
}

impl SleepFor for Sleeper {
    #[cfg(feature = "std")]
    fn sleep(&self, left: Duration) -> Result<(), Unavailable> {
        std::thread::sleep(left);
        Ok(())
    }

    #[cfg(not(feature = "std"))]
    fn sleep(&self, _left: Duration) -> Result<(), Unavailable> {
        Err(Unavailable::because("sleeping on this system needs the feature std of chronoscope-clock"))
    }
}
