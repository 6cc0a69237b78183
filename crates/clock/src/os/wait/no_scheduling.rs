//! For systems on which a thread's timers and time slices are not chosen here.

use crate::Unavailable;

const LINUX_ALONE: Unavailable = Unavailable::because("timer slack and time slices are chosen on Linux alone");

pub(super) fn timer_slack_ns() -> Result<u64, Unavailable> {
    Err(LINUX_ALONE)
}

pub(super) fn set_timer_slack_ns(_ns: u64) -> Result<(), Unavailable> {
    Err(LINUX_ALONE)
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Scheduling {}

impl Scheduling {
    pub(super) fn of_this_thread() -> Result<Self, Unavailable> {
        Err(LINUX_ALONE)
    }

    pub(super) fn with_slice_ns(self, _ns: u64) -> Result<Self, Unavailable> {
        match self {}
    }

    pub(super) fn with_fifo(self) -> Result<Self, Unavailable> {
        match self {}
    }

    pub(super) fn apply(self) -> Result<(), Unavailable> {
        match self {}
    }

    pub(super) fn slice_ns(self) -> Option<u64> {
        match self {}
    }
}
