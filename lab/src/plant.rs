use clap::ValueEnum;

/// A fault put in on purpose: a check that cannot fail proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// One reading in a thousand is 1 µs ahead.
    Ahead,
    /// One reading in a thousand is 1 ms behind.
    Behind,
    /// The first row is not printed.
    Silent,
    /// The guest ends in the middle.
    Crash,
}

impl Plant {
    /// The `count`th reading with this plant in it.
    #[inline(always)]
    pub fn apply(self, count: u64, reading_ns: u64) -> u64 {
        match self {
            Self::Ahead if count % 1_000 == 999 => reading_ns + 1_000,
            Self::Behind if count % 1_000 == 999 => reading_ns - 1_000_000,
            _ => reading_ns,
        }
    }
}
