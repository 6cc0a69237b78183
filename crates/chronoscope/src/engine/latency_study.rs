//! The study of what a read of each clock costs.

use chronoscope_clock::TickSource;
use chronoscope_harness::Study;
use chronoscope_sources::{Serialised, SourceId, SourceVisitor};

use crate::clock_id::ClockId;
use crate::engine::read_case::{self, Read};
use crate::plan::clocks;

/// The study's name, by which its worker processes recognise themselves.
const NAME: &str = "latency of a read";
/// Iterations of each clock per process: many short ones, so that a slow spell of the machine spoils few.
const ROUNDS: u32 = 10;
/// The case without a clock: a turn of the loop.
pub const NOTHING: &str = "nothing";

/// In a worker process of the study: serves, then exits the process. Otherwise returns at once.
pub fn serve_if_worker() {
    if Study::requested().is_some_and(|name| name == NAME) {
        study(&clocks()).serve_if_worker();
    }
}

/// The empty loop, a read of each of `clocks`, and a read of each counter followed by a fence.
pub fn study(clocks: &[ClockId]) -> Study {
    let empty = Study::new(NAME).rounds(ROUNDS).case(NOTHING, |bencher| bencher.iter(|| ()));
    let reads = clocks.iter().fold(empty, |study, clock| added(study, clock, false));
    let counters = clocks.iter().filter(|clock| clock.known().is_some_and(is_cheap_counter));
    counters.fold(reads, |study, clock| added(study, clock, true))
}

/// The case that reads `id`, followed by a fence if it is `serialised`.
pub fn case_of(id: &ClockId, serialised: bool) -> String {
    if serialised { format!("{id}, then a fence") } else { id.to_string() }
}

fn is_cheap_counter(id: SourceId) -> bool {
    id.is_counter() && !id.facts().traps_under_hypervisor
}

/// The study with that case; without it if the clock is not available here.
fn added(study: Study, clock: &ClockId, serialised: bool) -> Study {
    let name = case_of(clock, serialised);
    match serialised {
        true => clock.visit(Fenced { study: study.clone(), name }).unwrap_or(study),
        false => read_case::added(study, name, clock, Read::InARow),
    }
}

/// Adds the case of a read followed by a fence.
struct Fenced {
    study: Study,
    name: String,
}

impl SourceVisitor for Fenced {
    type Output = Study;

    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Study {
        match Serialised::new(source) {
            Ok(source) => self.study.case(self.name, move |bencher| Read::InARow.iterate(bencher, &source)),
            Err(_) => self.study,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_readable_clock_has_a_case_and_counters_have_two() {
        let clocks: Vec<ClockId> = SourceId::all().filter(|id| id.availability().is_ok()).map(ClockId::Known).collect();
        let cells = study(&clocks).cells();
        let counters = clocks.iter().filter(|clock| clock.known().is_some_and(is_cheap_counter));
        assert_eq!(cells.len(), 1 + clocks.len() + counters.count());
        assert!(clocks.iter().all(|clock| cells.iter().any(|cell| cell.starts_with(&case_of(clock, false)))));
    }
}
