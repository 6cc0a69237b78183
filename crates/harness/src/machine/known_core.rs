/// What is known of the core that the loops run on, before they run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KnownCore {
    /// Whether software stands in for the CPU, so that no loop says anything about a core.
    pub is_emulated: bool,
    /// Turns of the empty loop per link of the chain that it does alone, where its cycle counts are known.
    pub turns_per_link: Option<f64>,
}
