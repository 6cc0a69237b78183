use crate::Unavailable;

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

#[inline(always)]
pub(super) fn relax(_may_read_counter: impl FnOnce() -> bool) {
    core::hint::spin_loop();
}
