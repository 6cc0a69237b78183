/// How much of a study is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Some backoffs of a long sweep, and its first charts.
    #[default]
    Usual,
    /// Everything.
    Full,
}
