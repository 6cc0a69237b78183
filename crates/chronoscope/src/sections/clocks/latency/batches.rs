use chronoscope_clock::Rate;

use super::estimate;
use super::interference::{self, Quiet};
use super::task::{Lane, LaneSamples, Request, Samples};
use crate::clock_id::ClockId;
use crate::sections::clocks::report::Latency;
use chronoscope_harness::machine::KnownCore;
use chronoscope_harness::record::Disturbance;

/// All batches of a run's latency workers so far.
#[derive(Debug)]
pub struct Batches {
    lanes: Vec<Lane>,
    /// For each lane, the batches of each process.
    processes: Vec<Vec<LaneSamples>>,
    pub timer_cost_ticks: u64,
    pub disturbance: Disturbance,
}

impl Default for Batches {
    fn default() -> Self {
        Self {
            lanes: Vec::new(),
            processes: Vec::new(),
            timer_cost_ticks: u64::MAX,
            disturbance: Disturbance::default(),
        }
    }
}

impl Batches {
    /// Empty, for the two interference probes and `lanes`.
    pub fn of_lanes(lanes: impl Iterator<Item = Lane>) -> Self {
        Self { lanes: [Lane::Empty, Lane::Chain].into_iter().chain(lanes).collect(), ..Self::default() }
    }

    /// The request for the next process.
    pub fn request(&self, timer_error: f64) -> Request {
        let rotation = self.processes.first().map_or(0, Vec::len);
        Request { lanes: self.lanes.clone(), timer_error, rotation }
    }

    /// Adds the samples of one more process.
    pub fn add(&mut self, samples: Samples, disturbance: &Disturbance) {
        self.timer_cost_ticks = self.timer_cost_ticks.min(samples.timer_cost_ticks);
        self.disturbance.merge(disturbance);
        self.processes.resize_with(samples.lanes.len(), Vec::new);
        samples.lanes.into_iter().zip(&mut self.processes).for_each(|(lane, processes)| processes.push(lane));
    }

    /// Which rounds were quiet, and the cost of the interference probes in them.
    pub fn quiet(&self, rate: Rate, core: KnownCore) -> Option<Quiet> {
        interference::quiet_rounds(self.of(&Lane::Empty), self.of(&Lane::Chain), rate, core)
    }

    /// The cost per turn of `lane`.
    pub fn latency(&self, lane: &Lane, quiet: &Quiet, rate: Rate) -> Option<Latency> {
        estimate::latency(self.of(lane), &quiet.rounds, rate)
    }

    /// The shortest of all batches, in timer ticks.
    pub fn shortest_ticks(&self) -> Option<u64> {
        self.processes.iter().flatten().flat_map(|process| &process.batch_ticks).min().copied()
    }

    /// For each process, the batches of `lane`.
    pub fn of(&self, lane: &Lane) -> &[LaneSamples] {
        let at = self.lanes.iter().position(|candidate| candidate == lane);
        at.and_then(|at| self.processes.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The clocks being timed.
    pub fn clocks(&self) -> impl Iterator<Item = &ClockId> {
        self.lanes.iter().filter_map(|lane| match lane {
            Lane::Reads(clock) => Some(clock),
            _ => None,
        })
    }
}
