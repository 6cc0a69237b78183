use chronoscope_clock::Unavailable;

/// Restricts the calling thread to one CPU.
#[cfg(target_os = "linux")]
pub(crate) fn bind_thread(cpu: u32) -> Result<(), Unavailable> {
    let cpu = cpu as usize;
    if cpu >= libc::CPU_SETSIZE as usize {
        return Err(Unavailable::because("this system has no such CPU"));
    }
    // SAFETY: all zeroes is the empty set; `CPU_SET` stays within it, as checked above.
    let set = unsafe {
        let mut set: libc::cpu_set_t = core::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        set
    };
    // SAFETY: the set is valid for its size; 0 is the calling thread.
    match unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) } {
        0 => Ok(()),
        _ => Err(Unavailable::because("the kernel refuses to bind this thread to that CPU")),
    }
}

/// Restricts the calling thread to one CPU.
#[cfg(windows)]
pub(crate) fn bind_thread(cpu: u32) -> Result<(), Unavailable> {
    super::host::bind(&[cpu]).map_err(|_| Unavailable::because("Windows refuses to bind this thread to that CPU"))
}

/// Restricts the calling thread to one CPU.
#[cfg(not(any(target_os = "linux", windows)))]
pub(crate) fn bind_thread(_cpu: u32) -> Result<(), Unavailable> {
    Err(Unavailable::because("only Linux and Windows bind threads to CPUs"))
}
