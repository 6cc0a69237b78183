//! Determines the path of each system clock by forbidding the system call and reading the clock.
//!
//! The worker first reads every clock, then installs a seccomp filter that makes `clock_gettime` fail with a
//! distinctive error, then reads each clock again through the C library. A clock that still works never entered the
//! kernel.

use chronoscope_sources::os::{self, OsClock};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use chronoscope_harness::record::Disturbance;

/// Reads of each clock under the filter.
pub const READS: u32 = 1000;

/// Determines the paths of these clocks, all of them system clocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathsTask(pub Vec<ClockId>);

impl Task for PathsTask {
    const NAME: &'static str = "path";
    /// Failed reads, out of [`READS`], for each clock; None for a clock that failed before as well.
    type Samples = Vec<Option<u32>>;

    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
        bench.alone(|| {
            let readable = |clock: &ClockId| {
                let id = clock.known().ok_or_else(|| format!("{clock} is no clock of the system"))?;
                Ok(id.os_clock().filter(|clock| os::try_read_ns(*clock).is_ok()))
            };
            let clocks: Vec<Option<OsClock>> = self.0.iter().map(readable).collect::<Result<_, String>>()?;
            forbid_clock_gettime()?;
            let failures = |clock: OsClock| (0..READS).filter(|_| os::try_read_ns(clock).is_err()).count() as u32;
            Ok(clocks.into_iter().map(|clock| clock.map(failures)).collect())
        })
    }

    fn answered(&self, failed_reads: &Self::Samples) -> (usize, usize) {
        (failed_reads.len(), self.0.len())
    }
}

#[cfg(target_os = "linux")]
fn forbid_clock_gettime() -> Result<(), String> {
    use std::collections::BTreeMap;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

    let refused = |error: &dyn std::fmt::Display| format!("seccomp cannot be used here: {error}");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| refused(&error))?;
    let forbidden = BTreeMap::from([(libc::SYS_clock_gettime, Vec::new())]);
    let errno = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(forbidden, SeccompAction::Allow, errno, arch).map_err(|error| refused(&error))?;
    let program = BpfProgram::try_from(filter).map_err(|error| refused(&error))?;
    apply_filter(&program).map_err(|error| refused(&error))
}

/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
fn forbid_clock_gettime() -> Result<(), String> {
    Err("only Linux can forbid a process a system call (seccomp), by which a path is proved".to_owned())
}
