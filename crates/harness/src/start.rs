use chronoscope_sources::os::{CounterAccess, counter_access, set_counter_access};

use crate::affinity;
use crate::record::TscAccess;
use crate::worker::{Hear, Launch, Launcher, Terms, WorkerFailure};

/// The state of the process at its start.
///
/// Create it first thing in `main`, before any clock is read: in a process started without the right to read the
/// counter, reading one would kill it.
#[derive(Clone, Debug)]
pub struct Start {
    allowed: Vec<u32>,
    access: TscAccess,
    launcher: Result<Launcher, WorkerFailure>,
}

impl Start {
    /// Captures the state of this process.
    ///
    /// If it was started without the right to read the counter, the coordinator restores that right for itself, since
    /// the libraries it uses read clocks. Its workers drop it again, so that they measure what the user's programs
    /// would see.
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
                // If this fails, the process cannot read any fast clock, and ends as any other program here would.
                let _ = set_counter_access(CounterAccess::Allowed);
                TscAccess::Faults
            }
        };
        // If the kernel does not report the CPUs, nothing is pinned, and the record notes it.
        Self { allowed: affinity::allowed().unwrap_or_default(), access, launcher: Launcher::this_program() }
    }

    /// The CPUs that the process may run on; empty if the kernel does not report them.
    pub fn allowed_cpus(&self) -> &[u32] {
        &self.allowed
    }

    /// Whether the process was started with the right to read the counter.
    pub fn counter_access(&self) -> TscAccess {
        self.access
    }

    /// The same, whose workers get the arguments of this process.
    #[must_use]
    pub fn restarting(&self) -> Self {
        Self { launcher: self.launcher.as_ref().map(Launcher::restarting).map_err(Clone::clone), ..self.clone() }
    }

    /// The launcher that starts workers.
    pub fn launcher(&self) -> Result<&Launcher, WorkerFailure> {
        self.launcher.as_ref().map_err(Clone::clone)
    }
}

/// Its workers answer the request.
impl Launch for Start {
    fn converse(&self, request: &str, hearer: &mut dyn Hear, terms: Terms<'_>) -> Result<(), WorkerFailure> {
        self.launcher()?.converse(request, hearer, terms)
    }
}
