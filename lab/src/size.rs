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
    pub fn of(self, amounts: [u64; 3]) -> u64 {
        amounts[self as usize]
    }
}
