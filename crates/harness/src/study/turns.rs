//! Programs that take turns: the processes of one, or of several builds of it.

use super::observer::StudyObserver;
use super::study_run::{StudyRun, Turn};
use crate::worker::Launch;

/// A program of a run.
pub(super) struct Program<'a> {
    pub(super) run: &'a mut StudyRun,
    pub(super) workers: &'a dyn Launch,
}

impl StudyRun {
    /// Runs all processes of the plan, or as many as its time allows.
    pub fn run_all(&mut self, workers: &dyn Launch, observer: &mut dyn StudyObserver) {
        take_turns(&mut [Program { run: self, workers }], observer);
    }
}

/// Runs all processes of the first program's plan, or as many as its time allows, and as many of the others.
///
/// The program that begins alternates, so that a machine that gets slower or faster favours none.
pub(super) fn take_turns(programs: &mut [Program<'_>], observer: &mut dyn StudyObserver) {
    let Some(first) = programs.first() else { return };
    let (forks, budget_ms) = (first.run.plan().forks, first.run.plan().budget_ms);
    let count = programs.len() as u32;
    let all = count * forks;
    for fork in 0..forks {
        if observer.cancelled() || !are_worth_another(programs, fork, budget_ms) {
            return;
        }
        for place in 0..count {
            let done = count * fork + place;
            let Program { run, workers } = &mut programs[((fork + place) % count) as usize];
            // If a case kills a process before anything was measured, restart the process without that case.
            while !observer.cancelled() && run.has_work() {
                let left_ms = budget_ms.saturating_sub(run.took_ms());
                let turn = Turn {
                    fork,
                    // An equal share of the time that is left, for this process and those after it.
                    budget_ms: (left_ms / u64::from(all - done)).max(1),
                    share: (f64::from(done) / f64::from(all), 1.0 / f64::from(all)),
                };
                if run.run_one(*workers, &turn, observer) {
                    break;
                }
            }
        }
    }
}

/// Whether another process of each program has something to measure, after `done` of each: what none has measured yet, or all of
/// it if there is time for at least half of what they take.
fn are_worth_another(programs: &[Program<'_>], done: u32, budget_ms: u64) -> bool {
    let took_ms = programs.first().map_or(0, |program| program.run.took_ms());
    let of_one_ms = took_ms / u64::from(done.max(1));
    let is_in_time = done == 0 || took_ms + of_one_ms / 2 <= budget_ms;
    programs.iter().any(|program| if is_in_time { program.run.has_work() } else { program.run.has_unmeasured() })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::record::TscAccess;
    use crate::study::options::StudyOptions;
    use crate::study::protocol::Request;
    use crate::study::study::Study;
    use crate::worker::{Hear, Terms, WorkerFailure};

    /// A build whose processes say nothing, but when they were started.
    struct Build<'a> {
        name: char,
        started: &'a RefCell<Vec<(char, u32)>>,
    }

    impl Launch for Build<'_> {
        fn converse(&self, request: &str, _: &mut dyn Hear, _: Terms<'_>) -> Result<(), WorkerFailure> {
            let request: Request = serde_json::from_str(request).unwrap();
            self.started.borrow_mut().push((self.name, request.fork));
            Ok(())
        }
    }

    #[test]
    fn processes_of_two_builds_take_turns_and_begin_in_turn() {
        let study = Study::new("made up").case("a", |b| b.iter(|| ()));
        let options = StudyOptions { forks: Some(4), ..StudyOptions::default() };
        let begun = || StudyRun::new(&study, study.plan(&options, &[0]).unwrap(), TscAccess::Allowed);
        let (mut a, mut b) = (begun(), begun());
        let started = RefCell::new(Vec::new());
        let [of_a, of_b] = ['A', 'B'].map(|name| Build { name, started: &started });
        take_turns(&mut [Program { run: &mut a, workers: &of_a }, Program { run: &mut b, workers: &of_b }], &mut ());
        let expected = [('A', 0), ('B', 0), ('B', 1), ('A', 1), ('A', 2), ('B', 2), ('B', 3), ('A', 3)];
        assert_eq!(started.into_inner(), expected);
    }
}
