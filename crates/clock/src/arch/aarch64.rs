use core::arch::asm;

use crate::Unavailable;

#[derive(Clone, Copy, Debug)]
pub(super) struct Present(());

impl Present {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        // The generic timer is part of the architecture, and Linux lets user space read its virtual counter.
        Ok(Self(()))
    }

    #[inline(always)]
    pub(super) const fn assume() -> Option<Self> {
        Some(Self(()))
    }

    #[inline(always)]
    pub(super) fn unordered(self) -> u64 {
        let ticks: u64;
        // SAFETY: reads a system register that Linux leaves open to EL0; changes nothing else.
        unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack, nomem, preserves_flags)) };
        ticks
    }

    #[inline(always)]
    pub(super) fn ordered(self) -> u64 {
        let ticks: u64;
        // SAFETY: as above. No `nomem`: the compiler keeps memory accesses in place.
        unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags)) };
        ticks
    }

    #[inline(always)]
    pub(super) fn unordered_in_place(self) -> u64 {
        let ticks: u64;
        // SAFETY: as in `unordered`. No `nomem`: the compiler keeps memory accesses in place.
        unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags)) };
        ticks
    }

    /// The address of a following load depends on the counter's value, so no later load, held behind that one by a
    /// barrier, completes before the counter is read.
    ///
    /// As Linux's `__arch_get_hw_counter()` with `arch_counter_enforce_ordering()`.
    #[inline(always)]
    pub(super) fn ordered_in_place(self, self_ordered: bool) -> u64 {
        let ticks: u64;
        macro_rules! read_then_load {
            ($($read:literal),+) => {
                asm!(
                    $($read,)+
                    "eor {address}, {ticks}, {ticks}",
                    "add {address}, sp, {address}",
                    "ldr xzr, [{address}]",
                    ticks = out(reg) ticks,
                    address = out(reg) _,
                    options(nostack, preserves_flags),
                )
            };
        }
        if self_ordered {
            // SAFETY: the caller has found FEAT_ECV with `has_self_ordered`: the register is then open like the other.
            // The stack pointer's own word can be read.
            unsafe { read_then_load!("mrs {ticks}, S3_3_C14_C0_6") };
        } else {
            // SAFETY: reads a system register that Linux leaves open to EL0, and the stack pointer's own word.
            unsafe { read_then_load!("isb", "mrs {ticks}, cntvct_el0") };
        }
        ticks
    }

    /// FEAT_ECV: `CNTVCTSS_EL0` needs no `isb`.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn has_self_ordered(self) -> bool {
        const HWCAP2_ECV: libc::c_ulong = 1 << 19;
        // SAFETY: takes a number and returns one.
        unsafe { libc::getauxval(libc::AT_HWCAP2) & HWCAP2_ECV != 0 }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn has_self_ordered(self) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn fence(self) {
        // SAFETY: `isb` flushes the pipeline and changes no register.
        unsafe { asm!("isb", options(nostack, preserves_flags)) };
    }

    pub(super) fn declared_frequency_hz(self) -> Option<u64> {
        let hz: u64;
        // SAFETY: reads a system register open to EL0; changes nothing else.
        unsafe { asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nostack, nomem, preserves_flags)) };
        (hz != 0).then_some(hz)
    }

    pub(super) fn is_invariant(self) -> bool {
        true
    }

    pub(super) fn is_under_hypervisor(self) -> Option<bool> {
        None
    }
}

#[inline(always)]
pub(super) fn relax(_may_read_counter: impl FnOnce() -> bool) {
    core::hint::spin_loop();
}
