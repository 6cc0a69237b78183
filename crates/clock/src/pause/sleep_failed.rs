use core::fmt;

/// Why the system refused to let a thread sleep, as a sandbox does that forbids the call. A sleep that a signal cut short has
/// not failed.
///
/// # Examples
/// ```
/// use chronoscope_clock::pause::SleepFailed;
///
/// let failed = SleepFailed::because("a sandbox forbids it");
/// assert_eq!(failed.to_string(), "a sandbox forbids it");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepFailed {
    reason: &'static str,
}

impl SleepFailed {
    /// For implementations of [`Timer`](super::Timer); the reason is a clause without a full stop.
    #[must_use]
    pub const fn because(reason: &'static str) -> Self {
        Self { reason }
    }

    /// The reason as a clause without a full stop, fit to follow "because".
    #[must_use]
    pub const fn reason(self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for SleepFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl core::error::Error for SleepFailed {}
