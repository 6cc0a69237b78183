use std::str::FromStr;

use chronoscope_bench::percentage_to;

use crate::answers::compare::report::{Comparison, FigureCompared, FigureVerdict};

/// What the options accept.
const ACCEPTED: &str = "choose regression, regression=PERCENT or unresolved";

/// Which outcome of a comparison makes the program exit with code 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FailOn {
    /// A figure is worse by more than the noise, and by at least so many percent.
    Regression { least_pct: f64 },
    /// The comparison of a figure is inconclusive.
    Unresolved,
}

impl FailOn {
    /// Whether a comparison has that outcome.
    pub fn is_met(self, comparison: &Comparison) -> bool {
        comparison.runs.iter().flat_map(|run| &run.figures).any(|figure| self.concerns(figure))
    }

    fn concerns(self, figure: &FigureCompared) -> bool {
        match self {
            Self::Regression { least_pct } => {
                let worse_pct = figure.worse_by_pct().unwrap_or(0.0);
                figure.verdict == FigureVerdict::Regression && worse_pct >= least_pct
            }
            Self::Unresolved => figure.verdict == FigureVerdict::Unresolved,
        }
    }
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "regression" => Ok(Self::Regression { least_pct: 0.0 }),
            None if text == "unresolved" => Ok(Self::Unresolved),
            Some(("regression", percent)) => {
                // Something may be worse by any factor.
                let accepted = "more than 0 to 1000000";
                percentage_to(percent, 1e6, accepted).map(|least_pct| Self::Regression { least_pct })
            }
            _ => Err(ACCEPTED.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read() {
        assert_eq!("regression".parse(), Ok(FailOn::Regression { least_pct: 0.0 }));
        assert_eq!("regression=2.5%".parse(), Ok(FailOn::Regression { least_pct: 2.5 }));
        assert_eq!("regression=150".parse(), Ok(FailOn::Regression { least_pct: 150.0 }));
        assert!("regression=1e300".parse::<FailOn>().is_err_and(|why| why.contains("1000000")));
        assert_eq!("unresolved".parse(), Ok(FailOn::Unresolved));
        for wrong in ["", "regressions", "unresolved=3", "improvement"] {
            assert_eq!(wrong.parse::<FailOn>(), Err(ACCEPTED.to_owned()), "{wrong}");
        }
        assert!("regression=-5".parse::<FailOn>().is_err_and(|why| why.contains("negative")));
        assert!("regression=".parse::<FailOn>().is_err_and(|why| why.contains("percentage")));
    }
}
