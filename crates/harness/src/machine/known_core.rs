/// What is known in advance about the core that the loops run on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KnownCore {
    /// Whether the CPU is emulated: loops then reveal nothing about a core.
    pub is_emulated: bool,
    /// Turns of the empty loop that a core completes per link of the chain, both alone; only where published cycle
    /// counts exist.
    pub turns_per_link: Option<f64>,
}
