//! Consistent reads of the kernel's data, by its sequence number.

use super::convert::Conversion;
use super::layout::Layout;
use super::mode::mode_of;
use super::words::Words;
use crate::sync::{Mutant, Ordering::Acquire, fence, is_planted};

/// The sequence number in the lower half, the mode in the upper: one load and one comparison for both.
const SEQUENCE_AND_MODE: usize = 0;

/// An attempt that gave no time, with the data's first word, which holds the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed(u64);

impl Missed {
    /// Whether the kernel was changing the data, so that another look is worthwhile; else they are for another way of
    /// reading time. The mode decides, as the page of a time namespace has an odd number for ever.
    pub(crate) fn is_passing(self, wanted: impl FnOnce(u32) -> bool) -> bool {
        wanted(mode_of(self.0))
    }
}

/// Takes one consistent state of the kernel's data and of the clocksource, for `CLOCK_MONOTONIC`: see [`look_at`].
#[inline(always)]
pub(crate) fn look<W: Words>(
    data: W,
    layout: Layout,
    accepts: impl FnOnce(u32) -> bool,
    cycles: impl FnOnce() -> Option<u64>,
) -> Result<Conversion, Missed> {
    look_at(data, layout, layout.monotonic(), accepts, cycles)
}

/// Takes one consistent state of the kernel's data and of the clocksource; `base` is where the clock's seconds are.
///
/// The sequence number is read first and, in program order, again after the counter: the state belongs to one update of
/// the kernel, and a stop between the two looks cannot change what is computed from it. `cycles` returns None while the
/// clocksource itself is being changed.
///
/// # Ordering
/// As `cycles`. Fences keep all other loads between the two looks: no instruction on x86, where loads stay in order, and
/// `dmb ishld` on aarch64.
///
/// # Sources
/// `do_hres()` in lib/vdso/gettimeofday.c; H. Boehm, "Can seqlocks get along with programming language memory models?"
/// (MSPC 2012).
#[inline(always)]
pub(crate) fn look_at<W: Words>(
    data: W,
    layout: Layout,
    base: usize,
    accepts: impl FnOnce(u32) -> bool,
    cycles: impl FnOnce() -> Option<u64>,
) -> Result<Conversion, Missed> {
    let before = first_look(data);
    if is_odd(before) || !accepts(mode_of(before)) {
        return Err(Missed(before));
    }
    let Some(cycles) = cycles() else { return Err(Missed(before)) };
    second_look(data, layout, base, before, cycles)
}

/// The data's first word, loaded before all the others.
#[inline(always)]
pub(super) fn first_look<W: Words>(data: W) -> u64 {
    let before = data.word(SEQUENCE_AND_MODE);
    if !is_planted(Mutant::NoFenceAfterFirstLook) {
        fence(Acquire);
    }
    before
}

/// Whether the kernel is changing the data.
#[inline(always)]
pub(super) fn is_odd(before: u64) -> bool {
    before & 1 != 0 && !is_planted(Mutant::OddIsEven)
}

/// The state to which `cycles` belong, if it is still that of the [first look](first_look), at which it was not odd.
#[inline(always)]
pub(super) fn second_look<W: Words>(
    data: W,
    layout: Layout,
    base: usize,
    before: u64,
    cycles: u64,
) -> Result<Conversion, Missed> {
    let conversion = Conversion {
        cycles,
        last: data.word(1),
        // Loaded only where used: the compiler must keep every atomic load.
        mask: if cfg!(target_arch = "x86_64") { u64::MAX } else { data.word(layout.mask()) },
        mult: data.half(2 * layout.rate()),
        shift: data.half(2 * layout.rate() + 1),
        seconds: data.word(base),
        shifted_ns: data.word(base + 1),
    };
    if !is_planted(Mutant::NoFenceBeforeSecondLook) {
        fence(Acquire);
    }
    let is_same = data.word(SEQUENCE_AND_MODE) == before || is_planted(Mutant::NoSecondLook);
    if is_same { Ok(conversion) } else { Err(Missed(before)) }
}
