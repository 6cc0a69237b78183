//! From made-up logs of processes to the cells of a record.

mod comparisons;
mod coverage;
mod mean;
mod own_doing;
mod standstill;
mod steadiness;
mod tokens;

use std::collections::BTreeSet;

use super::{Observations, estimate};
use crate::record::study::{Cell, Mode, Parameters, StudyPlan, StudyReport};
use crate::study::case::Case;
use crate::study::made_up;
use crate::study::protocol::{IterationLog, ThreadLog};
use crate::study::schedule::{CellSpec, EMPTY, LAYOUTS, cells};

/// The cell of a study of one operation on `threads` threads, from what each of `processes` logged.
fn measured(threads: u32, processes: usize, log: impl FnMut(usize) -> Vec<IterationLog>) -> Cell {
    study(&["operation"], Mode::AverageTime, threads, processes, log).remove(0)
}

/// The cells of a study of these cases, likewise: an iteration's cell is the place of its case.
fn study(
    names: &[&str],
    mode: Mode,
    threads: u32,
    processes: usize,
    log: impl FnMut(usize) -> Vec<IterationLog>,
) -> Vec<Cell> {
    reported(names, &[], 0.0, mode, threads, processes, log).cells
}

/// The same whole, with these comparisons, and batches that the clock leaves open by `batch_ns`.
fn reported(
    names: &[&str],
    comparisons: &[(&str, &str)],
    batch_ns: f64,
    mode: Mode,
    threads: u32,
    processes: usize,
    log: impl FnMut(usize) -> Vec<IterationLog>,
) -> StudyReport {
    let plan = StudyPlan {
        cases: names.iter().map(ToString::to_string).collect(),
        threads: vec![threads],
        comparisons: comparisons.iter().map(|(case, by)| (case.to_string(), by.to_string())).collect(),
        mode,
        processes: processes as u32,
        cpus: (0..threads).collect(),
        confidence: 0.999,
        ..made_up::plan()
    };
    let case = |name: &&str| Case::shared(name.to_string(), |_: &Parameters| (), |bencher, ()| bencher.iter(|| ()));
    let cases: Vec<Case> = names.iter().map(case).collect();
    let has_empty_loop = names.contains(&EMPTY);
    let is_wanted = |spec: &CellSpec| spec.is_of_user() || has_empty_loop && spec.case == EMPTY && spec.arena == 0;
    let specs: Vec<CellSpec> = cells(&plan, &cases).into_iter().filter(is_wanted).collect();
    let processes: Vec<Vec<IterationLog>> = (0..processes).map(log).collect();
    estimated(&plan, &cases, &specs, &processes, batch_ns)
}

/// What follows from these logs of processes.
fn estimated(
    plan: &StudyPlan,
    cases: &[Case],
    specs: &[CellSpec],
    processes: &[Vec<IterationLog>],
    batch_ns: f64,
) -> StudyReport {
    let seen =
        Observations { plan, cases, cells: specs, processes, own_threads: &BTreeSet::new(), error_ns: 0.0, batch_ns };
    estimate(&seen, StudyReport::planned("made up", plan.clone()))
}

/// Batches of `operations` that take so long, each after a set-up of `gap_ns` that is not timed.
fn thread(from_ns: u64, batches_ns: &[u64], gap_ns: u64, operations: u64) -> ThreadLog {
    ThreadLog {
        from_ns,
        to_ns: from_ns + batches_ns.iter().map(|ns| ns + gap_ns).sum::<u64>(),
        operations: operations * batches_ns.len() as u64,
        batches_ns: batches_ns.to_vec(),
        turn_ns: [1.0; 2],
        link_ns: [1.0; 2],
        ..ThreadLog::default()
    }
}

fn iteration(round: u32, threads: Vec<ThreadLog>) -> IterationLog {
    IterationLog { cell: 0, round, layout: round % LAYOUTS, threads }
}
