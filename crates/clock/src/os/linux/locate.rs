use super::counter_access::counter_access;
use super::maps::{self, Mapping};
use super::vdso::Vdso;
use super::{environment, errno, kernel, readable};
use crate::arch::Counter;
use crate::exact::{Effort, NotLocated, Search, Words, search};
use crate::os::{ADDRESS_BITS, CounterAccess, KernelPage, Located, Seal};
use crate::trust::Reason;

/// Where this process has the kernel's data mapped.
///
/// Keeps `errno`, and is safe in a signal handler.
pub(crate) fn locate(effort: Effort) -> Result<Located, NotLocated> {
    if cfg!(miri) {
        return Err(Reason::SystemNotSupported.into()); // it knows none of the calls
    }
    let _errno = errno::ErrnoGuard::new();
    if counter_access() == CounterAccess::Faults {
        return Err(Reason::CounterForbidden.into());
    }
    if environment::at_start_has(SWITCH) {
        return Err(Reason::SwitchedOff.into());
    }
    // Fields of half a word change places on big-endian machines.
    if cfg!(target_endian = "big") || !kernel::publishes_known_modes() {
        return Err(Reason::NoKernelData.into());
    }
    let vdso = Vdso::of_process().ok_or(Reason::NoKernelData)?;
    let code = vdso.clock_gettime().ok_or(Reason::NoKernelData)?;
    // Before anything that a restore could change.
    let beginning = vdso.beginning(code);
    let seal = Seal::of(beginning).ok_or(Reason::Restored)?;
    // Asking the CPU costs a virtual machine half as much as all the rest.
    let self_ordered = || vdso.has_rdtscp(code) || Counter::assume().is_some_and(Counter::has_self_ordered);
    let located =
        |page, hypervisors| Located { page, hypervisors, code: beginning, seal, self_ordered: self_ordered() };
    if effort == Effort::Quick {
        if let Some(page) = nearby(vdso.start()) {
            return Ok(located(page, None));
        }
    }
    let maps::Vvar { data, hypervisors } =
        maps::vvar(vdso.start()).map_err(|may_pass| NotLocated { reason: Reason::NoKernelData, may_pass })?;
    let are_small = |mapping: &Mapping| mapping.end >> ADDRESS_BITS == 0;
    // The search reads the first page; a kernel need not have put one there. The hypervisors' wait for the data to name them.
    if !are_small(&data) || !hypervisors.as_ref().is_none_or(are_small) || !readable::is_readable(data.start) {
        return Err(Reason::NoKernelData.into());
    }
    Ok(located(page(data), hypervisors.map(page)))
}

/// How many pages below the vDSO the data may begin, likeliest first: 4 until Linux 6.13 and 6 since on x86-64, 2 and 4 on aarch64.
const PAGES_BELOW: [u64; 6] = if cfg!(target_arch = "aarch64") { [2, 4, 1, 3, 5, 6] } else { [4, 6, 3, 2, 5, 1] };

/// The kernel's data where every kernel has put them so far: right below the vDSO. This costs a fifth of asking for their name, and
/// no file. Other pages there look otherwise, or fail the check. None in a time namespace, whose own page comes before that of the
/// data: they are the system's to read, even while they show the same time.
fn nearby(vdso: u64) -> Option<KernelPage> {
    // SAFETY: takes a number.
    let size = unsafe { libc::getauxval(libc::AT_PAGESZ) } as u64;
    let below = PAGES_BELOW.into_iter().filter_map(|pages| vdso.checked_sub(pages * size));
    // SAFETY: the page is there; see `page`.
    let pages = below.filter(|start| readable::is_readable(*start)).map(|start| unsafe { KernelPage::at(start) });
    for page in pages.filter(|page| page.address() >> ADDRESS_BITS == 0) {
        match search(|at| page.word(at)) {
            Search::Found(..) => return Some(page),
            Search::TimeNamespace => return None,
            Search::NotReadable | Search::Unknown => {}
        }
    }
    None
}

/// What an operator gives a process that is not to read the kernel's data.
const SWITCH: &[u8] = b"CHRONOSCOPE_CLOCK=system";

fn page(mapping: Mapping) -> KernelPage {
    // SAFETY: a page of the kernel's data, mapped readable. The kernel never unmaps it; a restore does, and breaks the seal.
    unsafe { KernelPage::at(mapping.start) }
}

#[cfg(all(test, target_arch = "x86_64", not(any(miri, loom))))]
mod tests {
    use super::*;
    use crate::exact::pvclock;
    use crate::os::{OsClock, try_read_ns};

    /// The deviation of the page's time from `CLOCK_MONOTONIC_RAW` over 50 ms, in parts per million. None without a
    /// page.
    fn ppm_of_kvm_clock() -> Option<i64> {
        let page = locate(Effort::Thorough).ok()?.hypervisors?;
        let counter = Counter::new().ok()?;
        let read = || Some((pvclock::cycles(page, || counter.ordered())?, try_read_ns(OsClock::MonotonicRaw).ok()?));
        let first = read()?;
        let last = loop {
            let next = read()?;
            if next.1 - first.1 >= 50_000_000 {
                break next;
            }
        };
        let gained = |begin: u64, end: u64| i64::try_from(end - begin).ok();
        Some(gained(first.0, last.0)? * 1_000_000 / gained(first.1, last.1)? - 1_000_000)
    }

    #[test]
    fn the_page_of_this_machines_own_kvm_clock_keeps_time() {
        // In a child: where the kernel has never kept time by it, a look at the page ends the process.
        // SAFETY: the child makes system calls, reads memory and leaves at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // Whoever stops the child between two reads makes them differ: one undisturbed attempt is enough.
            let tries = || (0..20).map(|_| ppm_of_kvm_clock());
            let code = if tries().any(|ppm| ppm.is_some_and(|ppm| ppm.abs() < 1_000)) {
                0
            } else {
                1 + i32::from(ppm_of_kvm_clock().is_none())
            };
            // SAFETY: ends the process.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: waits for that child; `status` is valid for the call to fill.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        let was_refused = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGBUS;
        let has_ended = |code| libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == code;
        if was_refused || has_ended(2) {
            return std::eprintln!("skipped: no page of kvm-clock that is in use");
        }
        assert!(has_ended(0), "it runs at another rate, or ended the process: status {status:x}");
    }
}
