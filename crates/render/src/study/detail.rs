/// How much of a study is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// A line for each operation, some backoffs of a long sweep, its first charts, and warnings.
    #[default]
    Usual,
    /// Everything.
    Full,
}
