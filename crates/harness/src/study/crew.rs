//! The threads of a worker process: pinned to CPUs, asleep between iterations.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use super::bencher::Bencher;
use super::case::{Case, State};
use super::phases::{Assignment, Phases};
use super::protocol::ThreadLog;
use super::rally::Rally;
use crate::affinity;
use crate::record::Disturbance;
use crate::record::study::Parameters;
use crate::watch::Watch;

/// What the threads of an iteration should do.
pub(super) struct Iteration {
    pub(super) case: Case,
    pub(super) parameters: Parameters,
    pub(super) state: Arc<State>,
    pub(super) tokens: u64,
    pub(super) oversubscribed: bool,
    /// Whether each thread keeps to one CPU: threads that the operation starts inherit that, and a pool that counts the CPUs
    /// finds one.
    pub(super) is_bound: bool,
    pub(super) layout: u32,
    /// Steps of 64 bytes by which the stack is shifted.
    pub(super) stack_steps: u32,
    /// What a thread of each role should do.
    pub(super) assignments: Vec<Assignment>,
    pub(super) rally: Rally,
}

impl Iteration {
    /// An iteration of a thread that has a CPU to itself.
    pub(super) fn of_one_thread(case: Case, assignment: Assignment) -> Self {
        let parameters = Parameters::new();
        Self {
            state: Arc::new((case.setup)(&parameters)),
            case,
            parameters,
            tokens: 0,
            oversubscribed: false,
            is_bound: true,
            layout: 0,
            stack_steps: 0,
            assignments: vec![assignment],
            rally: Rally::new(1),
        }
    }
}

/// Threads waiting for iterations.
pub(super) struct Crew(Vec<Member>);

struct Member {
    door: Sender<Arc<Iteration>>,
    outcomes: Receiver<Result<ThreadLog, String>>,
    thread: JoinHandle<Disturbance>,
}

impl Crew {
    /// Starts `threads` threads pinned to `cpus` in turn, from the last to the first: interrupts favour the first CPU.
    pub(super) fn start(threads: u32, cpus: &[u32]) -> Result<Self, String> {
        let start = |thread: u32| {
            let (door, iterations) = channel::<Arc<Iteration>>();
            let (sender, outcomes) = channel();
            let cpu = cpus.iter().rev().copied().cycle().nth(thread as usize);
            let all = cpus.to_vec();
            let work = move || {
                let watch = Watch::pinned(cpu);
                let mut is_bound = true;
                for iteration in iterations {
                    if iteration.is_bound != is_bound {
                        // Why a thread cannot be bound is in what the watch found.
                        let _ = affinity::pin(if iteration.is_bound { cpu.as_slice() } else { &all });
                        is_bound = iteration.is_bound;
                    }
                    let outcome = attend(&iteration, thread);
                    drop(iteration);
                    if sender.send(outcome).is_err() {
                        break;
                    }
                }
                watch.finish()
            };
            let started = thread::Builder::new().name(format!("study-{thread}")).spawn(work);
            started
                .map(|thread| Member { door, outcomes, thread })
                .map_err(|error| format!("could start only {thread} of {threads} threads: {error}"))
        };
        (0..threads).map(start).collect::<Result<_, _>>().map(Self)
    }

    /// Makes an iteration; returns what each thread measured.
    pub(super) fn iteration(&self, iteration: Iteration) -> Result<Vec<ThreadLog>, String> {
        let (crew, iteration) = (&self.0[..iteration.rally.threads as usize], Arc::new(iteration));
        crew.iter().for_each(|member| drop(member.door.send(iteration.clone())));
        let died = |_| Err("a measuring thread died".to_owned());
        let outcome = |member: &Member| member.outcomes.recv().unwrap_or_else(died);
        let outcomes: Vec<Result<ThreadLog, String>> = crew.iter().map(outcome).collect();
        // The thread that failed knows the reason; the others know only that it left.
        match outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).min_by_key(|reason| *reason == LEFT_ALONE) {
            Some(reason) => Err(reason.clone()),
            None => outcomes.into_iter().collect(),
        }
    }

    /// The disturbance of all threads.
    pub(super) fn end(self) -> Disturbance {
        let mut suffered = Disturbance::default();
        for Member { door, thread, .. } in self.0 {
            drop(door);
            let Ok(mut one) = thread.join() else { continue };
            // Steal on a CPU counts once, however many threads share it.
            one.steal_ms = one.steal_ms.filter(|_| !suffered.cpus.iter().any(|cpu| one.cpus.contains(cpu)));
            suffered.merge(&one);
        }
        suffered
    }
}

const LEFT_ALONE: &str = "another thread of the case gave up";

/// Runs one thread's part of an iteration.
fn attend(iteration: &Iteration, thread: u32) -> Result<ThreadLog, String> {
    let role = iteration.case.role_at(thread);
    let (rally, threads) = (&iteration.rally, iteration.rally.threads);
    let phases = Phases::new(iteration.assignments[role], iteration.tokens, iteration.oversubscribed, rally);
    let mut bencher = Bencher::new(thread, threads, iteration.layout, &iteration.parameters, phases);
    let body = &iteration.case.roles[role].body;
    let ran = catch_unwind(AssertUnwindSafe(|| {
        on_a_moved_stack(iteration.stack_steps, &mut || body(&mut bencher, iteration.state.as_ref().as_ref()));
    }));
    if let (Ok(()), Some(log)) = (&ran, bencher.phases.finish()) {
        return Ok(log);
    }
    let left_alone = rally.is_abandoned();
    rally.abandon();
    Err(match ran {
        Err(panic) => format!("it panicked: {}", words(panic.as_ref())),
        Ok(()) if left_alone => LEFT_ALONE.to_owned(),
        Ok(()) => "it measured nothing; call b.iter(…) once in every case".to_owned(),
    })
}

/// A panic's message.
pub(super) fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a message").to_owned()
}

/// Runs `work` with the stack `steps` times 64 bytes deeper, modulo 1024.
fn on_a_moved_stack(steps: u32, work: &mut dyn FnMut()) {
    #[inline(never)]
    fn moved<const BYTES: usize>(work: &mut dyn FnMut()) {
        let room = std::hint::black_box([0_u8; BYTES]);
        work();
        std::hint::black_box(&room);
    }
    match steps % 16 {
        0 => work(),
        1 => moved::<64>(work),
        2 => moved::<128>(work),
        3 => moved::<192>(work),
        4 => moved::<256>(work),
        5 => moved::<320>(work),
        6 => moved::<384>(work),
        7 => moved::<448>(work),
        8 => moved::<512>(work),
        9 => moved::<576>(work),
        10 => moved::<640>(work),
        11 => moved::<704>(work),
        12 => moved::<768>(work),
        13 => moved::<832>(work),
        14 => moved::<896>(work),
        _ => moved::<960>(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iteration(case: Case, threads: u32) -> Iteration {
        let assignment = Assignment::Batches { operations: 10, untimed: 10, batches: 3, length_ns: 0 };
        let rally = Rally::new(threads);
        Iteration {
            oversubscribed: true,
            layout: 2,
            stack_steps: 5,
            rally,
            ..Iteration::of_one_thread(case, assignment)
        }
    }

    fn case(body: impl Fn(&mut Bencher<'_>) + Send + Sync + 'static) -> Case {
        Case::alone("case".into(), body)
    }

    #[test]
    fn every_thread_measures_while_all_run() {
        let crew = Crew::start(3, &[]).unwrap();
        let logs = crew.iteration(iteration(case(|b| b.iter(|| 1)), 3)).unwrap();
        assert_eq!(logs.len(), 3);
        let last_start = logs.iter().map(|log| log.from_ns).max();
        assert!(logs.iter().all(|log| log.batches_ns.len() == 3 && log.operations == 30));
        assert!(last_start.is_some());
        // The crew remains usable, also with fewer threads.
        assert_eq!(crew.iteration(iteration(case(|b| b.iter_chained(1_u64, |x| x + 1)), 1)).unwrap().len(), 1);
        assert!(crew.end().reason_unpinned.is_some());
    }

    #[test]
    fn a_case_that_panics_takes_nobody_along() {
        let crew = Crew::start(2, &[]).unwrap();
        let failing = case(|b| {
            assert!(b.thread() == 0, "unlucky");
            b.iter(|| ());
        });
        assert_eq!(crew.iteration(iteration(failing, 2)), Err("it panicked: unlucky".to_owned()));
        assert!(crew.iteration(iteration(case(|b| b.iter(|| ())), 2)).is_ok());
    }

    #[test]
    fn a_case_without_an_operation_is_told_so() {
        let crew = Crew::start(1, &[]).unwrap();
        assert!(crew.iteration(iteration(case(|_| {}), 1)).unwrap_err().contains("b.iter"));
    }

    #[test]
    fn inputs_are_limited_in_number_and_in_memory() {
        let crew = Crew::start(1, &[]).unwrap();
        let most = |body: fn(&mut Bencher<'_>)| {
            let mut iteration = iteration(case(body), 1);
            let (operations, untimed) = (1_000, 1_000);
            iteration.assignments = vec![Assignment::Batches { operations, untimed, batches: 3, length_ns: 0 }];
            let log = crew.iteration(iteration).unwrap().remove(0);
            log.operations / log.batches_ns.len() as u64
        };
        assert_eq!(most(|b| b.inputs_at_most(7).iter_batched(|| 1, |input| input)), 7);
        assert_eq!(most(|b| b.iter_batched(|| 1, |input| input)), 1_000);
        // Another thread of this process may take or free memory meanwhile: a bound with room.
        let of_a_mebibyte =
            most(|b| b.input_bytes_at_most(32 << 20).iter_batched(|| vec![1_u8; 1 << 20], |input| input));
        assert!((1..=256).contains(&of_a_mebibyte), "{of_a_mebibyte} inputs");
    }

    #[test]
    fn inputs_are_made_outside_of_the_batch_and_parts_are_stamped() {
        let crew = Crew::start(1, &[]).unwrap();
        let batched = crew.iteration(iteration(case(|b| b.iter_batched(|| vec![1], |input| input.len())), 1)).unwrap();
        assert!(batched[0].parts_ns.is_empty());
        let stamped = case(|b| b.iter_with_unmeasured_setup_beware_of_omission(|| 1, |input| input + 1));
        let log = crew.iteration(iteration(stamped, 1)).unwrap().remove(0);
        assert_eq!(log.parts_ns.len(), log.batches_ns.len());
        assert!(log.parts_ns.iter().zip(&log.batches_ns).all(|(part, whole)| part <= whole));
    }
}
