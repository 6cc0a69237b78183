use core::ptr;
use std::assert_eq;

pub(super) type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs `handler` for `signal`, for the rest of this process.
pub(super) fn on(signal: i32, handler: Handler) {
    // SAFETY: a structure of numbers, for which all zeroes is a value: no other signal is held back meanwhile.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the action is whole, and the handler has the type that SA_SIGINFO asks for.
    assert_eq!(unsafe { libc::sigaction(signal, &action, ptr::null_mut()) }, 0);
}

/// Sends `signal` to this thread; its handler has run when this returns.
pub(super) fn raise(signal: i32) {
    // SAFETY: takes a number.
    assert_eq!(unsafe { libc::raise(signal) }, 0);
}
