use core::ffi::CStr;

use super::file::File;
use crate::os::KernelVerdict;

const CURRENT: &CStr = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
const AVAILABLE: &CStr = c"/sys/devices/system/clocksource/clocksource0/available_clocksource";
/// The clocksources that are this crate's counter itself.
const COUNTERS: [&[u8]; 2] = [b"tsc", b"arch_sys_counter"];

/// What the kernel thinks of the counter as a clocksource.
pub(crate) fn verdict() -> KernelVerdict {
    let lists_counter = |path: &CStr| -> Option<bool> {
        let mut text = [0_u8; 256];
        let length = File::open(path)?.read(&mut text)?;
        Some(text[..length].split(u8::is_ascii_whitespace).any(|word| COUNTERS.contains(&word)))
    };
    match (lists_counter(CURRENT), lists_counter(AVAILABLE)) {
        (Some(true), _) => KernelVerdict::KeepsTimeByIt,
        (Some(false), Some(true)) => KernelVerdict::ListsIt,
        (Some(false), Some(false)) => KernelVerdict::RejectsIt,
        _ => KernelVerdict::Unknown,
    }
}
