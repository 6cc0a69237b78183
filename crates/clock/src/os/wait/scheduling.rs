/// How a thread is scheduled: Linux's `struct sched_attr` as of 3.14, which every later kernel takes.
///
/// # Sources
/// sched_setattr(2), linux/sched.h. A runtime for the usual policy is a request for time slices of that length since Linux
/// 6.12, where 0 asks for the default; earlier kernels ignore it, and report 0. Real-time policies report neither it nor the
/// nice value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Scheduling {
    /// 0 but in the system call.
    pub(crate) size: u32,
    pub(crate) policy: u32,
    pub(crate) flags: u64,
    pub(crate) nice: i32,
    pub(crate) priority: u32,
    pub(crate) runtime_ns: u64,
    pub(crate) deadline_ns: u64,
    pub(crate) period_ns: u64,
}

pub(crate) const OTHER: u32 = 0;
pub(crate) const FIFO: u32 = 1;
pub(crate) const ROUND_ROBIN: u32 = 2;
pub(crate) const BATCH: u32 = 3;
pub(crate) const DEADLINE: u32 = 6;
/// One above the lowest, which leaves one below for those that need less.
const FIFO_PRIORITY: u32 = 2;
/// `SCHED_FLAG_RESET_ON_FORK`.
const RESET_ON_FORK: u64 = 1;

impl Scheduling {
    /// FIFO. Children of such a thread begin without it.
    pub(crate) const REAL_TIME: Self = Self {
        size: 0,
        policy: FIFO,
        flags: RESET_ON_FORK,
        nice: 0,
        priority: FIFO_PRIORITY,
        runtime_ns: 0,
        deadline_ns: 0,
        period_ns: 0,
    };

    pub(crate) fn has_time_slices(self) -> bool {
        matches!(self.policy, OTHER | BATCH)
    }

    pub(crate) fn is_real_time(self) -> bool {
        is_real_time(self.policy)
    }

    /// The same with time slices of `ns`, 0 for the default; unchanged under other policies than the usual one.
    pub(crate) fn with_slice_ns(self, ns: u64) -> Self {
        if self.has_time_slices() { Self { runtime_ns: ns, ..self } } else { self }
    }

    pub(crate) fn with_reset_on_fork(self) -> Self {
        Self { flags: self.flags | RESET_ON_FORK, ..self }
    }

    #[cfg(test)]
    pub(crate) fn is_reset_on_fork(self) -> bool {
        self.flags & RESET_ON_FORK != 0
    }
}

pub(crate) fn is_real_time(policy: u32) -> bool {
    matches!(policy, FIFO | ROUND_ROBIN | DEADLINE)
}
