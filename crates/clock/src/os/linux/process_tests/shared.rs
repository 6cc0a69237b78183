use core::sync::atomic::AtomicU64;
use std::{assert_ne, ptr};

/// Numbers that a process shares with its children.
pub(super) struct Shared(*const [AtomicU64; Shared::COUNT]);

// SAFETY: it points to atomics that are never unmapped.
unsafe impl Sync for Shared {}

impl Shared {
    pub(super) const COUNT: usize = 8;

    pub(super) fn new() -> Self {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping wherever there is room.
        let at = unsafe { libc::mmap(ptr::null_mut(), size_of::<[AtomicU64; Self::COUNT]>(), access, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        Self(at.cast())
    }

    pub(super) fn number(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the mapping is aligned, zero at first, as long as the array, and stays for the life of the process.
        let numbers = unsafe { &*self.0 };
        &numbers[at]
    }
}
