use core::ffi::CStr;

/// A file that is closed when dropped.
pub(super) struct File(pub(super) libc::c_int);

impl File {
    pub(super) fn open(path: &CStr) -> Option<Self> {
        // SAFETY: `path` ends with a NUL.
        let descriptor = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        (descriptor >= 0).then(|| Self(descriptor)) // made no sooner: it would be closed
    }

    pub(super) fn read(&self, buffer: &mut [u8]) -> Option<usize> {
        // SAFETY: the buffer is valid for its length.
        let read = unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(read).ok()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this value's own.
        unsafe { libc::close(self.0) };
    }
}
