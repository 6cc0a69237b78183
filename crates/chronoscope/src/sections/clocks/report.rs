use chronoscope_sources::SourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::sections::clocks::library_clock::report::LibraryClock;
use chronoscope_harness::estimators::intervals::TimedIntervals;
use chronoscope_harness::estimators::latency::Latency;
use chronoscope_harness::estimators::steps::Granularity;
use chronoscope_harness::estimators::tick::{Step, Tick};
use chronoscope_harness::machine::published_rdtsc_cycles;
use chronoscope_harness::record::study::InterferenceProbe;
use chronoscope_harness::record::{Known, Machine, Path, PathEvidence};

/// Measurements of the clocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClocksReport {
    /// Every clock known to the tool, available or not.
    pub clocks: Vec<ClockReport>,
    /// The cost of measuring itself: never subtracted.
    pub harness: Option<Harness>,
    /// The library clock's report on itself; null if it was not queried.
    pub library_clock: Option<Known<LibraryClock>>,
}

impl ClocksReport {
    pub fn clock(&self, id: &ClockId) -> Option<&ClockReport> {
        self.clocks.iter().find(|clock| clock.name == *id)
    }

    /// As [`clock`](Self::clock), to add to it.
    pub fn clock_mut(&mut self, id: &ClockId) -> Option<&mut ClockReport> {
        self.clocks.iter_mut().find(|clock| clock.name == *id)
    }

    /// Whether all latencies are what today's estimator gives.
    pub fn has_its_estimator(&self) -> bool {
        self.clocks.iter().filter_map(|clock| clock.latency_ns.as_ref()).all(Latency::is_of_its_processes)
    }

    /// What is known of the intervals that the clock `id` times.
    pub fn intervals_of(&self, id: &ClockId) -> Option<&TimedIntervals> {
        self.clock(id)?.intervals.as_ref()
    }
}

/// One clock of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockReport {
    /// The name of the clock: `rdtsc`, `CLOCK_MONOTONIC`, `syscall CLOCK_MONOTONIC` …
    pub name: ClockId,
    /// Whether it can be read here.
    pub available: bool,
    /// Why it cannot.
    pub reason_unavailable: Option<String>,
    /// The path of a read.
    pub path: Option<Path>,
    /// How that is known.
    pub path_evidence: Option<PathEvidence>,
    /// Why it is unknown, if a proof was attempted but inconclusive; otherwise absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_path_unknown: Option<String>,
    /// Whether a read is ordered after earlier loads of its thread.
    pub ordered: bool,
    /// Whether a time shown to a thread must never be later than its next reading.
    pub causal_by_design: bool,
    /// Whether the read traps under a hypervisor.
    pub traps_under_hypervisor: bool,
    /// Cost of a read.
    pub latency_ns: Option<Latency>,
    /// The same if each read must complete before the next begins (each followed by a fence): an upper bound on the latency.
    /// Of reads of the counter.
    pub serialised_ns: Option<f64>,
    /// The resolution declared by the system (`clock_getres`; 1/frequency for the counter).
    pub resolution_ns_declared: Option<f64>,
    /// In which steps it moves, from what follows; null where that is not known.
    #[serde(default)]
    pub step: Option<Step>,
    /// The smallest observed step.
    pub granularity_ns: Option<f64>,
    /// Whether that step is only the latency of the read: the clock ticks faster than it can be read.
    pub granularity_is_latency: Option<bool>,
    /// The observation behind it.
    pub granularity: Option<Granularity>,
    /// The lattice on which its readings lie, which also shows a tick shorter than a read; null if none was looked for.
    #[serde(default)]
    pub tick: Option<Tick>,
    /// The shortest intervals that two of its reads time; absent where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<TimedIntervals>,
}

impl ClockReport {
    /// Whether it is the wall clock, which may be set back.
    pub fn may_be_set(&self) -> bool {
        self.name.is_settable()
    }

    /// Whether it is the CPU's counter, read with a dedicated instruction.
    pub fn is_counter(&self) -> bool {
        self.name.is_counter()
    }

    /// Cost of a read of the counter, and of one with a fence after it, in ticks of the counter; None for other clocks.
    pub fn counter_ticks(&self, machine: &Machine) -> Option<(f64, Option<f64>)> {
        let per_ns = machine.tsc.frequency?.hz / 1e9;
        let latency = self.latency_ns.as_ref().filter(|_| self.is_counter())?;
        Some((latency.per_read.estimate * per_ns, self.serialised_ns.map(|ns| ns * per_ns)))
    }

    /// What was published of a read in core cycles on this machine's hardware: of the plain read alone.
    pub fn published_cycles(&self, machine: &Machine) -> Option<f64> {
        let microarchitecture = machine.cpu.microarchitecture.as_deref().filter(|_| !machine.is_emulated());
        microarchitecture.filter(|_| self.name == SourceId::CounterUnordered).and_then(published_rdtsc_cycles)
    }

    /// Whether every read exits to this machine's hypervisor. An emulator has none to exit to.
    pub fn exits_on(&self, machine: &Machine) -> bool {
        self.traps_under_hypervisor && machine.hypervisor.present == Some(true) && !machine.is_emulated()
    }

    /// The step in which the clock moves, where that is longer than a read takes.
    pub fn step_ns(&self) -> Option<f64> {
        let read_ns = self.latency_ns.as_ref().map(|latency| latency.per_read.estimate);
        self.step?.shown_ns(read_ns)
    }

    /// The step in which the clock moves, if known: as observed, or as short as a read hides it.
    pub fn moves_in_ns(&self) -> Option<f64> {
        self.step?.moves_in_ns()
    }

    /// What follows from the evidence of its step.
    pub fn step_by_evidence(&self) -> Option<Step> {
        let smallest = self.granularity_ns.zip(self.granularity_is_latency);
        Step::of(self.tick.as_ref(), smallest, self.granularity.as_ref())
    }

    /// The step that it declares, if it declares any: 0 is none.
    pub fn declared_step_ns(&self) -> Option<f64> {
        self.resolution_ns_declared.filter(|step| *step > 0.0)
    }

    /// Whether it moves in steps clearly longer than it declares.
    pub fn is_coarser_than_declared(&self) -> bool {
        const ROUNDED: f64 = 1.5;
        self.resolution_ns_declared.zip(self.moves_in_ns()).is_some_and(|(declared, step)| step > ROUNDED * declared)
    }

    /// Whether readings may differ by less than the tick, and not only by that in whole units: a CPU may add a count to keep two reads
    /// apart.
    pub fn keeps_readings_apart(&self) -> bool {
        let unit_ns = self.resolution_ns_declared.unwrap_or(1.0);
        self.granularity_ns.zip(self.moves_in_ns()).is_some_and(|(least, tick)| least < tick - unit_ns)
    }

    /// Whether it is known to tick faster than it can be read.
    pub fn hides_its_tick(&self) -> bool {
        self.step.is_some_and(|step| step.is_hidden() == Some(true) && step.moves_in_ns().is_some())
    }

    /// The longest stall seen, in nanoseconds, with the number of reads in it; None for a clock that moves in steps longer than
    /// a read, which stalls between any two.
    pub fn stood_still(&self) -> Option<(f64, u64)> {
        let seen = self.granularity.as_ref()?;
        let (share, reads) = (seen.after_equal_share?, seen.longest_equal_reads?);
        // Its usual step is the time between two reads.
        let read_ns = self
            .latency_ns
            .as_ref()
            .map_or(seen.step_ns_p50, |latency| latency.per_read.estimate.min(seen.step_ns_p50));
        (share < 0.5).then_some((reads as f64 * read_ns, reads))
    }

    /// Whether the clock moves in steps of a microsecond or more that are also longer than a read.
    pub fn is_coarse(&self) -> bool {
        const COARSE_NS: f64 = 1_000.0;
        self.step_ns().is_some_and(|step| step >= COARSE_NS)
    }
}

/// The cost of measuring itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Harness {
    /// The clock that times batches as a whole.
    pub timer: ClockId,
    /// The smallest difference that two of its readings resolve, in nanoseconds: the cost of a reading, or its step if
    /// longer.
    pub timer_cost_ns: f64,
    /// The timer's share of the shortest batch, in percent.
    pub timer_error_pct: f64,
    /// Cost per turn of the same loop without content. Reported, never subtracted.
    pub loop_overhead_ns: Option<Latency>,
    /// Which iterations counted as quiet. An iteration's two loops of known work show whether the core was shared with a busy neighbour.
    ///
    /// Such sharing shows neither as steal nor as involuntary switches: it slows loops limited by the core's width, such as
    /// the empty loop, but hardly those limited by latency, such as a chain of multiplications. If both ran slow, the core
    /// was not shared but slowed: another frequency, an interrupt, a time slice.
    #[serde(rename = "interference_probe")]
    pub interference: InterferenceProbe,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::readable;

    #[test]
    fn an_emulated_cpu_has_no_published_cycles_beside_its_own() {
        let is_published = |is_emulated| {
            let mut machine = Machine::default();
            machine.cpu.microarchitecture = Some("Skylake".to_owned());
            machine.cpu.emulation.is_emulated = is_emulated;
            readable("rdtsc").published_cycles(&machine).is_some()
        };
        assert_eq!([Some(true), Some(false), None].map(is_published), [false, true, true]);
    }
}
