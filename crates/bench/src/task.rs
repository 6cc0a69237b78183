/// What a program of studies is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// To list every combination, for people.
    List,
    /// To list every case as libtest does.
    ListTerse,
    /// To run every case once.
    Test,
    Measure,
}
