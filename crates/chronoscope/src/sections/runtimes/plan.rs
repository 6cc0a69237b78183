use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::part::{Part, PartRow};
use crate::plan::{Depth, Frame, MOST_THREADS, Plan, PlanError, released_threads};
use crate::probe::RuntimePlace;
use chronoscope_harness::literature::pause_lengths_ns;
use chronoscope_probes::RuntimeKind;

pub const RUNTIMES: Part = Part::Runtimes;

pub const PARTS: &[PartRow] = &[PartRow::of_check(RUNTIMES, "clocks of language runtimes", 120)];

/// Time for runtimes requested alone: about ten of them must be started, compiled and warmed up.
pub const BUDGETS_S: [u64; 3] = [20, 75, 240];

/// Options of the table of language runtimes.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Also measure this runtime, e.g. java=/opt/jdk/bin/java; repeatable
    #[arg(long, value_name = "KIND=PROGRAM")]
    pub runtime: Vec<RuntimePlace>,

    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = RuntimeKind::named)]
    #[arg(help = format!("Measure only these: {}", RuntimeKind::words()))]
    pub only: Vec<RuntimeKind>,

    /// Measure every way to pause instead of the clocks; with --latch, both
    #[arg(long)]
    pub pause: bool,

    /// Measure N threads released together against N calls in one thread, instead of the clocks
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "100",
        value_parser = released_threads,
        allow_negative_numbers = true
    )]
    pub latch: Option<u32>,
}

/// What to measure in the machine's language runtimes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuntimesPlan {
    /// The kinds looked for in the usual places.
    pub kinds: Vec<RuntimeKind>,
    /// Additional ones named by the user.
    pub added: Vec<RuntimePlace>,
    /// Whether to skip runtimes that take long to start, such as a compiler or a virtual machine that compiles a source
    /// file.
    pub quick_starters: bool,
    /// Rounds, if time allows; each measures one process of every runtime in turn. A few more follow where a process saw no
    /// quiet moment.
    pub rounds: u32,
    /// Whether the table of clocks is requested.
    pub clocks: bool,
    /// Lengths of pauses in nanoseconds; empty if not requested.
    pub pause_lengths_ns: Vec<u64>,
    /// Threads released together; null if not requested.
    pub latch_threads: Option<u32>,
}

/// Reads per clock during which system calls are counted; none of them is timed.
pub const COUNTED_READS: u32 = 200;

/// The work of one process for the table of a runtime's clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClocksWork {
    /// Warm-up time of loops in a runtime with a JIT compiler; a fifth of that elsewhere.
    pub warm_ms: u64,
    /// Measuring time.
    pub lanes_ms: u64,
    /// Time to wait for steps, all clocks together; only in the first process of each runtime.
    pub steps_ms: u64,
    /// Time for concurrent reads by several threads, all clocks together.
    pub concurrent_ms: u64,
    /// Consecutive reads whose differences are kept; only in the first process of each runtime.
    pub reads: u32,
    /// Threads that read concurrently.
    pub threads: u32,
}

/// The plan for language runtimes.
pub fn plan(options: &Options, frame: &Frame) -> Result<RuntimesPlan, PlanError> {
    let latch_threads = options.latch;
    let in_check = !frame.alone;
    let asked_kinds = |kind: &RuntimeKind| options.only.is_empty() || options.only.contains(kind);
    Ok(RuntimesPlan {
        kinds: RuntimeKind::all().filter(asked_kinds).collect(),
        added: options.runtime.clone(),
        quick_starters: in_check,
        rounds: if in_check { 1 } else { frame.depth.processes() },
        clocks: !options.pause && latch_threads.is_none(),
        pause_lengths_ns: if options.pause { pause_lengths_ns() } else { Vec::new() },
        latch_threads,
    })
}

impl RuntimesPlan {
    /// The work of one process for the table of clocks, in a run like `run`.
    pub fn clocks_work(&self, run: &Plan) -> ClocksWork {
        let threads = u32::try_from(run.cpus.len()).unwrap_or(MOST_THREADS).clamp(2, MOST_THREADS);
        let (warm_ms, lanes_ms, steps_ms, concurrent_ms, reads) = match run.depth {
            _ if self.quick_starters => (100, 60, 40, 0, 20_000),
            Depth::Quick => (250, 120, 120, 100, 50_000),
            Depth::Normal => (400, 250, 300, 200, 200_000),
            Depth::Thorough => (800, 500, 1_000, 400, 1_000_000),
        };
        ClocksWork { warm_ms, lanes_ms, steps_ms, concurrent_ms, reads, threads }
    }
}

/// The time of one process for pauses and for the latch. Many short processes are more informative than few long ones; a pause of
/// 10 ms takes its time.
pub const fn pause_and_latch_ms(depth: Depth) -> (u64, u64) {
    if matches!(depth, Depth::Quick) { (500, 150) } else { (800, 300) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_asked_in_little_in_a_check_and_alone_in_full() {
        let planned =
            |options: &Options, alone| plan(options, &Frame { depth: Depth::Normal, cpus: vec![0, 1], alone });
        let check = planned(&Options::default(), false).unwrap();
        assert!(check.quick_starters && check.rounds == 1 && check.clocks);
        let full = planned(&Options::default(), true).unwrap();
        assert!(
            !full.quick_starters
                && full.kinds.iter().copied().eq(RuntimeKind::all())
                && full.pause_lengths_ns.is_empty()
        );
        let only = vec![RuntimeKind::Go];
        let latch = planned(&Options { only: only.clone(), latch: Some(7), ..Options::default() }, true).unwrap();
        assert_eq!((latch.kinds, latch.latch_threads, latch.clocks), (only, Some(7), false));
        let both = planned(&Options { pause: true, latch: Some(7), ..Options::default() }, true).unwrap();
        assert_eq!((both.pause_lengths_ns, both.latch_threads, both.clocks), (pause_lengths_ns(), Some(7), false));
    }
}
