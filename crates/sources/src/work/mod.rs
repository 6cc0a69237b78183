//! What a harness needs around the code it times: busy work of a chosen length, values hidden from the optimiser, and
//! code that only takes up space.
#![allow(unsafe_code)]

use core::mem::{ManuallyDrop, MaybeUninit};

#[cfg_attr(all(target_arch = "x86_64", not(miri)), path = "x86_64.rs")]
#[cfg_attr(all(target_arch = "aarch64", not(miri)), path = "aarch64.rs")]
#[cfg_attr(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))), path = "portable.rs")]
mod imp;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
mod registers;

/// Returns `value` through a register that the optimiser knows nothing about: no instruction, no memory access, no
/// branch. Keeps a result alive, and a loop from being solved at compile time.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_sources::work::opaque(42), 42);
/// ```
#[inline(always)]
pub fn opaque(value: u64) -> u64 {
    imp::opaque(value)
}

/// Returns `value` as something that the optimiser knows nothing about, with every earlier write to memory done.
///
/// As [`core::hint::black_box`], but a value that fits a register stays in one; that function goes through memory, which
/// costs a dependent operation 4 to 5 cycles. Other values do so here, too.
///
/// # Examples
/// ```
/// use chronoscope_sources::work::black_box;
///
/// assert_eq!(black_box(1.5_f64), 1.5);
/// assert_eq!(black_box(vec![1, 2]), [1, 2]);
/// ```
#[inline(always)]
pub fn black_box<T>(value: T) -> T {
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

/// Busy work: `tokens` links of a chain in which each needs the one before, and which continues from call to call.
///
/// Touches no memory and cannot be optimised away or skipped. As a call's chain begins where the last one's ended, calls
/// cannot overlap, so the time of many calls grows with their tokens from the first; surrounding code can still execute
/// in parallel, as with any other work.
///
/// # Units
/// Tokens, never nanoseconds: a token is one multiplication and one addition of an immediate (4 cycles on most cores, 3
/// on Intel's since Golden Cove, which fold the addition). Tokens are not portable between machines or harnesses.
///
/// # Platform
/// Machine code on x86-64 and aarch64; elsewhere a compiled loop.
///
/// # Examples
/// ```
/// chronoscope_sources::work::consume_cpu(20);
/// ```
#[inline(never)]
pub fn consume_cpu(tokens: u64) {
    imp::consume_cpu(tokens);
}

/// Pads to the next cache line and takes up `16 * COPY` bytes of it, in next to no time: the code behind it starts at a
/// known offset in its line.
///
/// # Examples
/// ```
/// chronoscope_sources::work::shift::<3>();
/// ```
#[inline(always)]
pub fn shift<const COPY: usize>() {
    imp::shift::<COPY>();
}
