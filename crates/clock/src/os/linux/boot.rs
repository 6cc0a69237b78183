use core::ffi::CStr;

use super::errno;
use super::file::File;
use crate::Unavailable;
use crate::uuid::parse_uuid;

const BOOT_ID: &CStr = c"/proc/sys/kernel/random/boot_id";
const TIME_NAMESPACE: &CStr = c"/proc/self/ns/time";
/// The number of the initial time namespace, `PROC_TIME_INIT_INO` of include/linux/proc_ns.h.
const INITIAL: u64 = 0xEFFF_FFFA;

const NO_BOOT_ID: Unavailable =
    Unavailable::because("/proc/sys/kernel/random/boot_id, which identifies this boot, cannot be read");
const NO_NAMESPACE: Unavailable =
    Unavailable::because("/proc/self/ns/time, which identifies this time namespace, cannot be read");

pub(crate) fn boot_uuid() -> Result<u128, Unavailable> {
    let _errno = errno::ErrnoGuard::new();
    let mut text = [0_u8; 64];
    let length = File::open(BOOT_ID).and_then(|file| file.read(&mut text)).ok_or(NO_BOOT_ID)?;
    text.get(..length).and_then(|text| parse_uuid(text.trim_ascii_end())).ok_or(NO_BOOT_ID)
}

/// The number of this thread's time namespace, 0 for the initial one and where the kernel has none (before 5.6).
pub(crate) fn time_namespace() -> Result<u64, Unavailable> {
    let _errno = errno::ErrnoGuard::new();
    // SAFETY: a structure of numbers, for which all zeroes is a value.
    let mut status: libc::stat = unsafe { core::mem::zeroed() };
    // SAFETY: the path ends with a NUL, and `status` is valid for the call to fill.
    if unsafe { libc::stat(TIME_NAMESPACE.as_ptr(), &mut status) } != 0 {
        return if errno::is(libc::ENOENT) && boot_uuid().is_ok() { Ok(0) } else { Err(NO_NAMESPACE) };
    }
    #[allow(clippy::unnecessary_cast)] // its width differs between targets
    let number = status.st_ino as u64;
    Ok(if number == INITIAL { 0 } else { number })
}
