use core::mem::MaybeUninit;

pub(super) fn opaque(value: u64) -> u64 {
    core::hint::black_box(value)
}

pub(super) fn observed_64(value: MaybeUninit<u64>) -> MaybeUninit<u64> {
    core::hint::black_box(value)
}

pub(super) fn observed_32(value: MaybeUninit<u32>) -> MaybeUninit<u32> {
    core::hint::black_box(value)
}

/// Every call begins a chain of its own, so that short calls may overlap.
pub(super) fn consume_cpu(tokens: u64) {
    let mut link = tokens;
    for _ in 0..tokens {
        link = opaque(link.wrapping_mul(0x5851_F42D).wrapping_add(0x2F));
    }
    opaque(link);
}

/// No code of a known length is written here.
pub(super) fn shift<const COPY: usize>() {}
