use core::ptr::null;
use core::time::Duration;

use windows_sys::Win32::Foundation::{CloseHandle, HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer, Sleep, TIMER_ALL_ACCESS,
    WaitForSingleObject,
};

pub(crate) use super::no_scheduling::{
    is_real_time, nice, preemptions, scheduling, set_scheduling, set_timer_slack_ns, timer_slack_ns,
};
use super::polled::SleepFor;
pub(crate) use super::polled::wake;
use crate::Unavailable;

/// The unit of a timer's due time.
const UNIT_NS: u128 = 100;

/// A waitable timer of high resolution (about half a millisecond), which came with Windows 10, version 1803; where there is
/// none, `Sleep`, which is as coarse as the system's tick.
#[derive(Debug)]
pub(super) struct Sleeper {
    timer: Option<HANDLE>,
}

impl Sleeper {
    pub(super) fn new() -> Self {
        // SAFETY: no name and no attributes are given; the result is a handle, or null.
        let timer =
            unsafe { CreateWaitableTimerExW(null(), null(), CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS) };
        Self { timer: (!timer.is_null()).then_some(timer) }
    }
}

impl SleepFor for Sleeper {
    /// The due time is handed over as what is left, since an absolute one would be on the wall clock.
    fn sleep(&self, left: Duration) -> Result<(), Unavailable> {
        let Some(timer) = self.timer else { return sleep_ticks(left) };
        // Negative: relative.
        let due = -i64::try_from(left.as_nanos().div_ceil(UNIT_NS)).unwrap_or(i64::MAX);
        // SAFETY: `timer` is a timer's handle, which is closed on drop alone; `due` is read; there is no callback.
        if unsafe { SetWaitableTimer(timer, &due, 0, None, null(), 0) } == 0 {
            return Err(Unavailable::because("SetWaitableTimer failed"));
        }
        // SAFETY: as above. The timer fires in any case.
        match unsafe { WaitForSingleObject(timer, INFINITE) } {
            WAIT_OBJECT_0 => Ok(()),
            _ => Err(Unavailable::because("WaitForSingleObject failed")),
        }
    }
}

fn sleep_ticks(left: Duration) -> Result<(), Unavailable> {
    let ms = u32::try_from(left.as_millis()).unwrap_or(INFINITE - 1);
    if ms == 0 {
        return Err(Unavailable::because("sleeps under a millisecond need a high-resolution timer"));
    }
    // SAFETY: takes a number.
    unsafe { Sleep(ms) };
    Ok(())
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            // SAFETY: the handle is this value's own, and nobody uses it after this.
            unsafe { CloseHandle(timer) };
        }
    }
}
