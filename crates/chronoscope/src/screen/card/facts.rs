//! What is published of a machine: numbers as the document has them, none concluded anew.

use chronoscope_harness::estimators::intervals::{ShortestInterval, Tolerance};
use chronoscope_harness::estimators::pauses::PauseFigures;
use chronoscope_harness::estimators::tick::Step;
use chronoscope_harness::finding::HostState;
use chronoscope_harness::record::{Path, Tool};
use chronoscope_sources::SourceId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::Record;
use crate::judgement::Judgement;
use crate::judgement::causality::AcrossCores;
use crate::judgement::host::Host;
use crate::judgement::noise::LostTo;
use crate::judgement::path::CLOCK;
use crate::judgement::skew::Skew;
use crate::screen::first_screen;
use crate::sections::clocks::report::ClockReport;
use crate::sections::pauses::report::PauseWay;

/// Raised when the meaning of a field changes.
const VERSION: u32 = 1;

/// The facts of a card. What the document does not have is null.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Facts {
    /// The version of this format.
    pub card_version: u32,
    /// What made the check.
    pub tool: Tool,
    /// When the check began: RFC 3339, UTC.
    pub started_at: String,
    /// Wall time in milliseconds.
    pub elapsed_ms: u64,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// The processor, as titles name it.
    pub cpu: String,
    /// CPUs online.
    pub cpus: Option<u32>,
    /// Whether the machine is a virtual one.
    pub virtual_machine: Option<bool>,
    /// What runs it then.
    pub hypervisor: Option<String>,
    /// The emulator of an emulated CPU: then no duration is one of hardware.
    pub emulated_by: Option<String>,
    /// The counter behind the system's clocks.
    pub clocksource: Option<String>,
    /// What was concluded of the host.
    pub host: HostFacts,
    /// The clock that the card is about: the system's monotonic clock, or else the one to time durations with.
    pub clock: Option<ClockFacts>,
    /// What a read costs: of that clock, of the counter, and by system call.
    pub reads: Vec<ReadFacts>,
    /// Whether the clocks of CPUs agree.
    pub cores: CoreFacts,
    /// How late a sleep is.
    pub sleep: Option<SleepFacts>,
    /// How much time something else took.
    pub time_lost: Option<LostFacts>,
}

/// The state of the host.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HostFacts {
    /// The verdict.
    pub state: HostState,
    /// Whether all that was planned was checked.
    pub complete: bool,
    /// The kinds of findings behind it and of all other warnings, the gravest first.
    pub reasons: Vec<String>,
}

/// The clock that the card is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClockFacts {
    /// As it is typed.
    pub name: String,
    /// The step that it declares.
    pub resolution_declared_ns: Option<f64>,
    /// The step in which it moves, as observed.
    pub step_ns: Option<f64>,
    /// Whether the smallest step seen is that of a read: the clock may tick faster.
    pub smallest_step_is_a_read: Option<bool>,
    /// The shortest interval that it times to ±10 %.
    pub interval_within_10pct: IntervalFacts,
    /// The shortest interval that it times to ±1 %.
    pub interval_within_1pct: IntervalFacts,
}

/// The shortest interval that two reads time within a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct IntervalFacts {
    /// From which length; null if none is known.
    pub from_ns: Option<f64>,
    /// The longest length tried, where trials confirmed none.
    pub tried_to_ns: Option<f64>,
    /// Whether trials confirm it; if not, it is a prediction.
    pub is_confirmed: bool,
}

/// What a read of a clock costs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReadFacts {
    /// Its name, as it is typed.
    pub clock: String,
    /// The median over processes.
    pub latency_ns: f64,
    /// The lower end of its interval; null where there are too few samples for one.
    pub latency_low_ns: Option<f64>,
    /// The upper end.
    pub latency_high_ns: Option<f64>,
    /// How it is read.
    pub path: Option<Path>,
    /// Whether every read leaves the virtual machine.
    pub exits_to_hypervisor: bool,
}

/// Clocks of several CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CoreFacts {
    /// The skew, if any, is less than this.
    pub skew_below_ns: Option<f64>,
    /// Two CPUs' clocks disagree, by up to this.
    pub skew_up_to_ns: Option<f64>,
    /// Values of causal clocks that another CPU saw, none of which went backwards.
    pub causal_values: Option<u64>,
    /// Whether a clock went backwards between CPUs that must not.
    pub went_backwards: Option<bool>,
}

/// How late `std::thread::sleep` is, compared with the library's `Pauser`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SleepFacts {
    /// How long it was to be.
    pub requested_ns: u64,
    /// How much longer the median sleep took.
    pub late_p50_ns: f64,
    /// The same of the library's `Pauser`.
    pub pauser_late_p50_ns: Option<f64>,
}

/// Time lost in gaps between consecutive reads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LostFacts {
    /// From which length a gap counts.
    pub gaps_above_ns: f64,
    /// The part of the time in gaps, from 0 to 1.
    pub share: f64,
    /// The longest.
    pub longest_gap_ns: f64,
    /// Who took most of it.
    pub mostly_by: LostTo,
}

impl Facts {
    /// The facts of a check.
    ///
    /// # Errors
    /// With the reason, for any other document.
    pub fn of(record: &Record) -> Result<Self, String> {
        let (judgement, host) = judged(record)?;
        let machine = &record.machine;
        let clock = clock(record, judgement);
        Ok(Self {
            card_version: VERSION,
            tool: record.tool.clone(),
            started_at: record.started_at.clone(),
            elapsed_ms: record.elapsed_ms,
            interrupted: record.interrupted,
            cpu: first_screen::processor(record),
            cpus: machine.cpu.online,
            virtual_machine: machine.hypervisor.present,
            hypervisor: machine.hypervisor.name.clone(),
            emulated_by: machine.emulated_by().map(str::to_owned),
            clocksource: machine.clocksource.current.clone(),
            host: HostFacts {
                state: host.state,
                complete: host.complete,
                reasons: host.reasons.iter().map(|reason| reason.id.clone()).collect(),
            },
            clock: clock.map(of_clock),
            reads: compared(record, clock).filter_map(|clock| read(record, clock)).collect(),
            cores: cores(judgement),
            sleep: sleep(record),
            time_lost: judgement.noise.lost.as_ref().map(|lost| LostFacts {
                gaps_above_ns: lost.above_ns,
                share: lost.share,
                longest_gap_ns: lost.worst_ns,
                mostly_by: lost.mostly_by,
            }),
        })
    }
}

/// What a check concluded.
///
/// # Errors
/// If the document is of another command.
pub fn judged(record: &Record) -> Result<(&Judgement, &Host), String> {
    // An answer or a gate of a check is about a question, not the machine.
    let is_other = record.content.advice.is_some() || record.content.gate.is_some();
    let wrong = || format!("it is no check; `chronoscope {}` wrote it", record.command);
    record.content.concluded().filter(|_| !is_other).ok_or_else(wrong)
}

/// The clock that a card is about.
pub fn clock<'a>(record: &'a Record, judgement: &Judgement) -> Option<&'a ClockReport> {
    let clocks = record.content.clocks();
    let usual = clocks.clock(&CLOCK.into()).filter(|clock| clock.available && clock.latency_ns.is_some());
    usual.or_else(|| clocks.clock(judgement.uses.durations.as_ref()?))
}

/// It, and what it is compared with, from the counter to the system call.
pub fn compared<'a>(record: &'a Record, clock: Option<&'a ClockReport>) -> impl Iterator<Item = &'a ClockReport> {
    let known = |id: SourceId| {
        record.content.clocks().clock(&id.into()).filter(|clock| clock.available && clock.latency_ns.is_some())
    };
    let ordered = known(SourceId::CounterWithProcessorId).or_else(|| known(SourceId::CounterOrdered));
    [known(SourceId::CounterUnordered), ordered, clock, known(SourceId::MonotonicSystemCall)].into_iter().flatten()
}

fn of_clock(clock: &ClockReport) -> ClockFacts {
    let [one, ten] = Tolerance::ALL.map(|tolerance| {
        clock.intervals.as_ref().map_or_else(ShortestInterval::default, |timed| timed.shortest(tolerance))
    });
    ClockFacts {
        name: clock.name.name().to_owned(),
        resolution_declared_ns: clock.resolution_ns_declared,
        step_ns: clock.moves_in_ns(),
        smallest_step_is_a_read: clock.step.and_then(Step::is_hidden),
        interval_within_10pct: interval(ten),
        interval_within_1pct: interval(one),
    }
}

fn interval(known: ShortestInterval) -> IntervalFacts {
    let tried_to_ns = match known {
        ShortestInterval::NotConfirmed { tried_to_ns, .. } => Some(tried_to_ns),
        _ => None,
    };
    IntervalFacts { from_ns: known.known_from_ns(), tried_to_ns, is_confirmed: known.is_confirmed() }
}

fn read(record: &Record, clock: &ClockReport) -> Option<ReadFacts> {
    let latency = &clock.latency_ns.as_ref()?.per_read;
    let (latency_low_ns, latency_high_ns) = latency.interval().unzip();
    Some(ReadFacts {
        clock: clock.name.name().to_owned(),
        latency_ns: latency.estimate,
        latency_low_ns,
        latency_high_ns,
        path: clock.path,
        exits_to_hypervisor: clock.exits_on(&record.machine),
    })
}

fn cores(judgement: &Judgement) -> CoreFacts {
    let (causal_values, went_backwards) = match judgement.causality.across_cores {
        AcrossCores::Causal { new_values, .. } => (Some(new_values), Some(false)),
        AcrossCores::WentBackwards { .. } => (None, Some(true)),
        AcrossCores::Unknown { .. } | AcrossCores::NotTested { .. } => (None, None),
    };
    let (skew_below_ns, skew_up_to_ns) = match judgement.skew {
        Skew::NotExcluded { below_ns } => (Some(below_ns), None),
        Skew::Apart { up_to_ns } => (None, Some(up_to_ns)),
        Skew::NotTested { .. } => (None, None),
    };
    CoreFacts { skew_below_ns, skew_up_to_ns, causal_values, went_backwards }
}

/// Of the longest pause that was tried.
fn sleep(record: &Record) -> Option<SleepFacts> {
    let pauses = record.content.pauses().as_ref()?;
    let longest = pauses.lengths_ns().pop()?;
    let late = |way: PauseWay| {
        let of = |method: &&PauseFigures| method.name == way.name() && method.requested_ns == longest;
        pauses.methods.iter().find(of).map(PauseFigures::late_p50_ns)
    };
    let late_p50_ns = late(PauseWay::StdSleep)?;
    Some(SleepFacts { requested_ns: longest, late_p50_ns, pauser_late_p50_ns: late(PauseWay::Pauser) })
}
