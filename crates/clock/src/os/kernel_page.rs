use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::exact::Words;

/// Words in a mapping that the kernel shares with this process, read in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelPage(*const AtomicU64);

impl KernelPage {
    /// The words starting at `address`.
    ///
    /// # Safety
    /// `address` is aligned to 8 bytes, and every word that is read through the value is mapped readable then.
    #[inline(always)]
    pub(super) unsafe fn at(address: u64) -> Self {
        Self(ptr::with_exposed_provenance(address as usize))
    }

    /// The words starting at `first`.
    ///
    /// # Safety
    /// As [`at`](Self::at).
    #[inline(always)]
    pub(super) const unsafe fn of(first: *const AtomicU64) -> Self {
        Self(first)
    }

    /// Its first word.
    pub(super) const fn as_ptr(self) -> *mut AtomicU64 {
        self.0.cast_mut()
    }

    /// Words of this process's own, as many as are read of any page.
    pub(crate) const fn of_own<const N: usize>(words: &'static [AtomicU64; N]) -> Self {
        Self(words.as_ptr())
    }

    /// The words of a test's own kernel.
    #[cfg(test)]
    pub(crate) fn of_test(words: &'static [AtomicU64]) -> Self {
        Self(words.as_ptr())
    }

    /// Where it begins.
    pub(crate) fn address(self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The words from index `at` on.
    pub(crate) fn from(self, at: usize) -> Self {
        Self(self.0.wrapping_add(at))
    }
}

impl Words for KernelPage {
    #[inline(always)]
    fn word(self, at: usize) -> u64 {
        // SAFETY: whoever made the value (`at`) vouches for address and alignment; the offset stays within the page, as the
        // layouts do. The kernel changes the word, so it is read as an atomic, relaxed, which read-only memory allows.
        unsafe { (*self.0.add(at)).load(Relaxed) }
    }

    #[inline(always)]
    fn half(self, at: usize) -> u32 {
        if cfg!(miri) {
            // A test's kernel writes whole words, and the interpreter knows no races between accesses of two sizes.
            return (self.word(at / 2) >> (32 * (at % 2))) as u32;
        }
        // SAFETY: as above: four bytes of such a word.
        unsafe { (*self.0.cast::<AtomicU32>().add(at)).load(Relaxed) }
    }
}
