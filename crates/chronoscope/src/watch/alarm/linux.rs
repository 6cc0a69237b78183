use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use chronoscope_harness::rest;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use super::Woken;
use crate::watch::look::monotonic_ns;

/// Longer waits are done in parts: whoever asks the program to end waits no longer than this.
const LONGEST_PART_MS: u64 = 1_000;
/// A signal may arrive before the flag that its handler's thread sets.
const AFTER_SIGNAL: Duration = Duration::from_millis(20);
/// A time in the year 2096, in seconds since 1970: the timer is never to expire.
const NEVER_S: i64 = 4_000_000_000;

/// A timer that the kernel cancels whenever somebody sets the wall clock.
///
/// # Sources
/// timerfd_create(2): `TFD_TIMER_CANCEL_ON_SET`. After a cancelled read the timer is armed as before.
pub struct Alarm {
    timer: Option<File>,
}

impl Alarm {
    pub fn new() -> Self {
        Self { timer: armed().ok() }
    }

    /// Waits until `due_ns` of `CLOCK_MONOTONIC`, until the wall clock is set, or until `is_stopped`.
    pub fn wait_until(&mut self, due_ns: u64, is_stopped: impl Fn() -> bool) -> Woken {
        loop {
            if is_stopped() {
                return Woken::Stopped;
            }
            let left_ns = due_ns.saturating_sub(monotonic_ns());
            if left_ns == 0 {
                return Woken::Due;
            }
            let part_ms = left_ns.div_ceil(1_000_000).min(LONGEST_PART_MS);
            match self.part(u16::try_from(part_ms).unwrap_or(u16::MAX)) {
                Ok(true) => return Woken::ClockSet,
                Ok(false) => {}
                Err(_) => rest(AFTER_SIGNAL.min(Duration::from_nanos(left_ns))),
            }
        }
    }

    /// Whether the wall clock was set within so many milliseconds.
    fn part(&mut self, ms: u16) -> Result<bool, Errno> {
        let Some(timer) = &mut self.timer else { return poll(&mut [], PollTimeout::from(ms)).map(|_| false) };
        if poll(&mut [PollFd::new(timer.as_fd(), PollFlags::POLLIN)], PollTimeout::from(ms))? == 0 {
            return Ok(false);
        }
        match timer.read(&mut [0; 8]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.raw_os_error() == Some(Errno::ECANCELED as i32) => Ok(true),
            // A timer that expired or is broken says nothing more.
            _ => {
                self.timer = None;
                Ok(true)
            }
        }
    }
}

/// Whether somebody may still read standard output: a pipe without a reader says that it is broken.
pub fn is_output_open() -> bool {
    let stdout = std::io::stdout();
    let mut asked = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    let asked_for = poll(&mut asked, PollTimeout::ZERO);
    !(asked_for.is_ok() && asked[0].revents().is_some_and(|seen| seen.contains(PollFlags::POLLERR)))
}

fn armed() -> rustix::io::Result<File> {
    let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
    let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
    let never = Itimerspec { it_interval: zero, it_value: Timespec { tv_sec: NEVER_S, tv_nsec: 0 } };
    timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET, &never)?;
    Ok(File::from(timer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_when_it_is_due_and_not_before() {
        let mut alarm = Alarm::new();
        assert!(alarm.timer.is_some(), "a timer");
        let due_ns = monotonic_ns() + 20_000_000;
        // Somebody may set the clock meanwhile, but not every time.
        let woken = (0..3).map(|_| alarm.wait_until(due_ns, || false)).find(|woken| *woken == Woken::Due);
        assert!(woken.is_some() && monotonic_ns() >= due_ns);
        assert_eq!(alarm.wait_until(0, || false), Woken::Due);
    }

    #[test]
    fn a_stop_ends_it_at_once() {
        assert_eq!(Alarm::new().wait_until(u64::MAX, || true), Woken::Stopped);
        assert_eq!(Alarm { timer: None }.wait_until(0, || false), Woken::Due);
    }
}
