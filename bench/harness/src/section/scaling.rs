//! Every clock over threads and work, as `scaling` measures them in its default time: for how many it reports the work per read above
//! which they scale.

use std::path::Path;

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use serde::Serialize;
use serde_json::Value;

use crate::claim::Count;
use crate::product::{all, document};
use crate::size::Size;

/// Where the front of one clock was found, in one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Seen {
    clock: String,
    /// The most work at which threads are known to slow each other down, and the least from which they do not, in nanoseconds. With
    /// `beyond`, they do with the most work tried.
    raised_ns: Option<f64>,
    flat_ns: Option<f64>,
    beyond: bool,
}

/// What the runs said.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Scaling {
    runs: Vec<Vec<Seen>>,
    took_s: Vec<f64>,
}

pub(crate) fn measure(program: &Path, size: &Size) -> Result<Scaling, Failure> {
    let mut found = Scaling::default();
    for run in 0..size.scaling {
        eprintln!("bench-harness: scaling, run {} of {}", run + 1, size.scaling);
        let arguments: &[&str] = if size.is_quick { &["scaling", "--quick", "--no-runtimes"] } else { &["scaling"] };
        let record = document(program, arguments)?;
        found.runs.push(all(&record["content"]["scaling"]).filter_map(seen).collect());
        found.took_s.extend(record["elapsed_ms"].as_f64().map(|ms| ms / 1e3));
    }
    Ok(found)
}

/// None for a clock that only one thread at a time can read.
fn seen(conclusion: &Value) -> Option<Seen> {
    if conclusion["threads"].as_u64()? < 2 {
        return None;
    }
    let front = &conclusion["front"];
    let [ns, raised_ns, flat_ns] = ["ns", "raised_ns", "flat_ns"].map(|name| front[name].as_f64());
    let (raised_ns, flat_ns, beyond) = match front["scales"].as_str()? {
        "everywhere" => (None, ns, false),
        "from" => (raised_ns, ns, false),
        "beyond" => (ns, None, true),
        _ => (raised_ns, flat_ns, false),
    };
    Some(Seen { clock: conclusion["clock"].as_str()?.to_owned(), raised_ns, flat_ns, beyond })
}

impl Seen {
    /// Whether it is known from where the clock scales, or that it does not with any work tried.
    fn is_answered(&self) -> bool {
        self.flat_ns.is_some() || self.beyond
    }
}

impl Scaling {
    /// Clocks with an answer, over all runs. A clock that is missing in a run has none there.
    pub(crate) fn answered(&self) -> Count {
        let answered = self.runs.iter().flatten().filter(|seen| seen.is_answered()).count();
        Count { of: answered, all: self.clocks().len() * self.runs.len() }
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Every clock that some run measured.
    fn clocks(&self) -> Vec<&str> {
        let mut clocks: Vec<&str> = Vec::new();
        for seen in self.runs.iter().flatten() {
            if !clocks.contains(&seen.clock.as_str()) {
                clocks.push(&seen.clock);
            }
        }
        clocks
    }

    pub(crate) fn show(&self) -> String {
        let clocks = self.clocks();
        let rows = clocks.iter().map(|clock| {
            let of_clock = || self.runs.iter().flatten().filter(|seen| seen.clock == *clock);
            let spread = |end: fn(&Seen) -> Option<f64>| {
                table::or_dash(Spread::of(of_clock().filter_map(end)).map(|ns| ns.show_extremes(1)))
            };
            let of = of_clock().filter(|seen| seen.is_answered()).count();
            let answered = Count { of, all: self.runs.len() }.show();
            vec![(*clock).to_owned(), answered, spread(|seen| seen.raised_ns), spread(|seen| seen.flat_ns)]
        });
        let headings = [
            "clock",
            "answered",
            "slowed by threads up to, ns of work (extremes)",
            "scales from, ns of work (extremes)",
        ];
        let took = table::or_dash(Spread::of(self.took_s.iter().copied()).map(|took_s| took_s.show_extremes(1)));
        format!(
            "{}\n\nA run took {took} s. Answered: the run names an amount of work between reads from which the clock scales, be it\n\
             inconclusive below, or says that it does not scale with the most tried.",
            table::numbers(&headings, rows)
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(front: Value) -> Seen {
        seen(&json!({ "clock": "x", "threads": 2, "front": front })).unwrap()
    }

    #[test]
    fn an_answer_says_from_where_a_clock_scales() {
        assert!(of(json!({ "scales": "everywhere", "tokens": 0, "ns": 0.0 })).is_answered());
        let from = of(json!({ "scales": "from", "tokens": 9, "ns": 9.0, "raised_tokens": 4, "raised_ns": 4.0 }));
        assert!(from.is_answered());
        assert_eq!((from.raised_ns, from.flat_ns), (Some(4.0), Some(9.0)));
        assert!(of(json!({ "scales": "beyond", "tokens": 9, "ns": 9.0 })).is_answered());
        assert!(of(json!({ "scales": "unresolved", "flat_tokens": 9, "flat_ns": 9.0 })).is_answered());
        let open = json!({ "scales": "unresolved", "raised_tokens": 4, "raised_ns": 4.0, "flat_ns": null });
        assert!(!of(open).is_answered());
    }

    #[test]
    fn a_clock_that_is_missing_in_a_run_has_no_answer_there() {
        let answered = |clock: &str| Seen { clock: clock.into(), raised_ns: None, flat_ns: Some(1.0), beyond: false };
        let found = Scaling { runs: vec![vec![answered("a"), answered("b")], vec![answered("a")]], took_s: vec![] };
        assert_eq!(found.answered(), Count { of: 3, all: 4 });
    }

    #[test]
    fn a_clock_of_one_thread_cannot_scale() {
        assert_eq!(seen(&json!({ "clock": "x", "threads": 1, "front": { "scales": "unresolved" } })), None);
    }
}
