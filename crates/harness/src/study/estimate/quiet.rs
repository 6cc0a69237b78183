//! Which iterations were disturbed, and by what: said, and left out of nothing.

use super::iteration::Received;
use super::observations::Observations;
use crate::record::study::InterferenceProbe;
use crate::stats::Distribution;
use crate::study::protocol::ThreadLog;

const QUIET_FACTOR: f64 = InterferenceProbe::QUIET_FACTOR;

/// The iterations of each cell, in the order in which they were made, which of them were quiet, and what that was judged by.
///
/// Iterations are compared with those of their own cell: threads of one program may share a core with each other, and an operation may
/// slow its core. Where there are more threads than CPUs, or an operation runs threads of its own, the loops say nothing, and being taken
/// off a CPU is part of the experiment: there every iteration counts as undisturbed.
pub(super) fn judged<'a>(seen: &Observations<'a>) -> (Vec<Vec<Received<'a>>>, Option<InterferenceProbe>) {
    let mut received: Vec<Vec<Received<'a>>> = vec![Vec::new(); seen.cells.len()];
    for (process, logs) in seen.processes.iter().enumerate() {
        for log in logs {
            if let Some(of_cell) = received.get_mut(log.cell) {
                of_cell.push(Received { process, quiet: true, log });
            }
        }
    }
    let (mut probe, mut turns_ns, mut links_ns) = (InterferenceProbe::default(), Vec::new(), Vec::new());
    let is_judged = |at: usize| !seen.plan.is_oversubscribed(&seen.cells[at]) && !seen.own_threads.contains(&at);
    for (_, of_cell) in received.iter_mut().enumerate().filter(|(at, _)| is_judged(*at)) {
        let turns = slowest(of_cell, |thread| thread.turn_ns);
        let links = slowest(of_cell, |thread| thread.link_ns);
        let (most_turn, most_link) = (quietest(&turns) * QUIET_FACTOR, quietest(&links) * QUIET_FACTOR);
        for (iteration, (turn, link)) in of_cell.iter_mut().zip(turns.iter().zip(&links)) {
            let slow = *link > most_link;
            let shared = !slow && *turn > most_turn;
            let lost = iteration.log.threads.iter().any(|thread| thread.preempted > 0);
            iteration.quiet = !(slow || shared || lost);
            probe.iterations += 1;
            probe.iterations_shared += u64::from(shared);
            probe.iterations_slow += u64::from(slow);
            probe.iterations_preempted += u64::from(lost);
            probe.iterations_quiet += u64::from(iteration.quiet);
        }
        turns_ns.extend(turns);
        links_ns.extend(links);
    }
    (probe.quiet_turn_ns, probe.quiet_link_ns) = (quietest(&turns_ns), quietest(&links_ns));
    (received, Some(probe).filter(|probe| probe.iterations > 0))
}

/// Of each iteration, what a probe's loop takes in the slowest of its threads, before or after.
fn slowest(iterations: &[Received<'_>], loop_ns: fn(&ThreadLog) -> [f64; 2]) -> Vec<f64> {
    iterations.iter().map(|one| one.log.threads.iter().flat_map(loop_ns).fold(0.0, f64::max)).collect()
}

/// What the quietest of these take; 0 if none was probed, as of another program.
fn quietest(loops_ns: &[f64]) -> f64 {
    // A clock that stalled around an iteration says nothing about its core.
    let told = loops_ns.iter().copied().filter(|ns| *ns > 0.0).collect();
    Distribution::of(told).quantile(InterferenceProbe::QUIETEST_SHARE).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::record::study::{Parameters, StudyPlan};
    use crate::study::case::Case;
    use crate::study::made_up;
    use crate::study::protocol::IterationLog;
    use crate::study::schedule::cells;

    #[test]
    fn an_operation_with_threads_of_its_own_is_not_disturbed_by_them() {
        let names = ["plain", "with threads"];
        let plan =
            StudyPlan { cases: names.map(String::from).to_vec(), threads: vec![1], cpus: vec![0], ..made_up::plan() };
        let case = |name: &str| Case::shared(name.to_owned(), |_: &Parameters| (), |bencher, ()| bencher.iter(|| ()));
        let cases = names.map(case);
        let specs: Vec<_> = cells(&plan, &cases).into_iter().filter(|spec| spec.is_of_user()).collect();
        let thread = ThreadLog { turn_ns: [1.0; 2], link_ns: [1.0; 2], preempted: 1, ..ThreadLog::default() };
        let log = |cell| IterationLog { cell, round: 0, layout: 0, threads: vec![thread.clone()] };
        let processes = vec![(0..specs.len()).map(log).collect::<Vec<_>>()];
        let lost = |own_threads: &BTreeSet<usize>| {
            let (plan, cases) = (&plan, cases.as_slice());
            let seen = Observations {
                plan,
                cases,
                cells: &specs,
                processes: &processes,
                own_threads,
                error_ns: 0.0,
                batch_ns: 0.0,
            };
            let (_, probe) = judged(&seen);
            probe.map(|probe| (probe.iterations, probe.iterations_preempted))
        };
        assert_eq!(lost(&BTreeSet::new()), Some((2, 2)));
        assert_eq!(lost(&BTreeSet::from([1])), Some((1, 1)));
        assert_eq!(lost(&BTreeSet::from([0, 1])), None);
    }
}
