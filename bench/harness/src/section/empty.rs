//! A benchmark with nothing in it.

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use serde::Serialize;

use crate::claim::Count;
use crate::size::Size;
use crate::studies;

/// What was said of it, run by run.
#[derive(Debug, Serialize)]
pub(crate) struct Empty {
    runs: Vec<Said>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Said {
    below_ns: Option<f64>,
    ns: Option<f64>,
    /// The control: a loop with nothing in it, which every study measures.
    empty_loop_ns: Option<f64>,
}

pub(crate) fn measure(size: &Size) -> Result<Empty, Failure> {
    let study = studies::empty();
    let mut runs = Vec::new();
    for run in 0..size.empty.runs {
        eprintln!("bench-harness: empty, run {} of {}", run + 1, size.empty.runs);
        let record = studies::run(&study, &size.empty)?;
        let cell = record.cells.first().ok_or_else(|| Failure::because("the empty benchmark was not measured"))?;
        runs.push(Said {
            below_ns: cell.below_ns,
            ns: cell.time_ns.map(|time| time.estimate),
            empty_loop_ns: record.empty_loop_ns.map(|time| time.estimate),
        });
    }
    Ok(Empty { runs })
}

impl Empty {
    /// Runs that said "< X" and no more.
    pub(crate) fn below(&self) -> Count {
        Count::of(self.runs.iter().map(|said| said.ns.is_none() && said.below_ns.is_some_and(|ns| ns > 0.0)))
    }

    pub(crate) fn show(&self) -> String {
        let spread = |of: &dyn Fn(&Said) -> Option<f64>| {
            table::or_dash(Spread::of(self.runs.iter().filter_map(of)).map(|ns| ns.show_extremes(3)))
        };
        let row = vec![
            self.below().show(),
            spread(&|said| said.below_ns),
            spread(&|said| said.ns),
            spread(&|said| said.empty_loop_ns),
        ];
        let headings = ["said \"< X\"", "X, ns (extremes)", "said a number, ns", "the harness's own empty loop, ns"];
        format!("{}\n\nResults of peers are under `peers`.", table::text(&headings, [row]))
    }
}
