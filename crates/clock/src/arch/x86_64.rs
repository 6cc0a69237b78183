#[path = "cpuid.rs"]
mod cpuid;
#[path = "waitpkg.rs"]
mod waitpkg;

pub(super) use waitpkg::relax;

use core::arch::asm;

use crate::Unavailable;

const LEAF1_EDX_TSC: u32 = 1 << 4;
const LEAF1_ECX_HYPERVISOR: u32 = 1 << 31;
const LEAF_80000007_EDX_INVARIANT: u32 = 1 << 8;
const LEAF_80000001_EDX_RDTSCP: u32 = 1 << 27;

#[derive(Clone, Copy, Debug)]
pub(super) struct Present(());

impl Present {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        if cpuid::leaf(1).edx & LEAF1_EDX_TSC == 0 {
            return Err(Unavailable::because("CPUID reports no time-stamp counter"));
        }
        Ok(Self(()))
    }

    #[inline(always)]
    pub(super) const fn assume() -> Option<Self> {
        Some(Self(()))
    }

    #[inline(always)]
    pub(super) fn unordered(self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: `Present::detect` saw the TSC; the instruction writes only the two named registers.
        unsafe { asm!("rdtsc", out("rax") low, out("rdx") high, options(nostack, nomem, preserves_flags)) };
        (high << 32) | low
    }

    #[inline(always)]
    pub(super) fn ordered(self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: as above; every x86-64 CPU has `lfence`. No `nomem`: the compiler keeps memory accesses in place.
        unsafe { asm!("lfence", "rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags)) };
        (high << 32) | low
    }

    #[inline(always)]
    pub(super) fn unordered_in_place(self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: as in `unordered`. No `nomem`: the compiler keeps memory accesses in place.
        unsafe { asm!("rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags)) };
        (high << 32) | low
    }

    /// As Linux's `rdtsc_ordered()`: `rdtscp` if there is one, as on every CPU of the last decade; it waits for all
    /// earlier instructions, whatever the vendor. On older CPUs vendors differ in whether `lfence` or `mfence` waits, so
    /// they get both.
    #[inline(always)]
    pub(super) fn ordered_in_place(self, self_ordered: bool) -> u64 {
        let (low, high): (u64, u64);
        // No `nomem`: the compiler keeps memory accesses in place.
        if self_ordered {
            // SAFETY: the caller has found the instruction with `has_self_ordered`; it writes rax, rdx and rcx only.
            unsafe {
                asm!("rdtscp", out("rax") low, out("rdx") high, out("rcx") _, options(nostack, preserves_flags));
            }
        } else {
            // SAFETY: as in `ordered`; every x86-64 CPU has `mfence`.
            unsafe {
                asm!("mfence", "lfence", "rdtsc", out("rax") low, out("rdx") high, options(nostack, preserves_flags));
            }
        }
        (high << 32) | low
    }

    /// One CPUID query, since each costs a virtual machine microseconds. Every 64-bit CPU has this leaf: its answer
    /// includes the bit for it.
    pub(super) fn has_self_ordered(self) -> bool {
        cpuid::leaf(0x8000_0001).edx & LEAF_80000001_EDX_RDTSCP != 0
    }

    #[inline(always)]
    pub(super) fn fence(self) {
        // SAFETY: every x86-64 CPU has `lfence`; it changes no register.
        unsafe { asm!("lfence", options(nostack, preserves_flags)) };
    }

    pub(super) fn declared_frequency_hz(self) -> Option<u64> {
        let highest = cpuid::leaf(0).eax;
        if highest < 0x15 {
            return None;
        }
        // Denominator, numerator and crystal frequency; any of them may be 0 for "not enumerated".
        let leaf = cpuid::leaf(0x15);
        let (denominator, numerator, crystal_hz) = (leaf.eax.into(), u64::from(leaf.ebx), u64::from(leaf.ecx));
        (numerator * crystal_hz).checked_div(denominator).filter(|hz| *hz != 0)
    }

    pub(super) fn is_invariant(self) -> bool {
        let highest = cpuid::leaf(0x8000_0000).eax;
        highest >= 0x8000_0007 && cpuid::leaf(0x8000_0007).edx & LEAF_80000007_EDX_INVARIANT != 0
    }

    pub(super) fn is_under_hypervisor(self) -> Option<bool> {
        Some(cpuid::leaf(1).ecx & LEAF1_ECX_HYPERVISOR != 0)
    }
}
