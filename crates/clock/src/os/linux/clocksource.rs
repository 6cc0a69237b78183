use core::ffi::CStr;

use super::errno;
use super::file::File;

const CURRENT: &CStr = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// The clocksources that are this crate's counter itself.
const COUNTERS: [&[u8]; 2] = [b"tsc", b"arch_sys_counter"];

/// Whether the kernel currently keeps time by the CPU's counter. None if it does not report that.
pub(crate) fn is_counter() -> Option<bool> {
    let _errno = errno::ErrnoGuard::new();
    let mut text = [0_u8; 64];
    let length = File::open(CURRENT)?.read(&mut text)?;
    let name = text.get(..length)?.trim_ascii_end();
    (!name.is_empty()).then(|| COUNTERS.contains(&name))
}
