use core::arch::asm;
use core::arch::x86_64::__cpuid;

use chronoscope_clock::Unavailable;
use chronoscope_clock::raw::Counter;

const LEAF_80000001_EDX_RDTSCP: u32 = 1 << 27;

#[derive(Clone, Copy, Debug)]
pub(super) struct WithProcessorId(());

impl WithProcessorId {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        Counter::new()?;
        let highest = __cpuid(0x8000_0000).eax;
        if highest < 0x8000_0001 || __cpuid(0x8000_0001).edx & LEAF_80000001_EDX_RDTSCP == 0 {
            return Err(Unavailable::because("CPUID does not list rdtscp"));
        }
        Ok(Self(()))
    }

    #[inline(always)]
    pub(super) fn read(self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: `detect` saw the instruction; it writes rax, rdx and rcx only.
        unsafe {
            asm!("rdtscp", out("rax") low, out("rdx") high, out("rcx") _, options(nostack, preserves_flags));
        }
        (high << 32) | low
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Serialised(());

impl Serialised {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        Counter::new()?;
        Ok(Self(()))
    }

    #[inline(always)]
    pub(super) fn read(self) -> u64 {
        let (low, high): (u64, u64);
        // SAFETY: `detect` saw the TSC; rbx, which `cpuid` overwrites and LLVM reserves, is kept in a scratch register.
        unsafe {
            asm!(
                "mov {kept}, rbx",
                "xor eax, eax",
                "xor ecx, ecx",
                "cpuid",
                "mov rbx, {kept}",
                "rdtsc",
                kept = out(reg) _,
                out("rax") low,
                out("rdx") high,
                out("rcx") _,
                options(nostack),
            );
        }
        (high << 32) | low
    }
}
