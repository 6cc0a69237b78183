use super::maps::{self, Mapping};
use super::vdso::Vdso;
use super::{counter_access, errno, kernel};
use crate::os::{CounterAccess, KernelPage, Located, Seal};
use crate::trust::Reason;

/// Where this process has the kernel's data mapped.
///
/// Makes some ten system calls, keeps `errno`, and is safe in a signal handler.
pub(crate) fn locate() -> Result<Located, Reason> {
    if cfg!(miri) {
        return Err(Reason::SystemNotSupported); // it knows none of the calls
    }
    let _kept = errno::Kept::new();
    if counter_access() == CounterAccess::Faults {
        return Err(Reason::CounterForbidden);
    }
    if !kernel::publishes_known_modes() {
        return Err(Reason::NoKernelData);
    }
    let vdso = Vdso::of_process().ok_or(Reason::NoKernelData)?;
    let code = vdso.clock_gettime().ok_or(Reason::NoKernelData)?;
    // Before anything that a restore could change.
    let seal = Seal::of(code);
    let maps::Vvar { data, hypervisors } = maps::vvar(vdso.start()).ok_or(Reason::NoKernelData)?;
    Ok(Located { page: page(data), hypervisors: hypervisors.map(page), code, seal })
}

fn page(mapping: Mapping) -> KernelPage {
    // SAFETY: a page of the kernel's data, mapped readable. The kernel never unmaps it; a restore does, and breaks the seal.
    unsafe { KernelPage::at(mapping.start) }
}
