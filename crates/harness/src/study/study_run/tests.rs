use super::super::options::StudyOptions;
use super::super::protocol::{Message, ThreadLog};
use super::*;
use crate::worker::Hear;

fn study() -> Study {
    ["first", "second"].into_iter().fold(Study::new("made up"), |study, case| study.case(case, |b| b.iter(|| ())))
}

fn begun() -> StudyRun {
    let study = study();
    let options = StudyOptions { processes: Some(12), ..StudyOptions::default() };
    let plan = study.plan(&options, &[0]).unwrap();
    StudyRun::new(&study, plan, TscAccess::Allowed)
}

fn place(run: &StudyRun, case: &str) -> usize {
    run.cells.iter().position(|spec| spec.case == case && spec.is_of_user()).unwrap()
}

/// An operation of 100 ns, for 0.1 ms.
fn iteration(cell: usize) -> IterationLog {
    let thread = ThreadLog {
        to_ns: 100_000,
        operations: 1_000,
        batches_ns: vec![100_000],
        turn_ns: [1.0; 2],
        link_ns: [1.0; 2],
        ..ThreadLog::default()
    };
    IterationLog { cell, round: 0, layout: 0, threads: vec![thread] }
}

/// A worker that measures the first case, and dies in the second.
struct DiesInTheSecond {
    first: usize,
    second: usize,
}

impl Launch for DiesInTheSecond {
    fn converse(&self, _: &str, hearer: &mut dyn Hear, _: Terms<'_>) -> Result<(), WorkerFailure> {
        for message in [Message::Iteration(iteration(self.first)), Message::Begin { cell: self.second, round: Some(0) }]
        {
            let text = serde_json::to_string(&message).unwrap();
            hearer.line(crate::worker::line(&text).trim_end()).unwrap();
        }
        Err(WorkerFailure::Killed { signal: 11, complaint: String::new() })
    }
}

#[test]
fn what_a_process_measured_that_is_started_again_counts_as_not_measured() {
    let mut run = begun();
    let workers = DiesInTheSecond { first: place(&run, "first"), second: place(&run, "second") };
    let turn = Turn { process: 0, budget_ms: 1, share: (0.0, 1.0) };
    assert!(!run.run_one(&workers, &turn, &mut ()), "the other case is worth another process");
    assert!(run.has_unmeasured(), "its iterations are not kept");
    assert!(run.processes().is_empty());
}
