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

impl Task {
    /// Whether it may be without cases, as a test that a filter leaves out: of several programs that are started with one filter, each
    /// has some other cases. A measuring run that measures nothing is a mistake.
    pub(super) fn may_be_empty(self) -> bool {
        matches!(self, Self::ListTerse | Self::Test)
    }
}
