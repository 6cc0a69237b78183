//! For systems on which a thread's timers and time slices are not chosen here.

use super::Scheduling;
use crate::Unavailable;

const LINUX_ALONE: Unavailable =
    Unavailable::because("only Linux lets a thread choose timer slack, time slice and real-time policy");

pub(crate) fn timer_slack_ns() -> Result<u64, Unavailable> {
    Err(LINUX_ALONE)
}

pub(crate) fn set_timer_slack_ns(_ns: u64) -> Result<(), Unavailable> {
    Err(LINUX_ALONE)
}

pub(crate) fn scheduling() -> Result<Scheduling, Unavailable> {
    Err(LINUX_ALONE)
}

pub(crate) fn set_scheduling(_to: &Scheduling) -> Result<(), Unavailable> {
    Err(LINUX_ALONE)
}

pub(crate) fn nice() -> Option<i32> {
    None
}

pub(crate) fn is_real_time() -> Option<bool> {
    None
}

pub(crate) fn preemptions() -> Option<u64> {
    None
}
