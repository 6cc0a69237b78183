//! What follows from all that a document holds: one file per topic, each with the conclusion, its evidence and its grade.

pub mod causality;
pub mod clock_causality;
pub mod clocks;
pub mod clocksource;
pub mod counter;
pub mod facts;
pub mod grade;
pub mod host;
pub mod intervals;
pub mod monotonic;
pub mod noise;
pub mod path;
pub mod rules;
pub mod skew;
pub mod throttling;
pub mod uses;
pub mod wall_clock;
pub mod words;

use chronoscope_harness::finding::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use causality::Causality;
use clocks::ClockAdvice;
use clocksource::ClocksourceAdvice;
use counter::Counter;
use facts::Facts;
use grade::Grade;
use host::Host;
use intervals::Question;
use monotonic::Monotonic;
use noise::Noise;
use path::FastPath;
use skew::Skew;
use uses::Uses;

/// What is concluded from the measurements, by topic: each once, and read by every page, gate and advice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Whether to time intervals with each clock whose intervals were measured.
    pub clocks: Vec<ClockAdvice>,
    /// Which clock to use for what, and which not to.
    pub uses: Uses,
    /// Intervals the user asked about.
    pub questions: Vec<Question>,
    /// Whether clocks went backwards within a thread.
    pub monotonic: Monotonic,
    /// Whether clocks went backwards between threads.
    pub causality: Causality,
    /// Bound on the skew between the CPUs' clocks.
    pub skew: Skew,
    /// Whether `CLOCK_MONOTONIC` is read without entering the kernel.
    pub path: FastPath,
    /// Whether the counter is a sound measure of time.
    pub counter: Counter,
    /// What to do with each clocksource that the kernel knows.
    pub clocksources: Vec<ClocksourceAdvice>,
    /// What disturbs measurements.
    pub noise: Noise,
    /// Whether the wall clock is disciplined, and no finding says that this does not suffice.
    pub wall_clock: Grade,
    /// The state of the host; null in documents of other commands than `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}

impl Judgement {
    /// The clocks to time intervals with.
    pub fn recommended(&self) -> impl Iterator<Item = &ClockAdvice> {
        self.clocks.iter().filter(|clock| clock.recommended)
    }
}

/// What follows from the facts, and from the findings of each section on its own. The state of the host follows from all findings.
pub fn conclude(facts: &Facts<'_>, of_sections: &[Finding]) -> Judgement {
    let causal = clock_causality::of_clocks(facts);
    let counter = counter::counter(facts, &causal);
    let clocks = clocks::advice(facts, &causal, &counter);
    Judgement {
        uses: uses::uses(facts, &causal, &clocks, &counter),
        questions: facts
            .sections
            .clocks
            .plan
            .questions_ns
            .iter()
            .map(|ns| intervals::question(*ns, &clocks, facts))
            .collect(),
        monotonic: monotonic::monotonic(facts),
        causality: Causality { across_cores: causality::across_cores(facts, &causal, &clocks), clocks: causal },
        skew: skew::skew(facts),
        path: path::path(facts),
        clocksources: clocksource::advice(facts, counter.doubt.as_deref()),
        noise: noise::noise(facts),
        wall_clock: wall_clock::wall_clock(facts, of_sections),
        host: None,
        clocks,
        counter,
    }
}
