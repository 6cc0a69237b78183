use crate::os::Located;
use crate::trust::Reason;

/// What the exact clock runs on: this machine, or a test's.
pub(crate) trait Machine {
    /// The counter, in program order or not. `self_ordered`: by the read that orders itself, if the machine [has
    /// one](Self::has_self_ordered).
    fn counter<const ORDERED: bool>(&self, self_ordered: bool) -> u64;

    /// Whether the counter has a read that orders itself.
    fn has_self_ordered(&self) -> bool;

    /// `CLOCK_MONOTONIC` as the C library reads it, in nanoseconds.
    fn system_ns(&self) -> u64;

    /// The same by the real system call, for a process that must not read the counter: the C library's call reads it.
    fn system_call_ns(&self) -> u64;

    /// `CLOCK_REALTIME`, as [`system_ns`](Self::system_ns).
    fn realtime_ns(&self) -> u64;

    /// `CLOCK_REALTIME`, as [`system_call_ns`](Self::system_call_ns).
    fn realtime_by_system_call_ns(&self) -> u64;

    /// Whether this thread may read the counter.
    fn may_read_counter(&self) -> bool;

    /// Finds out where the kernel's data are mapped.
    fn locate(&self, effort: Effort) -> Result<Located, NotLocated>;
}

/// How the data are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Where kernels have put them so far, and without the hypervisors' pages; thoroughly if they are not there.
    Quick,
    /// By their names.
    Thorough,
}

/// Why the data were not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotLocated {
    pub(crate) reason: Reason,
    /// Another attempt may succeed.
    pub(crate) may_pass: bool,
}

impl From<Reason> for NotLocated {
    /// Permission to read the counter is a thread's own: the next that asks may have it.
    fn from(reason: Reason) -> Self {
        Self { reason, may_pass: reason == Reason::CounterForbidden }
    }
}
