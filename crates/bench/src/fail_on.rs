use chronoscope_harness::record::study::StudyRecord;
use clap::ValueEnum;

/// Which outcome of a comparison makes the program exit with code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Something is slower, beyond the margin
    #[default]
    Regression,
    /// That, or a comparison is inconclusive
    Unresolved,
}

impl FailOn {
    /// Whether a comparison of `record` with earlier runs or another build has that outcome.
    pub(super) fn is_met(self, record: &StudyRecord) -> bool {
        let (compared, against) = (record.compared.as_ref(), record.against.as_ref());
        let is_slower =
            compared.is_some_and(|found| found.has_regression()) || against.is_some_and(|found| found.has_regression());
        let is_open = || {
            compared.is_some_and(|found| found.has_unresolved()) || against.is_some_and(|found| found.has_unresolved())
        };
        is_slower || self == Self::Unresolved && is_open()
    }
}
