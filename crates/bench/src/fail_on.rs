use chronoscope_harness::record::study::{Against, StudyRecord};
use clap::ValueEnum;

/// Which outcome of a comparison makes the program exit with code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Something is slower, beyond the margin and what the run's comparisons of operations with themselves resolve
    #[default]
    Regression,
    /// That, or a comparison is inconclusive
    Unresolved,
}

impl FailOn {
    /// Whether the comparison of `record` with another build has that outcome.
    pub(super) fn is_met(self, record: &StudyRecord) -> bool {
        record
            .content
            .against
            .as_ref()
            .is_some_and(|against| against.has_regression() || self == Self::Unresolved && against.has_unresolved())
    }
}

/// Whether whatever was to be compared was, in part at least.
pub(super) fn has_compared(record: &StudyRecord) -> bool {
    let has_compared =
        |against: &Against| against.failures.is_empty() && against.cells.iter().any(|cell| cell.ratio.is_some());
    record.content.against.as_ref().is_none_or(has_compared)
}

#[cfg(test)]
mod tests {
    use chronoscope_harness::record::study::{AgainstCell, Difference, Estimate, Leading, Parameters};
    use chronoscope_render::study::parse;

    use super::*;

    const MARGIN_PCT: f64 = 1.0;

    fn run() -> StudyRecord {
        parse(include_str!("../../render/tests/fixtures/study.json")).unwrap()
    }

    fn around(estimate: f64) -> Option<Estimate> {
        Some(Estimate { estimate, low: estimate - 0.001, high: estimate + 0.001, confidence: 0.9995 })
    }

    /// A run with one cell that was compared with another build.
    fn compared(verdict: Difference, ratio: f64) -> StudyRecord {
        let mut record = run();
        let cell = AgainstCell {
            case: "a".to_owned(),
            role: None,
            parameters: Parameters::new(),
            backoff_tokens: 0,
            threads: 1,
            leads: Leading::Typical,
            this_ns: None,
            this_below_ns: None,
            other_ns: None,
            other_below_ns: None,
            difference_ns: None,
            ratio: around(ratio),
            verdict,
            has_states: false,
            pairs: 0,
        };
        record.content.against = Some(Against {
            other: "before".to_owned(),
            margin_pct: MARGIN_PCT,
            floor_pct: None,
            confidence: 0.999,
            conclusion: None,
            cells: vec![cell],
            only_this: Vec::new(),
            only_other: Vec::new(),
            warnings: Vec::new(),
            failures: Vec::new(),
            processes: Vec::new(),
        });
        record
    }

    #[test]
    fn what_is_slower_beyond_the_margin_fails() {
        for on in [FailOn::Regression, FailOn::Unresolved] {
            assert!(on.is_met(&compared(Difference::Slower, 1.2)), "{on:?}");
            assert!(!on.is_met(&compared(Difference::Slower, 1.005)), "{on:?}: within the margin");
            assert!(!on.is_met(&compared(Difference::Same, 1.0)), "{on:?}");
            assert!(!on.is_met(&compared(Difference::Faster, 0.8)), "{on:?}");
        }
        let open = compared(Difference::Unresolved, 1.2);
        assert!(FailOn::Unresolved.is_met(&open) && !FailOn::Regression.is_met(&open));
        assert!(!FailOn::Unresolved.is_met(&run()), "nothing was compared");
    }

    #[test]
    fn what_the_run_cannot_resolve_does_not_fail() {
        let with_floor = |ratio: f64| {
            let mut record = compared(Difference::Slower, ratio);
            record.content.against.as_mut().expect("it was compared").floor_pct = Some(3.2);
            record
        };
        assert!(!FailOn::Regression.is_met(&with_floor(1.02)) && FailOn::Regression.is_met(&with_floor(1.04)));
    }

    #[test]
    fn a_gate_that_compared_nothing_is_open() {
        assert!(has_compared(&run()), "nothing was to be compared");
        let mut record = compared(Difference::Same, 1.0);
        assert!(has_compared(&record));
        record.content.against.as_mut().expect("it was compared").cells.clear();
        assert!(!has_compared(&record));
    }
}
