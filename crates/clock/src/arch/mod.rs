//! The CPU's counter. Needs the feature `sources`.
//!
//! Each architecture's file defines `Present`, a zero-sized proof that user space may read the counter, with the reads on
//! it; `WithProcessorId` and `Serialised`, x86's other two reads; `opaque`, `observed_64` and `observed_32`, which hide a
//! value from the optimiser; `consume_cpu` and `shift`; and the names by which people know the reads.
//!
//! Where an architecture lacks a read, its proof type has no values: the read cannot be called, and nothing invents a
//! number.
#![allow(unsafe_code)]

#[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri))))]
mod absent;

#[cfg(feature = "work")]
use core::mem::{ManuallyDrop, MaybeUninit};
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
#[cfg_attr(not(feature = "work"), allow(dead_code))] // what `work` alone shows
mod imp;

/// The usual name of the unordered read.
#[cfg(feature = "sources")]
pub const NAME_UNORDERED: &str = imp::NAME_UNORDERED;
/// The usual name of the ordered read.
#[cfg(feature = "sources")]
pub const NAME_ORDERED: &str = imp::NAME_ORDERED;
/// The usual name of the read that also returns the processor id.
#[cfg(feature = "sources")]
pub const NAME_WITH_PROCESSOR_ID: &str = "rdtscp";
/// The usual name of the read behind a serialising instruction.
#[cfg(feature = "sources")]
pub const NAME_SERIALISED: &str = "cpuid; rdtsc";

/// The CPU's free-running counter: the TSC on x86-64, `CNTVCT_EL0` on aarch64.
///
/// # Units
/// Ticks. Not every machine declares their length; see [`Rate`](crate::Rate).
///
/// # Platform
/// x86-64: every system but SGX enclaves. aarch64: Linux, Android, macOS and Windows, whose kernels open the counter to
/// user space; elsewhere, iOS included, a read might end the process, so the counter is unavailable.
///
/// On Linux a process can forbid itself the counter (`prctl(PR_SET_TSC, PR_TSC_SIGSEGV)`); a read then ends it with
/// SIGSEGV. [`os::counter_access`](crate::os::counter_access) checks beforehand.
///
/// # Examples
/// ```
/// # #[cfg(feature = "sources")]
/// # {
/// use chronoscope_clock::{arch::Counter, os};
///
/// if let (Ok(counter), os::CounterAccess::Allowed) = (Counter::new(), os::counter_access()) {
///     let first = counter.ordered();
///     assert!(counter.ordered() >= first);
/// }
/// # }
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

/// `rdtscp`: reads the TSC and the processor id after all earlier loads.
///
/// # Examples
/// ```
/// use chronoscope_clock::{arch::WithProcessorId, os};
///
/// if let (Ok(rdtscp), os::CounterAccess::Allowed) = (WithProcessorId::new(), os::counter_access()) {
///     let first = rdtscp.read();
///     assert!(rdtscp.read() >= first);
/// }
/// ```
#[cfg(feature = "sources")]
#[derive(Clone, Copy, Debug)]
pub struct WithProcessorId(imp::WithProcessorId);

#[cfg(feature = "sources")]
impl WithProcessorId {
    /// Finds the instruction (CPUID 0x80000001 EDX bit 27).
    ///
    /// # Errors
    /// [`Unavailable`] on CPUs without it and on other architectures.
    pub fn new() -> Result<Self, Unavailable> {
        imp::WithProcessorId::detect().map(Self)
    }

    /// Reads the counter.
    ///
    /// # Ordering
    /// After earlier loads. Later instructions may start before it.
    #[must_use]
    #[inline(always)]
    pub fn read(self) -> u64 {
        self.0.read()
    }
}

/// `cpuid; rdtsc`: the read behind a fully serialising instruction that older manuals advise. Under a hypervisor `cpuid`
/// traps, so each read costs a VM exit.
///
/// # Examples
/// ```
/// use chronoscope_clock::{arch::SerialisedByCpuid, os};
///
/// if let (Ok(pair), os::CounterAccess::Allowed) = (SerialisedByCpuid::new(), os::counter_access()) {
///     let first = pair.read();
///     assert!(pair.read() > first);
/// }
/// ```
#[cfg(feature = "sources")]
#[derive(Clone, Copy, Debug)]
pub struct SerialisedByCpuid(imp::Serialised);

#[cfg(feature = "sources")]
impl SerialisedByCpuid {
    /// Finds the instruction pair.
    ///
    /// # Errors
    /// [`Unavailable`] except on x86-64.
    pub fn new() -> Result<Self, Unavailable> {
        imp::Serialised::detect().map(Self)
    }

    /// Reads the counter.
    ///
    /// # Ordering
    /// After every earlier instruction has retired.
    #[must_use]
    #[inline(always)]
    pub fn read(self) -> u64 {
        self.0.read()
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

#[cfg(feature = "work")]
pub(crate) use imp::{consume_cpu, opaque, shift};

/// See [`work::black_box`](crate::work::black_box).
#[cfg(feature = "work")]
#[inline(always)]
pub(crate) fn black_box<T>(value: T) -> T {
    macro_rules! through_register {
        ($bits:ty, $pass:path) => {{
            let value = ManuallyDrop::new(value);
            // SAFETY: both types have the same size, and `MaybeUninit` allows every content, padding included.
            let bits: MaybeUninit<$bits> = unsafe { core::mem::transmute_copy(&value) };
            let bits = $pass(bits);
            // SAFETY: these are the very bits of `value`, which nobody drops or uses after this.
            unsafe { core::mem::transmute_copy(&bits) }
        }};
    }
    match size_of::<T>() {
        8 => through_register!(u64, imp::observed_64),
        4 => through_register!(u32, imp::observed_32),
        _ => core::hint::black_box(value),
    }
}
