use core::marker::PhantomData;

use super::request::GuardRequest;
use super::{NotRestored, by_thread};
use crate::Unavailable;

/// A request of the calling thread that holds until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    id: u64,
    /// It can be given up on the thread that made it alone.
    on_this_thread: PhantomData<*const ()>,
}

impl Held {
    pub(super) fn hold(request: GuardRequest) -> Result<Self, Unavailable> {
        Ok(Self { id: by_thread::add(request)?, on_this_thread: PhantomData })
    }

    pub(super) fn restore(self) -> Result<(), NotRestored> {
        let id = self.id;
        core::mem::forget(self);
        by_thread::remove(id)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = by_thread::remove(self.id);
    }
}
