use core::fmt;

/// What a guard could not restore, and why.
///
/// The guard is gone; what is told here stays changed until the thread ends or somebody changes it.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::RealTime;
///
/// if let Ok(real_time) = RealTime::enter() {
///     match real_time.restore() {
///         Ok(()) => println!("everything is as it was"),
///         // A thread without privileges cannot clear it, and need not care.
///         Err(left) if left.is_only_reset_on_fork() => println!("{left}"),
///         Err(left) => panic!("{left}"),
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRestored {
    pub(crate) policy: bool,
    pub(super) time_slice: bool,
    pub(crate) timer_slack: bool,
    pub(super) reset_on_fork: bool,
    pub(super) reason: &'static str,
}

impl NotRestored {
    #[cfg(feature = "std")]
    pub(super) const NOTHING: Self =
        Self { policy: false, time_slice: false, timer_slack: false, reset_on_fork: false, reason: "" };

    /// Whatever the guard changed.
    #[cfg(feature = "std")]
    pub(super) const fn anything(reason: &'static str) -> Self {
        Self { policy: true, time_slice: true, timer_slack: true, reset_on_fork: true, reason }
    }

    /// Whether only `SCHED_FLAG_RESET_ON_FORK` stayed, which takes `CAP_SYS_NICE` to clear. Threads and processes that
    /// this one starts then get the usual policy, the default time slice and a nice value of 0 or more.
    #[must_use]
    pub const fn is_only_reset_on_fork(self) -> bool {
        self.reset_on_fork && !self.policy && !self.time_slice && !self.timer_slack
    }

    /// The reason as a clause without a full stop, fit to follow "because".
    #[must_use]
    pub const fn reason(self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for NotRestored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.policy, "scheduling policy"),
            (self.time_slice, "time slice"),
            (self.timer_slack, "timer slack"),
            (self.reset_on_fork, "reset-on-fork flag"),
        ];
        let mut separator = "not restored: ";
        for (_, part) in parts.into_iter().filter(|(stays, _)| *stays) {
            write!(f, "{separator}{part}")?;
            separator = ", ";
        }
        write!(f, " ({})", self.reason)
    }
}

impl core::error::Error for NotRestored {}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn everything_that_stays_is_named() {
        let flag = NotRestored { reset_on_fork: true, reason: "no right", ..NotRestored::NOTHING };
        assert!(flag.is_only_reset_on_fork());
        let both = NotRestored { timer_slack: true, ..flag };
        assert_eq!(both.to_string(), "not restored: timer slack, reset-on-fork flag (no right)");
        assert!(!both.is_only_reset_on_fork() && both.timer_slack && !both.policy && !both.time_slice);
    }
}
