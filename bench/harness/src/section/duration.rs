//! Studies that ask for more than their time allows, or for a little: whether they take as long as they were given.

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::study::Effort;
use bench_common::table;
use serde::Serialize;

use crate::size::{Repeated, Size};
use crate::studies::{self, Timed};

/// Processes of a study, as many as by default.
const PROCESSES: u32 = 24;

/// What each study took, run by run.
#[derive(Debug, Serialize)]
pub(crate) struct Duration {
    studies: Vec<Took>,
}

#[derive(Debug, Serialize)]
struct Took {
    study: &'static str,
    /// The time that it was given, or what its slowest operation takes once, where that is longer.
    given_s: f64,
    took_s: Vec<f64>,
    /// Processes of the run, and processes that measured the case with the fewest of them.
    processes: Vec<f64>,
    fewest: Vec<f64>,
}

pub(crate) fn measure(size: &Size) -> Result<Duration, Failure> {
    let mut found = Duration { studies: Vec::new() };
    for timed in studies::timed().into_iter().filter(|timed| !size.is_quick || timed.is_quick()) {
        let Timed { study, budget, longest_operation, .. } = &timed;
        let given_s = budget.max(longest_operation).as_secs_f64();
        let mut took =
            Took { study: timed.words, given_s, took_s: Vec::new(), processes: Vec::new(), fewest: Vec::new() };
        for run in 0..size.duration {
            eprintln!("bench-harness: duration, {}, run {} of {}", timed.words, run + 1, size.duration);
            let effort = Effort { budget: *budget, processes: PROCESSES };
            let record = studies::run(study, &Repeated { runs: 1, each: effort })?;
            let measured =
                record.cells.iter().map(|cell| cell.forks.iter().filter(|fork| fork.time_ns.is_some()).count());
            took.took_s.push(record.elapsed_ms as f64 / 1e3);
            took.processes.push(record.forks.len() as f64);
            took.fewest.push(measured.min().unwrap_or(0) as f64);
        }
        found.studies.push(took);
    }
    Ok(found)
}

impl Took {
    /// The runs, as multiples of the time given.
    fn ratios(&self) -> impl Iterator<Item = f64> {
        self.took_s.iter().map(|took_s| took_s / self.given_s)
    }
}

impl Duration {
    /// The run farthest from its time, as a multiple of it, and its study.
    pub(crate) fn farthest(&self) -> Option<(&'static str, f64)> {
        let ratios = self.studies.iter().flat_map(|took| took.ratios().map(|ratio| (took.study, ratio)));
        ratios.max_by(|(_, one), (_, other)| (one - 1.0).abs().total_cmp(&(other - 1.0).abs()))
    }

    pub(crate) fn show(&self) -> String {
        let of = |values: &[f64], places| {
            table::or_dash(Spread::of(values.iter().copied()).map(|spread| spread.show_extremes(places)))
        };
        let rows = self.studies.iter().map(|took| {
            vec![
                took.study.to_owned(),
                format!("{:.2}", took.given_s),
                of(&took.took_s, 2),
                of(&took.ratios().collect::<Vec<_>>(), 2),
                of(&took.processes, 0),
                of(&took.fewest, 0),
            ]
        });
        let headings = [
            "study",
            "given, s",
            "took, s (extremes)",
            "took / given",
            "processes (extremes)",
            "of the rarest cell (extremes)",
        ];
        format!(
            "{}\n\nGiven is --duration, or the time of one operation if that is longer.",
            table::numbers(&headings, rows)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_farthest_from_its_time_decides() {
        let took = |study, given_s, took_s: &[f64]| Took {
            study,
            given_s,
            took_s: took_s.to_vec(),
            processes: Vec::new(),
            fewest: Vec::new(),
        };
        let found = Duration { studies: vec![took("a", 2.0, &[2.0, 3.0]), took("b", 10.0, &[11.0])] };
        assert_eq!(found.farthest(), Some(("a", 1.5)));
        let found = Duration { studies: vec![took("a", 2.0, &[0.5, 3.0])] };
        assert_eq!(found.farthest(), Some(("a", 0.25)));
        assert_eq!(Duration { studies: Vec::new() }.farthest(), None);
    }
}
