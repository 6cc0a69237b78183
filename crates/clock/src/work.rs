//! What a harness needs around the code it times: busy work of a chosen length, values that the optimiser cannot see through,
//! and code that takes space alone. Needs the feature `work`.

use crate::arch;

/// Hands `value` back through a register that the optimiser knows nothing about.
///
/// Costs no instruction of its own, no memory access and no branch. It keeps a result alive and a loop from being
/// solved at compile time.
///
/// # Examples
/// ```
/// assert_eq!(chronoscope_clock::work::opaque(42), 42);
/// ```
#[inline(always)]
pub fn opaque(value: u64) -> u64 {
    arch::opaque(value)
}

/// Hands `value` back as something that the optimiser knows nothing about, and has every write to memory before it done.
///
/// As [`core::hint::black_box`], but a value that fits a register stays in one: that function puts every value into memory
/// and takes it out again, which costs a dependent operation 4 to 5 cycles. Other values go through it.
///
/// # Examples
/// ```
/// use chronoscope_clock::work::black_box;
///
/// assert_eq!(black_box(1.5_f64), 1.5);
/// assert_eq!(black_box(vec![1, 2]), [1, 2]);
/// ```
#[inline(always)]
pub fn black_box<T>(value: T) -> T {
    arch::black_box(value)
}

/// Busy work: `tokens` links of a chain in which each needs the one before, and which goes on from call to call.
///
/// Reads and writes no memory and cannot be optimised away or jumped over. Because a call's chain begins where the last
/// one's ended, calls cannot overlap each other, so the time of many calls grows with their tokens from the first on; what
/// surrounds a call can still execute beside it, as it can beside other work of a program.
///
/// # Units
/// Tokens, never nanoseconds: a token is one multiplication and one addition of an immediate (4 cycles on most cores, 3 on
/// Intel's since Golden Cove, which fold the addition), and tokens are not portable between machines or between this and
/// other harnesses.
///
/// # Platform
/// On x86-64 and aarch64, as far as [`Counter`](crate::arch::Counter) has them, the chain is written in machine code. Elsewhere it is a loop
/// that the compiler made.
///
/// # Examples
/// ```
/// chronoscope_clock::work::consume_cpu(20);
/// ```
#[inline(never)]
pub fn consume_cpu(tokens: u64) {
    arch::consume_cpu(tokens);
}

/// Fills the cache line and takes up `16 * COPY` bytes of the next one, in next to no time: the code behind it lies at a
/// place of its line that is known.
///
/// # Examples
/// ```
/// chronoscope_clock::work::shift::<3>();
/// ```
#[inline(always)]
pub fn shift<const COPY: usize>() {
    arch::shift::<COPY>();
}
