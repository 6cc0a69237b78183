//! For systems without any clock known to this crate.

use crate::Unavailable;

const REASON: &str = if cfg!(feature = "std") {
    "the standard library reads no clock on this system"
} else {
    "clocks are read on Linux, macOS and Windows, and elsewhere with this crate's feature std"
};

pub(super) const NO_CLOCK: Unavailable = Unavailable::because(REASON);

/// # Panics
/// Always: there is no time to return.
pub(super) fn monotonic_ns() -> u64 {
    panic!("this system has no clock that can be read here: {NO_CLOCK}")
}

pub(super) fn try_monotonic_ns() -> Result<u64, Unavailable> {
    Err(NO_CLOCK)
}

pub(super) fn try_realtime_ns() -> Result<u64, Unavailable> {
    Err(NO_CLOCK)
}

#[cfg(feature = "std")]
pub(crate) fn zero_of_std() -> Option<std::time::Instant> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_may_fail_does_and_says_why() {
        assert_eq!(try_monotonic_ns(), Err(NO_CLOCK));
        assert_eq!(try_realtime_ns(), Err(NO_CLOCK));
        #[cfg(feature = "std")]
        assert_eq!(zero_of_std(), None);
    }

    #[test]
    #[should_panic(expected = "this system has no clock that can be read here")]
    fn a_read_that_cannot_fail_panics() {
        monotonic_ns();
    }
}
