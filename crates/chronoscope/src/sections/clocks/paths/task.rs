//! Finds the way that each clock of the system takes, by forbidding the system call and reading the clock.
//!
//! The worker first reads every clock, then installs a seccomp filter that fails `clock_gettime` with an error of its
//! own choosing, then reads each clock again through the C library. A clock that still works never entered the kernel.

use std::collections::BTreeMap;

use chronoscope_clock::os::{self, OsClock};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use crate::sections::clocks::report::Path;
use chronoscope_harness::record::Disturbance;

/// Reads of each clock under the filter.
pub const READS: u32 = 1000;

/// Which clocks to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Their names; each a clock of the system.
    pub sources: Vec<ClockId>,
}

/// What each clock did under the filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Reads that failed, of [`READS`], in the order of the request; None for a clock that failed before as well.
    pub failed_reads: Vec<Option<u32>>,
}

/// The path that `failed` of [`READS`] reads prove: none for a mixture.
pub fn proved(failed: u32) -> Option<Path> {
    match failed {
        0 => Some(Path::Vdso),
        READS => Some(Path::Syscall),
        _ => None,
    }
}

impl Task for Request {
    const NAME: &'static str = "path";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| run(self))
    }
}

fn run(request: &Request) -> Result<Samples, String> {
    let clocks: Vec<Option<OsClock>> = request
        .sources
        .iter()
        .map(|clock| clock.source().map(|id| id.os_clock().filter(|clock| os::try_read_ns(*clock).is_ok())))
        .collect::<Result<_, _>>()?;
    forbid_clock_gettime()?;
    let failures = |clock: OsClock| (0..READS).filter(|_| os::try_read_ns(clock).is_err()).count() as u32;
    Ok(Samples { failed_reads: clocks.into_iter().map(|clock| clock.map(failures)).collect() })
}

fn forbid_clock_gettime() -> Result<(), String> {
    let refused = |error: &dyn std::fmt::Display| format!("seccomp cannot be used here: {error}");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| refused(&error))?;
    let forbidden = BTreeMap::from([(libc::SYS_clock_gettime, Vec::new())]);
    let errno = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(forbidden, SeccompAction::Allow, errno, arch).map_err(|error| refused(&error))?;
    let program = BpfProgram::try_from(filter).map_err(|error| refused(&error))?;
    apply_filter(&program).map_err(|error| refused(&error))
}
