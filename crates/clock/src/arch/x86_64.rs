#[path = "cpuid.rs"]
mod cpuid;
#[cfg(feature = "work")]
#[path = "registers.rs"]
mod registers;
#[path = "waitpkg.rs"]
mod waitpkg;

pub(super) use waitpkg::relax;

use core::arch::asm;

#[cfg(feature = "work")]
pub(crate) use self::registers::{observed_32, observed_64, opaque};
use crate::Unavailable;

pub(super) const NAME_UNORDERED: &str = "rdtsc";
pub(super) const NAME_ORDERED: &str = "lfence; rdtsc";

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

#[derive(Clone, Copy, Debug)]
pub(super) struct WithProcessorId(());

impl WithProcessorId {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        Present::detect()?;
        let highest = cpuid::leaf(0x8000_0000).eax;
        if highest < 0x8000_0001 || cpuid::leaf(0x8000_0001).edx & LEAF_80000001_EDX_RDTSCP == 0 {
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
        Present::detect()?;
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

/// Tokens in one block of straight code.
const BLOCK: u64 = 64;
/// Bytes of code per token: `imul r64, r64, imm32` and `add r64, imm8`.
const TOKEN_BYTES: u64 = 11;

/// The chain is carried from call to call in xmm15: every function may overwrite it, so nobody relies on it, and scalar
/// code leaves it alone. If it is overwritten, one call overlaps another once.
///
/// The links are straight-line code, entered at the right distance from its end: mispredicting the end of a loop would
/// cost as much as a dozen links.
#[inline(always)]
pub(crate) fn consume_cpu(tokens: u64) {
    let (blocks, rest) = (tokens / BLOCK, tokens % BLOCK);
    let skipped = (BLOCK - rest) * TOKEN_BYTES;
    // SAFETY: the jump goes to the beginning of a link or behind the last one: `skipped` is a multiple of a link's bytes
    // and at most a block's. No memory is touched, and every register that is written is declared. What xmm15 holds does
    // not matter.
    unsafe {
        asm!(
            "movq {chain}, xmm15",
            "lea {entry}, [rip + 2f]",
            "add {entry}, {skipped}",
            "jmp {entry}",
            ".p2align 4",
            "2:",
            ".rept {block}",
            // The assembler must not choose a shorter form: a link has exactly 11 bytes.
            "imul {chain}, {chain}, 0x5851F42D",
            "add {chain}, 0x2F",
            ".endr",
            "sub {blocks}, 1",
            "jnc 2b",
            "movq xmm15, {chain}",
            chain = out(reg) _,
            entry = out(reg) _,
            skipped = in(reg) skipped,
            blocks = inout(reg) blocks => _,
            block = const BLOCK,
            out("xmm15") _,
            options(nostack, nomem),
        );
    }
}

#[inline(always)]
pub(crate) fn shift<const COPY: usize>() {
    // SAFETY: padding up to the next cache line and two eight-byte `nop`s per step do nothing.
    unsafe {
        asm!(
            ".p2align 6",
            ".rept 2 * {copies}",
            ".byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00",
            ".endr",
            copies = const COPY,
            options(nostack, nomem, preserves_flags)
        );
    }
}
