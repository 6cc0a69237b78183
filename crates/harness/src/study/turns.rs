//! Programs that take turns: the processes of one, or of several builds of it.

use super::affordable;
use super::lot::{TURNS, heads};
use super::observer::StudyObserver;
use super::schedule::CellSpec;
use super::study_run::{StudyRun, Turn};
use crate::worker::Launch;

/// Cells of which a process is told that it leaves them to others.
const MOST_LEFT_OUT: usize = 2_000;

/// What a process needs before it measures, about.
const START_MS: u64 = 25;
/// The share of its time that is planned for: what lies between iterations takes time, too.
const SHARE_OF_ITERATIONS: f64 = 0.9;

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
/// Which begins is drawn by lot, each as often, so that neither a machine that gets slower or faster nor one that is disturbed at regular
/// intervals favours any: under equality every order was as likely, which makes the sign test of the pairs exact.
///
/// # Sources
/// R. A. Fisher, "The Design of Experiments", 1935: randomisation within blocks as the basis of the test.
pub(super) fn take_turns(programs: &mut [Program<'_>], observer: &mut dyn StudyObserver) {
    let Some(first) = programs.first() else { return };
    let (processes, budget_ms, seed) = (first.run.plan().processes, first.run.plan().budget_ms, first.run.plan().seed);
    let count = programs.len() as u32;
    let all = count * processes;
    for process in 0..processes {
        if observer.cancelled() || !are_worth_another(programs, process, budget_ms) {
            return;
        }
        let left_ms = budget_ms.saturating_sub(programs[0].run.took_ms());
        leave_out(programs, process, left_ms / u64::from(all - count * process));
        let first = u32::from(heads(seed, 0, TURNS, process));
        for place in 0..count {
            let done = count * process + place;
            let Program { run, workers } = &mut programs[((first + place) % count) as usize];
            // If a case kills a process before anything was measured, restart the process without that case.
            while !observer.cancelled() && run.has_work() {
                let left_ms = budget_ms.saturating_sub(run.took_ms());
                let turn = Turn {
                    process,
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

/// Has the next process of each program leave out what does not fit `budget_ms`: the same cells of all programs, since processes with
/// one number are compared.
fn leave_out(programs: &mut [Program<'_>], process: u32, budget_ms: u64) {
    let budget_ns = SHARE_OF_ITERATIONS * 1e6 * budget_ms.saturating_sub(START_MS) as f64;
    let needed_ns: f64 = programs.iter().flat_map(|program| program.run.need_ns()).flatten().sum();
    if needed_ns <= budget_ns {
        programs.iter_mut().for_each(|program| program.run.leave_out([]));
        return;
    }
    let of_others: Vec<(Vec<CellSpec>, Vec<Option<f64>>)> =
        programs[1..].iter().map(|program| (program.run.cells().to_vec(), program.run.need_ns())).collect();
    let cells = programs[0].run.cells().to_vec();
    let slowest = |(spec, own_ns): (&CellSpec, Option<f64>)| {
        let of = |(cells, need_ns): &(Vec<CellSpec>, Vec<Option<f64>>)| {
            cells.iter().position(|other| other.is_same(spec)).and_then(|at| need_ns[at])
        };
        of_others.iter().filter_map(of).chain(own_ns).reduce(f64::max)
    };
    let need_ns: Vec<Option<f64>> = cells.iter().zip(programs[0].run.need_ns()).map(slowest).collect();
    let out = affordable::left_out(&need_ns, budget_ns, process);
    // A request has room for so many.
    let out = if out.len() > MOST_LEFT_OUT { Vec::new() } else { out };
    for program in programs {
        let places =
            out.iter().filter_map(|cell| program.run.cells().iter().position(|spec| spec.is_same(&cells[*cell])));
        let places: Vec<usize> = places.collect();
        program.run.leave_out(places);
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
    use crate::study::protocol::{IterationLog, Message, StudyRequest, ThreadLog};
    use crate::study::schedule::cells;
    use crate::study::study::Study;
    use crate::worker::{Hear, Terms, WorkerFailure, line};

    /// A build whose processes say how long the operation of the case `slow` takes, and are remembered with what they leave out.
    struct Build<'a> {
        name: char,
        slow_ns: u64,
        started: &'a RefCell<Vec<(char, u32, Vec<bool>)>>,
    }

    impl Launch for Build<'_> {
        fn converse(&self, request: &str, hearer: &mut dyn Hear, _: Terms<'_>) -> Result<(), WorkerFailure> {
            let request: StudyRequest = serde_json::from_str(request).unwrap();
            let cells = cells(&request.plan, &study().cases);
            let out = request.failed.flags(cells.len());
            for (cell, spec) in cells.iter().enumerate().filter(|(cell, _)| !out[*cell]) {
                let to_ns = if spec.case == "slow" { self.slow_ns } else { 1 };
                let threads = vec![ThreadLog { to_ns, operations: 1, batches_ns: vec![to_ns], ..ThreadLog::default() }];
                let iteration = Message::Iteration(IterationLog { cell, round: 0, layout: 0, threads });
                hearer.line(&line(&serde_json::to_string(&iteration).unwrap())).unwrap();
            }
            let of_user = |flags: &[bool]| {
                cells.iter().zip(flags).filter(|(spec, _)| spec.is_of_user()).map(|(_, out)| *out).collect()
            };
            self.started.borrow_mut().push((self.name, request.process, of_user(&out)));
            Ok(())
        }
    }

    fn study() -> Study {
        ["slow", "quick"].into_iter().fold(Study::new("made up"), |study, case| study.case(case, |b| b.iter(|| ())))
    }

    /// The processes of two builds, in their order, with the cells that they leave out.
    fn turns(processes: u32, slow_ns: [u64; 2]) -> Vec<(char, u32, Vec<bool>)> {
        let options = StudyOptions { processes: Some(processes), ..StudyOptions::default() };
        let begun = || StudyRun::new(&study(), study().plan(&options, &[0]).unwrap(), TscAccess::Allowed);
        let (mut a, mut b) = (begun(), begun());
        let started = RefCell::new(Vec::new());
        let build = |name, slow_ns| Build { name, slow_ns, started: &started };
        let (of_a, of_b) = (build('A', slow_ns[0]), build('B', slow_ns[1]));
        take_turns(&mut [Program { run: &mut a, workers: &of_a }, Program { run: &mut b, workers: &of_b }], &mut ());
        started.into_inner()
    }

    #[test]
    fn processes_of_two_builds_take_turns_and_each_begins_as_often() {
        let found: Vec<(char, u32)> = turns(4, [1, 1]).into_iter().map(|(name, process, _)| (name, process)).collect();
        for (pair, number) in found.chunks(2).zip(0..) {
            assert!(pair.iter().all(|(_, process)| *process == number) && pair[0].0 != pair[1].0, "{found:?}");
        }
        for two in found.chunks(4) {
            assert_ne!(two[0].0, two[2].0, "{found:?}");
        }
    }

    #[test]
    fn what_disturbs_every_few_processes_favours_neither_build() {
        let of_b: Vec<bool> = turns(100, [1, 1]).into_iter().map(|(name, ..)| name == 'B').collect();
        for every in 2..=16 {
            for first in 0..every {
                let met: Vec<bool> = of_b.iter().skip(first).step_by(every).copied().collect();
                let of_b = met.iter().filter(|is_b| **is_b).count() as f64;
                let (even, spread) = (met.len() as f64 / 2.0, (met.len() as f64).sqrt() / 2.0);
                assert!((of_b - even).abs() <= 4.0 * spread, "every {every} from {first}: {of_b} of {}", met.len());
            }
        }
    }

    #[test]
    fn both_builds_leave_out_what_is_too_slow_in_one() {
        const MINUTE: u64 = 60_000_000_000;
        for slow_ns in [[MINUTE, 1], [1, MINUTE]] {
            let found = turns(4, slow_ns);
            assert!(found.iter().all(|(_, process, out)| *out == [*process > 0, false]), "{found:?}");
        }
        assert!(turns(4, [1, 1]).iter().all(|(.., out)| *out == [false, false]));
    }
}
