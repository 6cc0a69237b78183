use core::arch::x86_64::{__cpuid_count, CpuidResult};

/// CPUID leaf `leaf`; leaves 0 and 0x80000000 hold the highest of their kind in `eax`. Under a hypervisor each query
/// costs microseconds.
#[allow(unused_unsafe)] // from Rust 1.94 on the function is safe
pub(super) fn leaf(leaf: u32) -> CpuidResult {
    // SAFETY: every x86-64 CPU has `cpuid`, and this file is compiled for nothing else; SGX enclaves are left out.
    unsafe { __cpuid_count(leaf, 0) }
}
