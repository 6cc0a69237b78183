//! A read of `Clock::now` between two reads of `CLOCK_MONOTONIC`.

use chronoscope_clock::Clock;

use crate::monotonic::monotonic_ns;

/// A clock's reading and the two of the reference around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    pub before_ns: u64,
    pub clock_ns: u64,
    pub after_ns: u64,
}

impl Bracket {
    #[inline(always)]
    pub fn around(clock_ns: impl FnOnce() -> u64) -> Self {
        let before_ns = monotonic_ns();
        let clock_ns = clock_ns();
        Self { before_ns, clock_ns, after_ns: monotonic_ns() }
    }

    /// Around a read of ours.
    #[inline(always)]
    pub fn of_ours() -> Self {
        Self::around(|| Clock::or_system().now().as_nanos())
    }

    pub fn width_ns(self) -> u64 {
        self.after_ns.saturating_sub(self.before_ns)
    }

    /// How far the reading lies before the first or after the second of the reference; 0 if it lies between them.
    pub fn outside_ns(self) -> u64 {
        self.before_ns.saturating_sub(self.clock_ns).max(self.clock_ns.saturating_sub(self.after_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_belong_to_the_bracket() {
        let outside_ns = |clock_ns| Bracket { before_ns: 100, clock_ns, after_ns: 141 }.outside_ns();
        assert_eq!([99, 100, 141, 143].map(outside_ns), [1, 0, 0, 2]);
        assert_eq!(Bracket { before_ns: 100, clock_ns: 0, after_ns: 141 }.width_ns(), 41);
    }
}
