/// How disturbed an iteration was, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::study) enum Disturbed {
    /// Not at all, as far as can be seen.
    No,
    /// An SMT sibling used part of the core: dependent chains are hardly affected.
    Shared,
    /// The core ran slow, or a thread was preempted.
    Yes,
}
