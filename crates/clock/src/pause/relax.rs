use crate::arch;
use crate::os::{CounterAccess, counter_access};

/// One turn of a loop that waits; see [`arch::relax`].
#[inline(always)]
pub(crate) fn relax() {
    arch::relax(|| counter_access() == CounterAccess::Allowed);
}
