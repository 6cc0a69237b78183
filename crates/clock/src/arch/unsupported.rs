use core::mem::MaybeUninit;

pub(super) use super::absent::{Absent as WithProcessorId, Absent as Serialised};
use crate::Unavailable;

pub(super) const NAME_UNORDERED: &str = "counter";
pub(super) const NAME_ORDERED: &str = "fence; counter";

const UNSUPPORTED: Unavailable = Unavailable::because(if cfg!(miri) {
    "Miri executes no instruction of a processor"
} else if cfg!(target_env = "sgx") {
    "an SGX enclave may not execute rdtsc"
} else if cfg!(target_arch = "aarch64") {
    "this system may keep CNTVCT_EL0 from user space, where a read would end the process"
} else {
    "the counter is read on x86-64 and aarch64 only"
});

#[derive(Clone, Copy, Debug)]
pub(super) enum Present {}

impl Present {
    pub(super) fn detect() -> Result<Self, Unavailable> {
        Err(UNSUPPORTED)
    }

    pub(super) const fn assume() -> Option<Self> {
        None
    }

    pub(super) fn ordered_in_place(self, _self_ordered: bool) -> u64 {
        match self {}
    }
}

macro_rules! without_values {
    ($($read:ident -> $returned:ty,)*) => {
        impl Present {
            $(pub(super) fn $read(self) -> $returned {
                match self {}
            })*
        }
    };
}

without_values! {
    unordered -> u64,
    ordered -> u64,
    unordered_in_place -> u64,
    has_self_ordered -> bool,
    fence -> (),
    declared_frequency_hz -> Option<u64>,
    is_invariant -> bool,
    is_under_hypervisor -> Option<bool>,
}

pub(crate) fn opaque(value: u64) -> u64 {
    core::hint::black_box(value)
}

pub(super) fn observed_64(value: MaybeUninit<u64>) -> MaybeUninit<u64> {
    core::hint::black_box(value)
}

pub(super) fn observed_32(value: MaybeUninit<u32>) -> MaybeUninit<u32> {
    core::hint::black_box(value)
}

/// Every call begins a chain of its own, so that short calls may overlap.
pub(crate) fn consume_cpu(tokens: u64) {
    let mut link = tokens;
    for _ in 0..tokens {
        link = opaque(link.wrapping_mul(0x5851_F42D).wrapping_add(0x2F));
    }
    opaque(link);
}

#[inline(always)]
pub(super) fn relax(_may_read_counter: impl FnOnce() -> bool) {
    core::hint::spin_loop();
}

/// No code of a known length is written here.
pub(crate) fn shift<const COPY: usize>() {}
