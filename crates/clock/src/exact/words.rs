/// Memory that the kernel or the hypervisor writes while this process reads it, as 64-bit little-endian words.
///
/// # Ordering
/// Each word is loaded whole and relaxed; readers put fences between. An acquire load would be wrong: read-only memory
/// allows relaxed loads alone (`core::sync::atomic`, "Atomic accesses to read-only memory").
pub(crate) trait Words: Copy {
    /// The word at index `at`.
    fn word(self, at: usize) -> u64;

    /// Half a word, at an index counted in halves: the lower of each word first.
    fn half(self, at: usize) -> u32;
}

#[cfg(test)]
impl<const N: usize> Words for &[crate::sync::AtomicU64; N] {
    #[inline(always)]
    fn word(self, at: usize) -> u64 {
        self[at].load(crate::sync::Ordering::Relaxed)
    }

    fn half(self, at: usize) -> u32 {
        (self.word(at / 2) >> (32 * (at % 2))) as u32
    }
}
