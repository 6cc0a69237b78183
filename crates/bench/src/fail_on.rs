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

#[cfg(test)]
mod tests {
    use chronoscope_harness::compare_studies;
    use chronoscope_harness::record::study::{Against, AgainstCell, Difference, Estimate, Parameters};
    use chronoscope_render::study::parse;

    use super::*;

    const MARGIN_PCT: f64 = 1.0;

    fn run() -> StudyRecord {
        parse(include_str!("../../render/tests/fixtures/study.json")).unwrap()
    }

    fn around(estimate: f64) -> Option<Estimate> {
        Some(Estimate { estimate, low: estimate - 0.001, high: estimate + 0.001, confidence: 0.9995 })
    }

    /// A run with one cell that was compared with an earlier run.
    fn with_earlier(verdict: Difference, ratio: f64) -> StudyRecord {
        let mut record = run();
        let mut found = compare_studies(&[("main.json".to_owned(), record.clone())], &record);
        found.margin_pct = MARGIN_PCT;
        found.cells.truncate(1);
        (found.cells[0].verdict, found.cells[0].ratio) = (verdict, around(ratio));
        record.compared = Some(found);
        record
    }

    /// A run with one cell that was compared with another build.
    fn with_build(verdict: Difference, ratio: f64) -> StudyRecord {
        let mut record = run();
        let cell = AgainstCell {
            case: "a".to_owned(),
            role: None,
            parameters: Parameters::new(),
            backoff_tokens: 0,
            threads: 1,
            this_ns: None,
            this_below_ns: None,
            other_ns: None,
            other_below_ns: None,
            difference_ns: None,
            ratio: around(ratio),
            verdict,
            pairs: Vec::new(),
        };
        record.against = Some(Against {
            other: "before".to_owned(),
            margin_pct: MARGIN_PCT,
            confidence: 0.999,
            conclusion: None,
            cells: vec![cell],
            only_this: Vec::new(),
            only_other: Vec::new(),
            warnings: Vec::new(),
            failures: Vec::new(),
            forks: Vec::new(),
        });
        record
    }

    #[test]
    fn what_is_slower_beyond_the_margin_fails() {
        for compared in [with_earlier, with_build] {
            for on in [FailOn::Regression, FailOn::Unresolved] {
                assert!(on.is_met(&compared(Difference::Slower, 1.2)), "{on:?}");
                assert!(!on.is_met(&compared(Difference::Slower, 1.005)), "{on:?}: within the margin");
                assert!(!on.is_met(&compared(Difference::Same, 1.0)), "{on:?}");
                assert!(!on.is_met(&compared(Difference::Faster, 0.8)), "{on:?}");
            }
            let open = compared(Difference::Unresolved, 1.2);
            assert!(FailOn::Unresolved.is_met(&open) && !FailOn::Regression.is_met(&open));
        }
        assert!(!FailOn::Unresolved.is_met(&run()), "nothing was compared");
    }
}
