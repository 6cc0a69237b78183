//! Operations of known time: whether intervals hold it.

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use serde::Serialize;

use crate::claim::{Claims, Count, decimals};
use crate::collect::Collected;
use crate::ruler;
use crate::size::Size;
use crate::studies;

/// A truth that is so wrong must not be held: how often it is says how sharp the judge is.
const OFF: f64 = 0.02;

/// What was claimed of each operation, in each run.
#[derive(Debug, Serialize)]
pub(crate) struct Accuracy {
    pub(crate) operations: Vec<Claims>,
    /// What a link of a chain took, in each run.
    link_ns: Vec<f64>,
    /// The ruler's error, as a share of that, in each run.
    ruler_error: Vec<f64>,
    /// What interruptions took of the ruler's time, as a share, in each run.
    interrupted: Vec<f64>,
    /// Time that a run took, in milliseconds.
    elapsed_ms: Vec<f64>,
}

pub(crate) fn measure(size: &Size) -> Result<Accuracy, Failure> {
    let study = studies::accuracy();
    let mut collected = Collected::default();
    let (mut link_ns, mut ruler_error) = (Vec::new(), Vec::new());
    let (mut interrupted, mut elapsed_ms) = (Vec::new(), Vec::new());
    for run in 0..size.accuracy.runs {
        eprintln!("bench-harness: accuracy, run {} of {}", run + 1, size.accuracy.runs);
        let (record, ruler) = ruler::within(|| studies::run(&study, &size.accuracy))?;
        collected.add(studies::claims(&record, ruler));
        link_ns.push(ruler.link_ns);
        ruler_error.push(ruler.error);
        interrupted.push(ruler.interrupted);
        elapsed_ms.push(record.elapsed_ms as f64);
    }
    Ok(Accuracy { operations: collected.into_claims(), link_ns, ruler_error, interrupted, elapsed_ms })
}

impl Accuracy {
    /// The operation whose intervals held the truth least often, and how often.
    pub(crate) fn least_covered(&self) -> Option<(&str, Count)> {
        let counts = self.operations.iter().map(|claims| (claims.operation.as_str(), claims.hold_truth()));
        counts.min_by_key(|(_, count)| count.of)
    }

    /// The largest median error of an operation longer than `ns`, in percent, and of which.
    pub(crate) fn largest_error_pct_above(&self, ns: f64) -> Option<(&str, f64)> {
        let long = self.operations.iter().filter(|claims| claims.truth_ns().is_some_and(|truth| truth.median > ns));
        let errors = long.filter_map(|claims| Some((claims.operation.as_str(), claims.absolute_error_pct()?.median)));
        errors.max_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.operations.iter().map(|claims| {
            vec![
                claims.operation.clone(),
                table::or_dash(claims.truth_ns().map(|ns| format!("{:.*}", decimals(ns.median), ns.median))),
                claims.show(),
                table::or_dash(claims.error_pct().map(|pct| pct.show_extremes(3))),
                table::or_dash(claims.absolute_error_pct().map(|pct| format!("{:.3}", pct.median))),
                table::or_dash(claims.half_width_pct().map(|pct| pct.show_extremes(3))),
                claims.hold_truth().show(),
                claims.hold_truth_off_by(OFF).show(),
            ]
        });
        let headings = [
            "operation",
            "truth ns",
            "claimed ns (extremes)",
            "error % (extremes)",
            "median absolute error, %",
            "± % (extremes)",
            "interval holds truth",
            "holds one 2 % off",
        ];
        let median =
            |values: &[f64], places| table::or_dash(Spread::of(values.iter().copied()).map(|of| of.show(places)));
        let percent = |shares: &[f64]| median(&shares.iter().map(|share| 100.0 * share).collect::<Vec<_>>(), 2);
        format!(
            "{}\n\n{} runs of {} s (quartiles). A link took {} ns ± {} % (quartiles), by a chain of {} that a loop of the\n\
             benchmark's own timed in the study's processes, before each visit, by the clock of the standard library: the\n\
             mean, with the interruptions of that loop, which took {} % of its time (quartiles). An interval holds the\n\
             truth if the two are no farther apart than both leave open together, the root of the sum of their squares.\n\
             The last column has how often it would hold a truth that is 2 % longer, or shorter, whichever is more.\n\
             Intervals are of 99.9 %.",
            table::numbers(&headings, rows),
            self.link_ns.len(),
            median(&self.elapsed_ms.iter().map(|ms| ms / 1e3).collect::<Vec<_>>(), 1),
            median(&self.link_ns, 4),
            percent(&self.ruler_error),
            bench_harness::operation::RULER_LINKS,
            percent(&self.interrupted),
        )
    }
}
