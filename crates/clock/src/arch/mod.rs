//! The CPU's counter.
//!
//! Each architecture's file defines `Present`, a zero-sized proof that user space may read the counter, with the reads on
//! it, and `relax`. Where there is no counter, the proof has no values: a read cannot be called, and nothing invents a number.
#![allow(unsafe_code)]

use core::time::Duration;

use crate::Unavailable;

// Miri interprets no instruction of any processor: for it there is no counter, and clocks fall back to the system's. An
// SGX enclave may execute neither `rdtsc` nor `cpuid`. On aarch64 the kernel decides whether user space may read the
// counter, and where it may not, the instruction ends the process: only systems known to open it are let in.
#[cfg_attr(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri)), path = "x86_64.rs")]
#[cfg_attr(
    all(
        target_arch = "aarch64",
        any(target_os = "linux", target_os = "android", target_os = "macos", windows),
        not(miri)
    ),
    path = "aarch64.rs"
)]
#[cfg_attr(
    any(
        miri,
        not(any(
            all(target_arch = "x86_64", not(target_env = "sgx")),
            all(
                target_arch = "aarch64",
                any(target_os = "linux", target_os = "android", target_os = "macos", windows)
            )
        ))
    ),
    path = "unsupported.rs"
)]
mod imp;

/// The CPU's free-running counter: the TSC on x86-64, `CNTVCT_EL0` on aarch64.
///
/// # Units
/// Ticks. Not every machine declares their length.
///
/// # Platform
/// x86-64: every system but SGX enclaves. aarch64: Linux, Android, macOS and Windows, whose kernels open the counter to
/// user space; elsewhere, iOS included, a read might end the process, so the counter is unavailable.
///
/// On Linux a process can forbid itself the counter (`prctl(PR_SET_TSC, PR_TSC_SIGSEGV)`); a read then ends it with
/// SIGSEGV. [`counter_access`](crate::raw::counter_access) checks beforehand.
///
/// # Examples
/// ```
/// use chronoscope_clock::raw::{Counter, CounterAccess, counter_access};
///
/// if let (Ok(counter), CounterAccess::Allowed) = (Counter::new(), counter_access()) {
///     let first = counter.ordered();
///     assert!(counter.ordered() >= first);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counter(imp::Present);

impl Counter {
    /// Finds the counter.
    ///
    /// # Errors
    /// [`Unavailable`] if the CPU has no counter for user space, or the system may keep it from user space.
    pub fn new() -> Result<Self, Unavailable> {
        imp::Present::detect().map(Self)
    }

    /// The counter, unchecked, where architecture and system are known to have one: for the read path. Reads are valid
    /// once [`new`](Self::new) has succeeded in this process.
    #[inline(always)]
    pub(crate) const fn assume() -> Option<Self> {
        match imp::Present::assume() {
            Some(present) => Some(Self(present)),
            None => None,
        }
    }

    /// Reads the counter, without a fence.
    ///
    /// # Ordering
    /// None, and not causal: the CPU may read the counter before an earlier load completes, so a value that another core
    /// showed this thread can be *later* than what this returns.
    ///
    /// # Sources
    /// Intel SDM vol. 2B, RDTSC; Arm ARM, CNTVCT_EL0.
    #[must_use]
    #[inline(always)]
    pub fn unordered(self) -> u64 {
        self.0.unordered()
    }

    /// Reads the counter behind a fence (`lfence; rdtsc`, `isb; mrs`).
    ///
    /// # Ordering
    /// x86-64: after earlier loads, where `lfence` serialises: on Intel, and on AMD as Linux configures it. aarch64:
    /// after an earlier load on whose value it depends whether the `isb` is reached. Later instructions may start before
    /// the read.
    ///
    /// # Sources
    /// Intel SDM vol. 2B, RDTSC and LFENCE; Linux `rdtsc_ordered()` in arch/x86/include/asm/msr.h; Arm ARM, CNTVCT_EL0.
    #[must_use]
    #[inline(always)]
    pub fn ordered(self) -> u64 {
        self.0.ordered()
    }

    /// To the CPU the same as [`unordered`](Self::unordered); the compiler keeps it in place among memory accesses.
    #[inline(always)]
    pub(crate) fn unordered_in_place(self) -> u64 {
        self.0.unordered_in_place()
    }

    /// Reads the counter between the memory accesses before and after it, as the kernel's own conversion does.
    /// `self_ordered`: by the read that orders itself, if the CPU [has one](Self::has_self_ordered).
    #[inline(always)]
    pub(crate) fn ordered_in_place(self, self_ordered: bool) -> u64 {
        self.0.ordered_in_place(self_ordered)
    }

    /// Whether the CPU has a read that waits for earlier instructions by itself: `rdtscp`, `CNTVCTSS_EL0`.
    pub(crate) fn has_self_ordered(self) -> bool {
        self.0.has_self_ordered()
    }

    /// x86-64: `lfence`, which waits for every earlier instruction to complete and holds back later ones. aarch64: `isb`,
    /// which holds back later instructions until earlier ones can no longer be undone, and waits for no load.
    #[inline(always)]
    pub fn fence(self) {
        self.0.fence();
    }

    /// The ordered read, then a fence: for the start and the end of a timed region.
    ///
    /// # Ordering
    /// That of [`ordered`](Self::ordered) before the read and of [`fence`](Self::fence) after it. On x86-64 no
    /// instruction crosses it.
    #[must_use]
    #[inline(always)]
    pub fn bracket(self) -> u64 {
        let ticks = self.ordered();
        self.fence();
        ticks
    }

    /// The frequency that the CPU declares, in hertz (`CNTFRQ_EL0`; CPUID leaf 0x15 with its crystal). None if it
    /// declares none, as under most hypervisors.
    ///
    /// # Sources
    /// Arm ARM, CNTFRQ_EL0; Intel SDM vol. 2A, CPUID leaf 15H.
    #[must_use]
    pub fn declared_frequency_hz(self) -> Option<u64> {
        self.0.declared_frequency_hz()
    }

    /// Whether the counter keeps its rate in all power states (CPUID 0x80000007 EDX bit 8; always on aarch64).
    #[must_use]
    pub fn is_invariant(self) -> bool {
        self.0.is_invariant()
    }

    /// Whether the CPU reports a hypervisor. None where it cannot.
    #[must_use]
    pub fn is_under_hypervisor(self) -> Option<bool> {
        self.0.is_under_hypervisor()
    }
}

/// The longest that [`relax`] takes undisturbed: a pause of 140 cycles, or a quarter of a microsecond of waiting.
pub(crate) const LONGEST_RELAX: Duration = Duration::from_nanos(500);

/// Hints to the CPU that this loop waits, which leaves more of the core to an SMT sibling. `may_read_counter` is asked
/// once in a process.
///
/// # Platform
/// x86-64: `pause`, or `tpause` in its light state where the CPU has WAITPKG. aarch64: what [`core::hint::spin_loop`] is.
#[inline(always)]
pub(crate) fn relax(may_read_counter: impl FnOnce() -> bool) {
    imp::relax(may_read_counter);
}
