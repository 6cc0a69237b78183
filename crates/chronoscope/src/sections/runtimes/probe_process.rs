use chronoscope_clock::Rate;

use super::probe::Answer;

/// One process of a runtime.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeProcess {
    pub round: u32,
    pub answer: Answer,
}

/// The tick length of the clock that times batches.
pub fn timer_rate(forks: &[ProbeProcess]) -> Rate {
    let identity = forks.iter().find_map(|fork| fork.answer.identity.as_ref());
    identity.and_then(|identity| Rate::from_hz(identity.timer_hz)).unwrap_or(Rate::NANOSECONDS)
}
