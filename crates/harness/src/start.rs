use chronoscope_clock::os::{CounterAccess, counter_access, set_counter_access};

use crate::affinity;
use crate::record::TscAccess;
use crate::worker::{Launch, Launcher, WorkerFailure};

/// What the process found when it was started.
///
/// Made first thing in `main`, before any clock is read: in a process that was started without the right to read the
/// counter, reading one would end it.
#[derive(Clone, Debug)]
pub struct Start {
    allowed: Vec<u32>,
    access: TscAccess,
    launcher: Result<Launcher, WorkerFailure>,
}

impl Start {
    /// Looks at this process.
    ///
    /// If it was started without the right to read the counter, the coordinator takes the right back for itself, since
    /// the libraries it uses read clocks; its workers give it up again, so that they measure what the user's programs
    /// would find.
    ///
    /// # Examples
    /// ```
    /// let start = chronoscope_harness::Start::of_this_process();
    /// assert!(!start.allowed_cpus().is_empty());
    /// ```
    pub fn of_this_process() -> Self {
        let access = match counter_access() {
            CounterAccess::Allowed => TscAccess::Allowed,
            CounterAccess::Faults => {
                // If this fails the process cannot read any fast clock, and ends as every other program here would.
                let _ = set_counter_access(CounterAccess::Allowed);
                TscAccess::Faults
            }
        };
        // Where the kernel will not say, nothing is pinned, and the record says so.
        Self { allowed: affinity::allowed().unwrap_or_default(), access, launcher: Launcher::this_program() }
    }

    /// The CPUs that the process may run on; empty if the kernel would not say.
    pub fn allowed_cpus(&self) -> &[u32] {
        &self.allowed
    }

    /// Whether the process was started with the right to read the counter.
    pub fn counter_access(&self) -> TscAccess {
        self.access
    }

    /// Starts workers.
    pub fn launcher(&self) -> Result<&Launcher, WorkerFailure> {
        self.launcher.as_ref().map_err(Clone::clone)
    }
}

/// Its workers answer.
impl Launch for Start {
    fn call(&self, request: &str, budget_ms: u64, cancelled: &dyn Fn() -> bool) -> Result<String, WorkerFailure> {
        self.launcher()?.call(request, budget_ms, cancelled)
    }
}
