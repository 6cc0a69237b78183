use std::time::Duration;

use clap::ValueEnum;

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Size {
    /// What a self-test needs.
    Tiny,
    /// What fits into minutes.
    Quick,
    /// The numbers of the claims.
    Full,
}

impl Size {
    fn pick(self, tiny: u64, quick: u64, full: u64) -> u64 {
        match self {
            Self::Tiny => tiny,
            Self::Quick => quick,
            Self::Full => full,
        }
    }

    /// Plain readings of either kind.
    pub fn readings(self) -> u64 {
        self.pick(20_000, 1_000_000, 10_000_000)
    }

    /// The same where each reading is a system call that leaves the machine.
    pub fn slow_readings(self) -> u64 {
        self.pick(5_000, 200_000, 2_000_000)
    }

    /// Readings of either kind per row of slews.
    pub fn slewed(self) -> u64 {
        self.pick(200_000, 5_000_000, 10_000_000)
    }

    /// Stops of 1 to 20 ms, all processes together.
    pub fn short_stops(self) -> u64 {
        self.pick(30, 600, 10_000)
    }

    /// Stops of a second, all processes together.
    pub fn long_stops(self) -> u64 {
        self.pick(3, 3, 21)
    }

    /// Intervals while hogs run, of either kind.
    pub fn hogged(self) -> u64 {
        self.pick(100_000, 1_000_000, 10_000_000)
    }

    /// How long the clocksource is switched back and forth.
    pub fn switching(self) -> Duration {
        Duration::from_secs(self.pick(2, 10, 120))
    }

    /// Children forked.
    pub fn forks(self) -> u64 {
        self.pick(50, 500, 10_000)
    }

    /// Signals that must have come.
    pub fn signals(self) -> u64 {
        self.pick(1_000, 30_000, 500_000)
    }

    /// Readings in each child of a new time namespace, of either kind.
    pub fn timens(self) -> u64 {
        self.pick(2_000, 50_000, 500_000)
    }
}
