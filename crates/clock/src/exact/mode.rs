//! How the kernel marks its clocksource as readable from user space: `clock_mode` in the vDSO's data.
//!
//! # Sources
//! include/vdso/clocksource.h, arch/x86/include/asm/vdso/clocksource.h (before Linux 5.6 `VCLOCK_…` in
//! arch/x86/include/asm/clocksource.h), arch/arm64/include/asm/vdso/clocksource.h.

/// The counter of the architecture itself. On aarch64 2 is the same counter for programs of 64 bits: kernels publish it
/// where erratum 1418040 forbids the counter to those of 32.
pub(crate) const ARCHITECTURE: &[u32] = if cfg!(target_arch = "aarch64") { &[1, 2] } else { &[1] };

/// kvm-clock and Xen, by the page of the first virtual CPU: `VDSO_CLOCKMODE_PVCLOCK`. None on aarch64.
pub(crate) const PVCLOCK: u32 = if cfg!(target_arch = "x86_64") { 2 } else { u32::MAX };

/// Hyper-V's reference page: `VDSO_CLOCKMODE_HVCLOCK`. None on aarch64.
pub(crate) const HYPERV: u32 = if cfg!(target_arch = "x86_64") { 3 } else { u32::MAX - 1 };

/// Not in user space: the kernel keeps time by a clocksource that only it can read.
pub(crate) const NONE: u32 = 0;

/// This page holds the offsets of a time namespace: `VDSO_CLOCKMODE_TIMENS`.
pub(crate) const TIME_NAMESPACE: u32 = i32::MAX as u32;

/// Whether this crate supports `mode`.
pub(crate) fn is_readable(mode: u32) -> bool {
    ARCHITECTURE.contains(&mode) || cfg!(target_arch = "x86_64") && (mode == PVCLOCK || mode == HYPERV)
}

/// Whether `mode` is the architecture's own counter.
#[inline(always)]
pub(crate) fn is_architecture(mode: u32) -> bool {
    if cfg!(target_arch = "aarch64") { mode.wrapping_sub(1) < 2 } else { mode == 1 }
}

/// The mode in the data's first word.
#[inline(always)]
pub(crate) const fn mode_of(word: u64) -> u32 {
    (word >> 32) as u32
}
