//! How much a scenario does: the amounts of a tiny, a quick and a full run.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Size {
    Tiny,
    Quick,
    Full,
}

impl Size {
    pub fn of(self, amounts: [u64; 3]) -> u64 {
        amounts[self as usize]
    }
}
