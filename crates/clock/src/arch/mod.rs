//! The CPU's own counter: what each architecture supplies. Needs the feature `sources`.
//!
//! Every file of this folder defines the same items for its architecture:
//!
//! - `Present`, a zero-sized proof that the CPU has a counter user space may read, with `detect()` to obtain it;
//! - on it `assume`, for who knows already, and `unordered`, `ordered`, `unordered_in_place`, `ordered_in_place`,
//!   `has_self_ordered`, `fence`, `declared_frequency_hz`, `is_invariant` and `is_under_hypervisor`;
//! - `WithProcessorId` and `Serialised`, proofs for the two further ways x86 has to read the counter;
//! - `opaque`, a value the optimiser cannot see through, and `observed`, the same for a register that memory is seen with;
//! - `consume_cpu`, busy work whose length is proportional to its argument, and `shift`, code that takes space alone;
//! - the names under which people know these reads.
//!
//! Where an architecture lacks one of them its proof type has no values, so a read that does not exist cannot be
//! called and none has to invent a number.
#![allow(unsafe_code)]

#[cfg(not(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri))))]
mod absent;
#[cfg(all(feature = "work", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod registers;

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

/// What people call the unordered read here.
#[cfg(feature = "sources")]
pub const NAME_UNORDERED: &str = imp::NAME_UNORDERED;
/// What people call the ordered read here.
#[cfg(feature = "sources")]
pub const NAME_ORDERED: &str = imp::NAME_ORDERED;
/// What people call the read that also returns the processor's id.
#[cfg(feature = "sources")]
pub const NAME_WITH_PROCESSOR_ID: &str = "rdtscp";
/// What people call the read behind a serialising instruction.
#[cfg(feature = "sources")]
pub const NAME_SERIALISED: &str = "cpuid; rdtsc";

/// The CPU's free-running counter: the TSC on x86-64, `CNTVCT_EL0` on aarch64.
///
/// # Units
/// Ticks of the counter. Their length is not declared on every machine; see [`Rate`](crate::Rate).
///
/// # Platform
/// Linux lets a process forbid itself the counter (`prctl(PR_SET_TSC, PR_TSC_SIGSEGV)`); a read then ends the process
/// with SIGSEGV. [`os::counter_access`](crate::os::counter_access) tells before a read does.
///
/// x86-64: every system; not in an SGX enclave. aarch64: Linux, Android, macOS and Windows, whose kernels open the counter
/// to user space; elsewhere, iOS included, it is unavailable, since a read might end the process.
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
    /// Looks for the counter.
    ///
    /// # Errors
    /// [`Unavailable`] where the CPU has none that user space can name, or the system may keep it from user space.
    pub fn new() -> Result<Self, Unavailable> {
        imp::Present::detect().map(Self)
    }

    /// The counter where architecture and system are known to give one, without looking: for the read path.
    ///
    /// A read through it is valid once [`new`](Self::new) has succeeded in this process.
    #[inline(always)]
    pub(crate) const fn assume() -> Option<Self> {
        match imp::Present::assume() {
            Some(present) => Some(Self(present)),
            None => None,
        }
    }

    /// Reads the counter with nothing that keeps the read in its place.
    ///
    /// # Ordering
    /// None: the CPU may execute it before an earlier load completes, so a value read on another core and shown to
    /// this thread can be *later* than what this returns. Not causal.
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
    /// x86-64: not executed before an earlier load, where `lfence` serialises: on Intel's CPUs, and on AMD's as Linux sets them
    /// up. aarch64: not executed before an earlier load on whose value it depends whether the `isb` is reached. Later
    /// instructions may start before it.
    ///
    /// # Sources
    /// Intel SDM vol. 2B, RDTSC and LFENCE; Linux `rdtsc_ordered()` in arch/x86/include/asm/msr.h; Arm ARM, CNTVCT_EL0.
    #[must_use]
    #[inline(always)]
    pub fn ordered(self) -> u64 {
        self.0.ordered()
    }

    /// As [`unordered`](Self::unordered) for the CPU; the compiler keeps it in place among accesses to memory.
    #[inline(always)]
    pub(crate) fn unordered_in_place(self) -> u64 {
        self.0.unordered_in_place()
    }

    /// The counter between the accesses to memory before and after it in the program, as the kernel's own conversion reads
    /// it. `self_ordered`: by the read that keeps its own place, where the CPU [has one](Self::has_self_ordered).
    #[inline(always)]
    pub(crate) fn ordered_in_place(self, self_ordered: bool) -> u64 {
        self.0.ordered_in_place(self_ordered)
    }

    /// Whether the CPU has a read of the counter that waits for earlier ones by itself: `rdtscp`, `CNTVCTSS_EL0`.
    pub(crate) fn has_self_ordered(self) -> bool {
        self.0.has_self_ordered()
    }

    /// `lfence`, which waits until every earlier instruction has completed and holds later ones back until then; on aarch64
    /// `isb`, which holds later ones back until earlier ones can no longer be taken back, and waits for no load's value.
    #[inline(always)]
    pub fn fence(self) {
        self.0.fence();
    }

    /// The ordered read with a fence behind it too: the start and the end of a timed region.
    ///
    /// # Ordering
    /// As [`ordered`](Self::ordered) before it and [`fence`](Self::fence) behind it: on x86-64 neither earlier nor later
    /// instructions execute across it.
    #[must_use]
    #[inline(always)]
    pub fn bracket(self) -> u64 {
        let ticks = self.ordered();
        self.fence();
        ticks
    }

    /// The counter's frequency as the CPU itself declares it (`CNTFRQ_EL0`; CPUID leaf 0x15 with its crystal), in hertz.
    ///
    /// None where it declares none, as most hypervisors do not.
    ///
    /// # Sources
    /// Arm ARM, CNTFRQ_EL0; Intel SDM vol. 2A, CPUID leaf 15H.
    #[must_use]
    pub fn declared_frequency_hz(self) -> Option<u64> {
        self.0.declared_frequency_hz()
    }

    /// Whether the CPU promises that the counter keeps its rate in all power states (CPUID 0x80000007 EDX bit 8; on
    /// aarch64 the architecture does).
    #[must_use]
    pub fn is_invariant(self) -> bool {
        self.0.is_invariant()
    }

    /// Whether the CPU says that a hypervisor is present. None where it has no word for that.
    #[must_use]
    pub fn is_under_hypervisor(self) -> Option<bool> {
        self.0.is_under_hypervisor()
    }
}

/// `rdtscp`: reads the TSC once all earlier loads are done, and the processor's id with it.
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
    /// Looks for the instruction (CPUID 0x80000001 EDX bit 27).
    ///
    /// # Errors
    /// [`Unavailable`] on CPUs without it and on other architectures.
    pub fn new() -> Result<Self, Unavailable> {
        imp::WithProcessorId::detect().map(Self)
    }

    /// Reads the counter.
    ///
    /// # Ordering
    /// Not executed before an earlier load. Later instructions may start before it.
    #[must_use]
    #[inline(always)]
    pub fn read(self) -> u64 {
        self.0.read()
    }
}

/// `cpuid; rdtsc`: the read behind a fully serialising instruction, as older manuals advise.
///
/// Under a hypervisor `cpuid` traps: the read costs a VM exit.
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
    /// Looks for the instruction pair.
    ///
    /// # Errors
    /// [`Unavailable`] on other architectures than x86-64.
    pub fn new() -> Result<Self, Unavailable> {
        imp::Serialised::detect().map(Self)
    }

    /// Reads the counter.
    ///
    /// # Ordering
    /// Every earlier instruction has retired before it.
    #[must_use]
    #[inline(always)]
    pub fn read(self) -> u64 {
        self.0.read()
    }
}

/// What [`relax`] takes at most, but for what the machine does to any thread: a pause of 140 cycles, or a quarter of a
/// microsecond of waiting.
pub(crate) const LONGEST_RELAX: Duration = Duration::from_nanos(500);

/// Tells the CPU that this loop waits: a neighbour on the core gets more of it meanwhile. `may_read_counter` is asked once in a
/// process.
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
