//! The CPU's counter, with and without a fence, and x86-64's other two reads of it.
//!
//! Where an architecture lacks a read, its proof type has no values: the read cannot be called, and nothing invents a number.
#![allow(unsafe_code)]

use chronoscope_clock::Unavailable;
#[doc(inline)]
pub use chronoscope_clock::raw::Counter;

#[cfg_attr(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri)), path = "x86_64.rs")]
#[cfg_attr(not(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri))), path = "absent.rs")]
mod imp;

/// The usual name of the unordered read.
pub const NAME_UNORDERED: &str = NAMES.0;
/// The usual name of the ordered read.
pub const NAME_ORDERED: &str = NAMES.1;
/// The usual name of the read that also returns the processor id.
pub const NAME_WITH_PROCESSOR_ID: &str = "rdtscp";
/// The usual name of the read behind a serialising instruction.
pub const NAME_SERIALISED: &str = "cpuid; rdtsc";

const NAMES: (&str, &str) = if cfg!(all(target_arch = "x86_64", not(target_env = "sgx"), not(miri))) {
    ("rdtsc", "lfence; rdtsc")
} else if cfg!(all(
    target_arch = "aarch64",
    any(target_os = "linux", target_os = "android", target_os = "macos", windows),
    not(miri)
)) {
    ("cntvct", "isb; cntvct")
} else {
    ("counter", "fence; counter")
};

/// `rdtscp`: reads the TSC and the processor id after all earlier loads.
///
/// # Examples
/// ```
/// use chronoscope_sources::{arch::WithProcessorId, os};
///
/// if let (Ok(rdtscp), os::CounterAccess::Allowed) = (WithProcessorId::new(), os::counter_access()) {
///     let first = rdtscp.read();
///     assert!(rdtscp.read() >= first);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WithProcessorId(imp::WithProcessorId);

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
/// use chronoscope_sources::{arch::SerialisedByCpuid, os};
///
/// if let (Ok(pair), os::CounterAccess::Allowed) = (SerialisedByCpuid::new(), os::counter_access()) {
///     let first = pair.read();
///     assert!(pair.read() > first);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SerialisedByCpuid(imp::Serialised);

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
