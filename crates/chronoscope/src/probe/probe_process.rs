use chronoscope_sources::Rate;

use super::Answer;
use chronoscope_harness::estimators::steps::step_ns;

/// One process of a runtime.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeProcess {
    pub round: u32,
    pub answer: Answer,
}

/// The tick length of the clock that times batches.
pub fn timer_rate(processes: &[ProbeProcess]) -> Rate {
    let identity = processes.iter().find_map(|process| process.answer.identity.as_ref());
    identity.and_then(|identity| Rate::from_hz(identity.timer_hz)).unwrap_or(Rate::NANOSECONDS)
}

/// The step in which that clock moves, in nanoseconds; 0 if a step is not longer than a read.
pub fn timer_step_ns(processes: &[ProbeProcess]) -> f64 {
    let seen = processes.iter().find_map(|process| process.answer.steps.get(&process.answer.identity.as_ref()?.timer));
    seen.map_or(0.0, |steps| step_ns(steps, timer_rate(processes)))
}
