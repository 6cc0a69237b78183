use std::vec::Vec;

use super::NotRestored;
use super::request::GuardRequest;
use crate::Unavailable;
use crate::os::wait::Scheduling;

/// A thread's kernel, asked about the thread itself.
pub(super) trait Kernel {
    fn timer_slack_ns(&self) -> Result<u64, Unavailable>;
    fn set_timer_slack_ns(&self, ns: u64) -> Result<(), Unavailable>;
    fn nice(&self) -> Option<i32>;
    fn scheduling(&self) -> Result<Scheduling, Unavailable>;
    fn set_scheduling(&self, to: &Scheduling) -> Result<(), Unavailable>;
}

/// The requests of a thread's living guards, oldest first, and the state before the first. Of each kind the youngest
/// request holds, or else what was before.
#[derive(Debug)]
pub(super) struct Requests {
    living: Vec<Living>,
    last_id: u64,
    /// While something lives that touches it. A time slice of 0 is the default.
    scheduling_before: Option<Scheduling>,
    slack_before_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Living {
    id: u64,
    request: GuardRequest,
}

/// What shall hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Settings {
    real_time: bool,
    slice_ns: Option<u64>,
    slack_ns: Option<u64>,
}

impl Requests {
    pub(super) const NONE: Self =
        Self { living: Vec::new(), last_id: 0, scheduling_before: None, slack_before_ns: None };

    /// Puts `request` in force until the returned number is removed.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason; nothing has changed then.
    pub(super) fn add(&mut self, request: GuardRequest, kernel: &impl Kernel) -> Result<u64, Unavailable> {
        match request {
            GuardRequest::TimerSlack(ns) => self.begin_slack(ns, kernel)?,
            GuardRequest::TimeSlice(ns) => self.begin_slice(ns, kernel)?,
            GuardRequest::RealTime => self.begin_real_time(kernel)?,
        }
        self.last_id += 1;
        self.living.push(Living { id: self.last_id, request });
        Ok(self.last_id)
    }

    /// Puts in force what the others ask for.
    ///
    /// # Errors
    /// What could not be restored; the request is gone in any case.
    pub(super) fn remove(&mut self, id: u64, kernel: &impl Kernel) -> Result<(), NotRestored> {
        let Some(at) = self.living.iter().position(|living| living.id == id) else { return Ok(()) };
        let had = self.settings();
        self.living.remove(at);
        let wanted = self.settings();
        let mut stays = NotRestored::NOTHING;
        let leaves = had.real_time && !wanted.real_time && self.leave_real_time(kernel, &mut stays);
        if !leaves && had.slice_ns != wanted.slice_ns {
            self.set_slice(kernel, &mut stays);
        }
        // The kernel clears the slack on entering real time, and sets the default on leaving.
        if let Some(ns) = wanted.slack_ns.filter(|_| leaves || had.slack_ns != wanted.slack_ns) {
            stays.note(kernel.set_timer_slack_ns(ns), |stays| &mut stays.timer_slack);
        }
        self.forget_what_nobody_touches();
        if stays == NotRestored::NOTHING { Ok(()) } else { Err(stays) }
    }

    pub(super) fn remove_all(&mut self, kernel: &impl Kernel) {
        while let Some(living) = self.living.last() {
            let _ = self.remove(living.id, kernel);
        }
    }

    pub(super) fn ask_for(&self, kind: fn(GuardRequest) -> bool) -> bool {
        self.living.iter().any(|living| kind(living.request))
    }

    fn begin_slack(&mut self, ns: u64, kernel: &impl Kernel) -> Result<(), Unavailable> {
        let before = self.slack_before_ns.map_or_else(|| kernel.timer_slack_ns(), Ok)?;
        kernel.set_timer_slack_ns(ns)?;
        self.slack_before_ns = Some(before);
        Ok(())
    }

    fn begin_slice(&mut self, ns: u64, kernel: &impl Kernel) -> Result<(), Unavailable> {
        let now = kernel.scheduling()?;
        if !now.has_time_slices() {
            return Err(Unavailable::because("only threads under the usual policy have time slices"));
        }
        // Such a kernel would accept the request silently and do nothing.
        if now.runtime_ns == 0 {
            return Err(Unavailable::because("time slices need Linux 6.12 or later"));
        }
        let before = self.scheduling_before.unwrap_or_else(|| with_default_slice_as_0(now, kernel));
        kernel.set_scheduling(&now.with_slice_ns(ns))?;
        self.scheduling_before = Some(before);
        Ok(())
    }

    fn begin_real_time(&mut self, kernel: &impl Kernel) -> Result<(), Unavailable> {
        let now = kernel.scheduling()?;
        let before = self.scheduling_before.unwrap_or_else(|| with_default_slice_as_0(now, kernel));
        let slack_before_ns = self.slack_before_ns.or_else(|| kernel.timer_slack_ns().ok());
        if !now.is_real_time() {
            kernel.set_scheduling(&Scheduling::REAL_TIME).map_err(|_| {
                Unavailable::because(
                    "the kernel or a sandbox refuses it: a real-time policy needs CAP_SYS_NICE or a limit (ulimit -r) above 1",
                )
            })?;
        }
        self.scheduling_before = Some(before);
        self.slack_before_ns = slack_before_ns;
        Ok(())
    }

    /// Whether there was anything to leave.
    fn leave_real_time(&self, kernel: &impl Kernel, stays: &mut NotRestored) -> bool {
        let Some(before) = self.scheduling_before.filter(|before| !before.is_real_time()) else { return false };
        // No guard touches the nice value; a change meanwhile was meant, and cannot be undone without privileges.
        let nice = kernel.nice().unwrap_or(before.nice);
        let wanted = before.with_slice_ns(self.settings().slice_ns.unwrap_or(0));
        let wanted = Scheduling { nice, ..wanted };
        if let Err(refused) = kernel.set_scheduling(&wanted) {
            // Only a privileged thread may clear the flag; every thread may leave.
            if kernel.set_scheduling(&wanted.with_reset_on_fork()).is_ok() {
                stays.reset_on_fork = true;
                stays.reason = "only a thread with CAP_SYS_NICE may clear it";
            } else {
                stays.note(Err(refused), |stays| &mut stays.policy);
            }
        }
        true
    }

    fn set_slice(&self, kernel: &impl Kernel, stays: &mut NotRestored) {
        let ns = self.settings().slice_ns.unwrap_or(0);
        let set = match kernel.scheduling() {
            // Another policy has none; leaving it sets the slice.
            Ok(now) if !now.has_time_slices() => Ok(()),
            Ok(now) => kernel.set_scheduling(&now.with_slice_ns(ns)),
            Err(unavailable) => Err(unavailable),
        };
        stays.note(set, |stays| &mut stays.time_slice);
    }

    fn settings(&self) -> Settings {
        let youngest =
            |value: fn(GuardRequest) -> Option<u64>| self.living.iter().rev().find_map(|it| value(it.request));
        let slice_ns = youngest(|request| match request {
            GuardRequest::TimeSlice(ns) => Some(ns),
            _ => None,
        });
        let slack_ns = youngest(|request| match request {
            GuardRequest::TimerSlack(ns) => Some(ns),
            _ => None,
        });
        Settings {
            real_time: self.ask_for(|request| request == GuardRequest::RealTime),
            slice_ns: slice_ns.or(self.scheduling_before.filter(|it| it.has_time_slices()).map(|it| it.runtime_ns)),
            slack_ns: slack_ns.or(self.slack_before_ns),
        }
    }

    fn forget_what_nobody_touches(&mut self) {
        let lives = |kind: fn(GuardRequest) -> bool| self.living.iter().any(|living| kind(living.request));
        let real_time = self.ask_for(|request| request == GuardRequest::RealTime);
        if !real_time && !lives(|request| matches!(request, GuardRequest::TimerSlack(_))) {
            self.slack_before_ns = None;
        }
        if !real_time && !lives(|request| matches!(request, GuardRequest::TimeSlice(_))) {
            self.scheduling_before = None;
        }
    }
}

impl NotRestored {
    fn note(&mut self, outcome: Result<(), Unavailable>, part: fn(&mut Self) -> &mut bool) {
        if let Err(unavailable) = outcome {
            *part(self) = true;
            self.reason = unavailable.reason();
        }
    }
}

/// What the thread has now, with a slice of 0 if that is the default. The kernel reports the slice in force; requesting
/// that number would give a slice that no longer follows the default.
fn with_default_slice_as_0(now: Scheduling, kernel: &impl Kernel) -> Scheduling {
    let default = now.with_slice_ns(0);
    if default == now || kernel.set_scheduling(&default).is_err() {
        return now;
    }
    match kernel.scheduling() {
        Ok(found) if found.runtime_ns == now.runtime_ns => default,
        _ => {
            let _ = kernel.set_scheduling(&now);
            now
        }
    }
}

#[cfg(all(test, not(miri)))] // thousands of runs: too slow to interpret
#[path = "requests_tests.rs"]
mod tests;
