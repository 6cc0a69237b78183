use core::fmt;

/// Why a time source, or another request to the system, is unavailable on this machine: a clock, a sleep that a sandbox
/// forbids, a conversion.
///
/// # Examples
/// ```
/// if let Err(unavailable) = chronoscope_clock::utc() {
///     assert!(!unavailable.reason().is_empty());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unavailable {
    reason: &'static str,
}

impl Unavailable {
    /// For the crate `chronoscope-sources` alone: no promise of stability. The reason is a clause without a full stop.
    #[doc(hidden)]
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

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl core::error::Error for Unavailable {}
