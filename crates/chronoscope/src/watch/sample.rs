use crate::sections::sync::kernel::Kernel;
use crate::sections::sync::slew::Bracket;
use chronoscope_harness::record::Known;

/// All that one look at the machine saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When it began, by `CLOCK_MONOTONIC`.
    pub monotonic_ns: u64,
    /// The same by `CLOCK_REALTIME`, since 1970.
    pub utc_ns: u64,
    /// When it was due, by `CLOCK_MONOTONIC`, which may be later; None for the first look, and for the last if somebody ended the watch.
    pub due_ns: Option<u64>,
    /// `CLOCK_REALTIME` within a clock that is slewed like it and counts suspend where one does: the two move against each
    /// other only when the wall clock is set.
    pub wall: Known<Bracket>,
    /// `CLOCK_BOOTTIME` within `CLOCK_MONOTONIC`.
    pub boot: Known<Bracket>,
    /// `CLOCK_MONOTONIC` within `CLOCK_MONOTONIC_RAW`.
    pub rate: Known<Bracket>,
    /// The kernel's clocksource.
    pub clocksource: Known<String>,
    /// What `adjtimex` says.
    pub kernel: Known<Kernel>,
    /// None if this look had no time for it.
    pub steal: Option<Known<Steal>>,
    /// None if this look had no time for it.
    pub skew: Option<Known<Skew>>,
}

/// Time that the hypervisor has taken from all CPUs since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steal {
    /// When it was read, by `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    pub stolen_ns: u64,
    /// It counts in steps of this.
    pub step_ns: u64,
    pub cpus: u32,
}

/// How far ahead CPU `b`'s view of `CLOCK_MONOTONIC` is of that of CPU `a`: certainly within these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    pub a: u32,
    pub b: u32,
    pub low_ns: i64,
    pub high_ns: i64,
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A look at a machine that supplies nothing.
    pub fn blank(monotonic_ns: u64) -> Sample {
        let none = || "not in this test".to_owned();
        Sample {
            monotonic_ns,
            utc_ns: 1_700_000_000_000_000_000 + monotonic_ns,
            due_ns: None,
            wall: Known::Unavailable(none()),
            boot: Known::Unavailable(none()),
            rate: Known::Unavailable(none()),
            clocksource: Known::Unavailable(none()),
            kernel: Known::Unavailable(none()),
            steal: None,
            skew: None,
        }
    }

    /// Read times that vary as on a machine: mostly tens of nanoseconds, sometimes an interruption.
    pub struct Jitter(u64);

    impl Jitter {
        pub fn new(seed: u64) -> Self {
            Self(seed)
        }

        /// An integer from 0 to below `n`: a generator by Knuth, MMIX.
        pub fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }

        fn read_ns(&mut self) -> u64 {
            match self.below(1_000) {
                0 => 200_000 + self.below(5_000_000),
                1..20 => 1_000 + self.below(30_000),
                _ => 20 + self.below(60),
            }
        }

        /// One clock within another, where `inner` and `outer` give their values at a moment.
        pub fn bracket(&mut self, at_ns: u64, outer: impl Fn(u64) -> f64, inner: impl Fn(u64) -> f64) -> Bracket {
            let second = at_ns + self.read_ns();
            let third = second + self.read_ns();
            let whole = |value: f64| value.floor() as u64;
            Bracket { before_ns: whole(outer(at_ns)), inner_ns: whole(inner(second)), after_ns: whole(outer(third)) }
        }
    }
}
