use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{Depth, Kind, MOST_LATCH_THREADS, MOST_THREADS, PAUSE_LENGTHS_NS, PlanError, Wish};
use crate::record::RuntimeKind;

/// What is asked of the language runtimes of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimesPlan {
    /// The kinds that are looked for in the usual places.
    pub kinds: Vec<RuntimeKind>,
    /// Further ones, named by the user.
    pub added: Vec<RuntimePlace>,
    /// Whether those are left out that take long to start, as a compiler or a virtual machine that compiles a source file.
    pub quick_starters: bool,
    /// Most rounds; in each, one process of every runtime is measured in turn.
    pub rounds: u32,
    /// Reads per clock behind which system calls are counted, and of which none is timed.
    pub counted_reads: u32,
    /// What each process of the table of clocks does; null where that table is not asked for.
    pub clocks: Option<RuntimeClocksPlan>,
    /// Lengths of pauses in nanoseconds; empty where these are not asked for.
    pub pause_lengths_ns: Vec<u64>,
    /// Threads that are released together; null where that is not asked for.
    pub latch_threads: Option<u32>,
    /// The time of one process for pauses.
    pub pause_ms: u64,
    /// The time of one process for the latch.
    pub latch_ms: u64,
}

/// What one process does for the table of a runtime's clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimeClocksPlan {
    /// The shortest batch.
    pub batch_ns: u64,
    /// How long loops warm up where the runtime compiles while it runs; a fifth of that elsewhere.
    pub warm_ms: u64,
    /// How long they are measured.
    pub lanes_ms: u64,
    /// How long is waited for steps, all clocks together; in the first process of each runtime alone.
    pub steps_ms: u64,
    /// How long several threads read, all clocks together.
    pub crowd_ms: u64,
    /// Consecutive reads whose differences are kept; in the first process of each runtime alone.
    pub reads: u32,
    /// Threads that read at once.
    pub threads: u32,
}

/// A language runtime that a user names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimePlace {
    /// Its kind.
    pub kind: RuntimeKind,
    /// The program that starts it.
    pub program: String,
}

/// What a user wants to know of language runtimes; what is left open is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimesWish {
    /// The kinds to look for; empty for all.
    pub only: Vec<RuntimeKind>,
    /// Further ones than those in the usual places.
    pub added: Vec<RuntimePlace>,
    /// Whether their pauses are wanted, in place of their clocks.
    pub pause: bool,
    /// Threads to release together, in place of the table of clocks.
    pub latch_threads: Option<u32>,
}

/// What is asked of language runtimes on so many CPUs.
pub fn planned(wish: &Wish, cpus: usize) -> Result<RuntimesPlan, PlanError> {
    let RuntimesWish { only, added, pause, latch_threads } = &wish.runtimes;
    if let Some(threads) = latch_threads.filter(|threads| !(1..=MOST_LATCH_THREADS).contains(threads)) {
        return Err(PlanError::new(Kind::LatchThreads(threads)));
    }
    let in_check = wish.parts.is_empty();
    let asked_kinds = |kind: &RuntimeKind| only.is_empty() || only.contains(kind);
    let threads = u32::try_from(cpus).unwrap_or(MOST_THREADS).clamp(2, MOST_THREADS);
    let (warm_ms, lanes_ms, steps_ms, crowd_ms, reads) = match wish.depth {
        _ if in_check => (100, 60, 40, 0, 20_000),
        Depth::Quick => (250, 120, 120, 100, 50_000),
        Depth::Normal => (400, 250, 300, 200, 200_000),
        Depth::Thorough => (800, 500, 1_000, 400, 1_000_000),
    };
    // Many short processes tell more than few long ones; a pause of 10 ms takes its time.
    let (pause_ms, latch_ms) = if wish.depth == Depth::Quick { (500, 150) } else { (800, 300) };
    let clocks = RuntimeClocksPlan { batch_ns: 250_000, warm_ms, lanes_ms, steps_ms, crowd_ms, reads, threads };
    Ok(RuntimesPlan {
        kinds: RuntimeKind::ALL.into_iter().filter(asked_kinds).collect(),
        added: added.clone(),
        quick_starters: in_check,
        rounds: if in_check { 1 } else { wish.depth.latency_forks() },
        counted_reads: 200,
        clocks: (!pause && latch_threads.is_none()).then_some(clocks),
        pause_lengths_ns: if *pause { PAUSE_LENGTHS_NS.to_vec() } else { Vec::new() },
        latch_threads: *latch_threads,
        pause_ms,
        latch_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::record::Part;

    #[test]
    fn runtimes_are_asked_in_little_in_a_check_and_alone_in_full() {
        let check = Plan::new(&Wish::default(), &[0, 1]).unwrap().runtimes.unwrap();
        assert!(check.quick_starters && check.rounds == 1 && check.clocks.is_some());
        let alone = |runtimes| Plan::new(&Wish { parts: vec![Part::Runtimes], runtimes, ..Wish::default() }, &[0, 1]);
        let full = alone(RuntimesWish::default()).unwrap().runtimes.unwrap();
        assert!(!full.quick_starters && full.kinds == RuntimeKind::ALL && full.pause_lengths_ns.is_empty());
        let only = vec![RuntimeKind::Go];
        let latch = alone(RuntimesWish { only: only.clone(), latch_threads: Some(7), ..RuntimesWish::default() });
        let latch = latch.unwrap().runtimes.unwrap();
        assert_eq!((latch.kinds, latch.latch_threads, latch.clocks), (only, Some(7), None));
        alone(RuntimesWish { latch_threads: Some(0), ..RuntimesWish::default() }).unwrap_err();
        assert_eq!(Plan::new(&Wish { parts: vec![Part::Reads], ..Wish::default() }, &[0]).unwrap().runtimes, None);
    }
}
