/// The kernel's state of its wall clock. The numbers mean the same on every system with Mills's interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelTime {
    /// Since 1970.
    pub(crate) seconds: i64,
    /// In nanoseconds with [`STA_NANO`], else in microseconds.
    pub(crate) fraction: i64,
    /// The remaining offset to slew away, in the same unit.
    pub(crate) offset: i64,
    pub(crate) max_error_us: i64,
    /// Flags.
    pub(crate) status: i32,
    /// `TIME_OK` (0) to `TIME_ERROR` (5), as the call returns it.
    pub(crate) state: i32,
}

/// Times are in nanoseconds.
pub(crate) const STA_NANO: i32 = 0x2000;
