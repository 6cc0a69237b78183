use crate::Unavailable;
use crate::os::CounterAccess;

pub(crate) fn counter_access() -> CounterAccess {
    if cfg!(miri) {
        return CounterAccess::Allowed; // it knows no such switch
    }
    let mut state: libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes one int to the given address; unknown to the kernel, it fails and writes nothing.
    let outcome = unsafe { libc::prctl(libc::PR_GET_TSC, &mut state as *mut libc::c_int, 0, 0, 0) };
    if outcome == 0 && state == libc::PR_TSC_SIGSEGV { CounterAccess::Faults } else { CounterAccess::Allowed }
}

pub(crate) fn set_counter_access(access: CounterAccess) -> Result<(), Unavailable> {
    let state = match access {
        CounterAccess::Allowed => libc::PR_TSC_ENABLE,
        CounterAccess::Faults => libc::PR_TSC_SIGSEGV,
    };
    // SAFETY: PR_SET_TSC takes one number and changes only how this thread's own reads behave.
    match unsafe { libc::prctl(libc::PR_SET_TSC, state as libc::c_ulong, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(Unavailable::because("the kernel has no PR_SET_TSC, or a sandbox forbids prctl")),
    }
}
