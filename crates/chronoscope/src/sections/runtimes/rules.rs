pub mod latch;

use super::plan::RuntimesPlan;
use crate::probe::runtime::{Runtime, RuntimeClock, TimeKind};
use crate::section::rule::{self, SectionRule};
use crate::shared_findings::{EARLY_PAUSE, NEGATIVE_ELAPSED, returned_early, went_backwards};
use chronoscope_harness::estimators::tick::Step;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::{RATIO, ns};
use chronoscope_probes::RuntimeKind;

type RuleInput<'a> = rule::RuleInput<'a, Option<RuntimesPlan>, Vec<Runtime>>;

pub const RULES: &[SectionRule<Option<RuntimesPlan>, Vec<Runtime>>] = &[
    SectionRule::new(&[NEGATIVE_ELAPSED], negative_elapsed),
    SectionRule::new(&[RUNTIME_CLOCK_RATE], clock_rate),
    SectionRule::new(&[RUNTIME_TICK_COARSE], tick_coarse),
    SectionRule::new(&[WALL_CLOCK_FOR_INTERVALS], wall_clock_for_intervals).lacking(clocks_not_asked),
    SectionRule::new(&[RUNTIME_LOOP_DOUBTFUL], loop_doubtful),
    SectionRule::new(&[RUNTIME_NOT_STEADY], not_steady),
    SectionRule::new(&[RUNTIME_NOT_PARALLEL], not_parallel).lacking(clocks_not_asked),
    SectionRule::new(&[EARLY_PAUSE], early_pause),
];

pub const RUNTIME_CLOCK_RATE: Kind = Kind::critical(
    "runtime_clock_rate",
    Meaning {
        about: "a runtime's clock runs at another rate than this machine's",
        evidence: "the rate, as a multiple of that of this machine's clock (`rate`), by readings of both at the start and at the end of \
            each process",
        mend: "look for what replaces the runtime's clock, such as a library in LD_PRELOAD; nothing that this clock measures is reported",
    },
)
.shown_in(&["runtimes"])
.classed(HostState::Broken);
pub const RUNTIME_TICK_COARSE: Kind = Kind::warning(
    "runtime_tick_coarse",
    Meaning {
        about: "a runtime's clock moves in coarser steps than it declares or its unit suggests",
        evidence: "the step of the runtime's clock (`granularity_ns`) and the unit of its readings (`tick_ns`)",
        mend: "do not time shorter intervals with two reads of it; use a finer clock of the runtime, or time batches",
    },
)
.shown_in(&["runtimes"])
.classed(HostState::Degraded);
pub const WALL_CLOCK_FOR_INTERVALS: Kind = Kind::notice(
    "wall_clock_for_intervals",
    Meaning {
        about: "runtimes' wall clocks, which may be set during an interval",
        evidence: "the wall clocks of each runtime, and its monotonic clock; how many runtimes (`runtimes`)",
        mend: "use them for the time of day only; for intervals use the runtime's monotonic clock",
    },
)
.shown_in(&["runtimes"]);
pub const RUNTIME_LOOP_DOUBTFUL: Kind = Kind::warning(
    "runtime_loop_doubtful",
    Meaning {
        about: "four times as many reads of a runtime's clock did not take four times as long",
        evidence: "how many times as long four times as many reads took (`ratio`)",
        mend: "do not trust its latency: the compiler transformed the loop, or the machine was disturbed",
    },
)
.shown_in(&["runtimes"]);
pub const RUNTIME_NOT_STEADY: Kind = Kind::warning(
    "runtime_not_steady",
    Meaning {
        about: "a runtime's loops did not reach a steady state in time",
        evidence: "the number of clocks whose loops were still changing in most processes (`clocks`)",
        mend: "measure longer (--thorough) or on a quieter machine",
    },
)
.shown_in(&["runtimes"]);
pub const RUNTIME_NOT_PARALLEL: Kind = Kind::notice(
    "runtime_not_parallel",
    Meaning {
        about: "a runtime runs one thread at a time",
        evidence: "how the runtime's threads ran: one at a time",
        mend: "elapsed time in a thread includes the other threads' turns: time the threads' work as a whole",
    },
)
.shown_in(&["runtimes"]);
/// A step shorter than this, or shorter than a read, is not coarse.
const COARSE_NS: f64 = 50.0;
/// A step is distinct from the unit of the readings if it is at least this many times as long.
const STEP_FACTOR: f64 = 1.5;
/// A step that is longer by no more than this factor is as fine.
const SAME_STEP: f64 = 1.1;
/// With fewer processes, no statement about steadiness.
const FEWEST_JUDGED: u32 = 3;

/// Every clock of every runtime that was measured.
fn clocks<'a>(seen: &RuleInput<'a>) -> impl Iterator<Item = (&'a Runtime, &'a RuntimeClock)> {
    measured(seen.report).flat_map(|runtime| runtime.clocks.iter().map(move |clock| (runtime, clock)))
}

/// Those that could be measured.
pub fn measured(runtimes: &[Runtime]) -> impl Iterator<Item = &Runtime> {
    runtimes.iter().filter(|runtime| runtime.available)
}

/// What is missing where not the table of clocks was requested, but only pauses or a latch, or a check's short form.
fn clocks_not_asked(seen: &RuleInput<'_>) -> Option<&'static str> {
    let is_asked = seen.plan.as_ref().is_some_and(|plan| plan.clocks && !plan.quick_starters);
    (!is_asked).then_some("only `chronoscope runtimes` looks for it")
}

/// A clock's name where others may have the same name.
fn full_name(runtime: &Runtime, clock: &RuntimeClock) -> String {
    format!("{} of {}", clock.name, runtime.title())
}

fn negative_elapsed(seen: &RuleInput<'_>) -> Vec<Finding> {
    let went_back = clocks(seen).filter_map(|(runtime, clock)| {
        let seen = clock.granularity.as_ref().filter(|seen| seen.backward_steps > 0)?;
        let wall = (clock.kind == TimeKind::Wall).then_some("");
        Some(went_backwards(&full_name(runtime, clock), seen.backward_steps, seen.worst_backward_ns, wall))
    });
    went_back.collect()
}

fn clock_rate(seen: &RuleInput<'_>) -> Vec<Finding> {
    let wrong = clocks(seen).filter_map(|(runtime, clock)| Some((full_name(runtime, clock), clock.wrong_rate?)));
    let told = wrong.map(|(name, rate)| {
        let summary = format!("{name} runs at {} the rate of this machine's clock", RATIO.value(rate));
        Finding::new(RUNTIME_CLOCK_RATE, summary).about(name).value("rate", rate).advice(RUNTIME_CLOCK_RATE.mend)
    });
    told.collect()
}

/// The step of a clock that is coarser than it lets expect, and whether it declares itself high-resolution.
pub fn coarse_step_ns(clock: &RuntimeClock) -> Option<(f64, bool)> {
    let least = clock.latency_ns.as_ref().map_or(COARSE_NS, |latency| latency.per_read.estimate.max(COARSE_NS));
    let step = clock.step_ns().filter(|step| *step >= least && clock.kind != TimeKind::Cpu)?;
    let claims = clock.high_resolution_declared == Some(true);
    (claims || step >= clock.tick_ns * STEP_FACTOR).then_some((step, claims))
}

fn tick_coarse(seen: &RuleInput<'_>) -> Vec<Finding> {
    let coarse = clocks(seen).filter_map(|(runtime, clock)| Some((runtime, clock, coarse_step_ns(clock)?)));
    coarse
        .map(|(runtime, clock, (step, claims))| {
            let name = full_name(runtime, clock);
            let contrast = if claims {
                "and declares itself high-resolution".to_owned()
            } else {
                format!("although its unit is {}", ns(clock.tick_ns))
            };
            let mut finding =
                Finding::new(RUNTIME_TICK_COARSE, format!("{name} moves in steps of {} {contrast}", ns(step)))
                    .about(name)
                    .value("granularity_ns", step)
                    .value("tick_ns", clock.tick_ns);
            // Nobody mistakes a clock of milliseconds for a fine one.
            if clock.kind == TimeKind::Wall || clock.tick_ns >= 1e3 {
                finding.severity = Severity::Notice;
            }
            match clock.claimed_interval_ns.within_1pct {
                Some(shortest) => finding.advice(format!("two reads may be off by a step: 1 % of {}", ns(shortest))),
                None => finding,
            }
        })
        .collect()
}

fn wall_clock_for_intervals(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut told: Vec<(RuntimeKind, String)> = Vec::new();
    for runtime in measured(seen.report).filter(|_| clocks_not_asked(seen).is_none()) {
        let of = |kind| runtime.clocks.iter().filter(move |clock| clock.kind == kind).map(|clock| clock.name.as_str());
        let walls: Vec<&str> = of(TimeKind::Wall).collect();
        if walls.is_empty() || told.iter().any(|(kind, _)| *kind == runtime.kind) {
            continue;
        }
        let instead = steadiest(runtime).map_or_else(String::new, |name| format!(" (use {name})"));
        told.push((runtime.kind, format!("{} {}{instead}", runtime.kind.title(), walls.join(", "))));
    }
    if told.is_empty() {
        return Vec::new();
    }
    let list: Vec<String> = told.iter().map(|(_, words)| words.clone()).collect();
    let summary = format!("wall clocks, which may be set during an interval: {}", list.join("; "));
    vec![
        Finding::new(WALL_CLOCK_FOR_INTERVALS, summary)
            .value("runtimes", told.len() as f64)
            .advice(WALL_CLOCK_FOR_INTERVALS.mend),
    ]
}

/// The monotonic clock to recommend: among those never observed to step back, the first of those with the finest step, which is that
/// of one counter for all and estimated for each.
fn steadiest(runtime: &Runtime) -> Option<&str> {
    let is_steady = |clock: &&RuntimeClock| clock.granularity.as_ref().is_none_or(|seen| seen.backward_steps == 0);
    let steady = || runtime.clocks.iter().filter(|clock| clock.kind == TimeKind::Monotonic).filter(is_steady);
    // A step that a read hides is fine, one that is not known may be of any length.
    let step_of = |clock: &RuntimeClock| match clock.step {
        Some(Step::Tick { ns, .. } | Step::Seen { ns }) => ns,
        Some(Step::WithinARead { .. }) => 0.0,
        None => f64::INFINITY,
    };
    let finest_ns = steady().map(step_of).min_by(f64::total_cmp)?;
    steady().find(|clock| step_of(clock) <= finest_ns * SAME_STEP).map(|clock| clock.name.as_str())
}

fn loop_doubtful(seen: &RuleInput<'_>) -> Vec<Finding> {
    let doubtful = clocks(seen).filter(|(_, clock)| clock.loop_is_doubtful());
    doubtful
        .filter_map(|(runtime, clock)| Some((full_name(runtime, clock), clock.loop_ratio?)))
        .map(|(name, ratio)| {
            let summary = format!("four times as many reads of {name} took {} as long", RATIO.value(ratio));
            Finding::new(RUNTIME_LOOP_DOUBTFUL, summary)
                .about(name)
                .value("ratio", ratio)
                .advice(RUNTIME_LOOP_DOUBTFUL.mend)
        })
        .collect()
}

fn not_steady(seen: &RuleInput<'_>) -> Vec<Finding> {
    let unsteady = |runtime: &Runtime| {
        let judged = || runtime.clocks.iter().filter_map(|clock| Some((clock, clock.warm_up?)));
        let names: Vec<&str> = judged()
            .filter(|(_, seen)| seen.processes >= FEWEST_JUDGED && seen.processes_steady * 2 < seen.processes)
            .map(|(clock, _)| clock.name.as_str())
            .collect();
        (!names.is_empty()).then(|| {
            let summary =
                format!("{}: the loops of {} were still changing in most processes", runtime.title(), names.join(", "));
            Finding::new(RUNTIME_NOT_STEADY, summary)
                .about(runtime.title())
                .value("clocks", names.len() as f64)
                .advice(RUNTIME_NOT_STEADY.mend)
        })
    };
    measured(seen.report).filter_map(unsteady).collect()
}

fn not_parallel(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut kinds: Vec<(RuntimeKind, Vec<String>)> = Vec::new();
    let is_serial = |runtime: &&Runtime| runtime.parallel == Some(false) && clocks_not_asked(seen).is_none();
    for runtime in measured(seen.report).filter(is_serial) {
        match kinds.iter_mut().find(|(kind, _)| *kind == runtime.kind) {
            Some((_, titles)) => titles.push(runtime.title()),
            None => kinds.push((runtime.kind, vec![runtime.title()])),
        }
    }
    let told = kinds.into_iter().map(|(_, titles)| {
        let titles = titles.join(", ");
        Finding::new(RUNTIME_NOT_PARALLEL, format!("{titles}: one thread runs at a time"))
            .about(titles)
            .advice(RUNTIME_NOT_PARALLEL.mend)
    });
    told.collect()
}

fn early_pause(seen: &RuleInput<'_>) -> Vec<Finding> {
    let early = measured(seen.report).flat_map(|runtime| {
        let methods = runtime.pause.iter().flat_map(|pause| &pause.methods);
        methods.filter_map(move |method| returned_early(&format!("{} of {}", method.name, runtime.title()), method))
    });
    // Several runtimes explicitly permit it.
    early.map(|finding| Finding { severity: Severity::Notice, ..finding }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Record;
    use crate::judgement::rules::declared_resolution::RESOLUTION_IS_NOT_GRANULARITY;
    use crate::judgement::rules::runtime_failed::{RUNTIME_FAILED, RUNTIME_ON_SLOW_PATH};
    use crate::kinds;
    use crate::plan::{Depth, Frame};
    use crate::probe::probe_process::ProbeProcess;
    use crate::probe::runtime::WarmUp;
    use crate::probe::{Answer, CountedCalls};
    use crate::rules::tests::conclude;
    use crate::sections::runtimes::estimate;
    use crate::sections::runtimes::estimate::NativeRounds;
    use crate::sections::runtimes::plan::plan;
    use std::collections::BTreeMap;

    /// A record of one runtime with one clock, as its probe would report it.
    fn record(kind: TimeKind, hz: u64, high_resolution: Option<bool>, lines: &[&str]) -> Record {
        let identity = r#"{"type":"identity","protocol":1,"runtime":"R","version":"7.1","executable":"/r","timer":"t","timer_hz":1000000000,"parallel":false,"notes":[]}"#;
        let kind = serde_json::to_string(&kind).unwrap();
        let high_resolution = serde_json::to_string(&high_resolution).unwrap();
        let clock = format!(
            r#"{{"type":"clock","clock":"now","kind":{kind},"hz":{hz},"declared_hz":{hz},"declared_resolution_ns":null,"high_resolution":{high_resolution}}}"#
        );
        let answer = Answer::of(&[&[identity, &clock], lines].concat().join("\n")).unwrap();
        let processes: Vec<ProbeProcess> = (0..3).map(|round| ProbeProcess { round, answer: answer.clone() }).collect();
        let by_call = BTreeMap::from([("clock_gettime".to_owned(), 200)]);
        let calls = CountedCalls::from([("now".to_owned(), by_call)]);
        let counted = (!answer.counted.is_empty()).then_some((&answer, &calls));
        let clocks = estimate::runtime_clocks(&processes, counted, &NativeRounds::new());
        let pause = estimate::runtime_pause(&processes);
        let frame = Frame { depth: Depth::Normal, cpus: vec![0, 1], alone: true };
        let mut record = crate::rules::tests::blank();
        record.content.sections.runtimes.plan = Some(plan(&Default::default(), &frame).unwrap());
        record.content.sections.runtimes.report.push(Runtime {
            available: true,
            version: Some("7.1".to_owned()),
            parallel: Some(true),
            clocks,
            pause,
            ..crate::probe::unasked(RuntimeKind::Mono)
        });
        record
    }

    fn ids(record: &Record) -> Vec<(Kind, Severity)> {
        conclude(record).into_iter().map(|finding| (*kinds::of_check(&finding.id).unwrap(), finding.severity)).collect()
    }

    #[test]
    fn what_is_found_of_runtimes_is_on_their_page() {
        for kind in RULES.iter().flat_map(|rule| rule.yields) {
            assert!(kind.is_shown_in("runtimes"), "{kind:?}");
        }
    }

    const STEPS_OF_100_NS: &str =
        r#"{"type":"steps","clock":"now","reads":400,"unchanged":300,"changes":[1,1,2,1,1,1,1,1,1,1]}"#;

    #[test]
    fn a_clock_of_another_rate_is_told() {
        let mut lying = record(TimeKind::Monotonic, 1_000_000_000, None, &[]);
        assert_eq!(ids(&lying), []);
        lying.content.sections.runtimes.report[0].clocks[0].wrong_rate = Some(10.0);
        assert_eq!(ids(&lying), [(RUNTIME_CLOCK_RATE, Severity::Critical)]);
        assert!(conclude(&lying)[0].evidence.summary.contains("10.0×"), "{:?}", conclude(&lying));
    }

    #[test]
    fn a_coarse_tick_behind_a_flag_of_high_resolution_is_told() {
        let coarse = record(TimeKind::Monotonic, 10_000_000, Some(true), &[STEPS_OF_100_NS]);
        assert_eq!(ids(&coarse), [(RUNTIME_TICK_COARSE, Severity::Warning)]);
        let finding = &conclude(&coarse)[0];
        assert_eq!(finding.evidence.values["granularity_ns"], 100.0);
        assert_eq!(ids(&record(TimeKind::Monotonic, 10_000_000, None, &[STEPS_OF_100_NS])), []);
    }

    #[test]
    fn a_tick_that_is_shorter_than_a_read_is_not_coarse() {
        let mut slow = record(TimeKind::Monotonic, 10_000_000, Some(true), &[STEPS_OF_100_NS]);
        slow.content.sections.runtimes.report[0].clocks[0].latency_ns = Some(crate::rules::tests::latency(700.0));
        assert_eq!(ids(&slow), []);
    }

    #[test]
    fn steps_longer_than_the_declared_resolution_are_told() {
        let steps = r#"{"type":"steps","clock":"now","reads":400,"unchanged":300,"changes":[100,200,100,100,100]}"#;
        let found = |kind| ids(&record(kind, 1_000_000_000, None, &[steps]));
        // Once: with what it cannot time, where that is said.
        assert_eq!(found(TimeKind::Monotonic), [(RUNTIME_TICK_COARSE, Severity::Warning)]);
        assert_eq!(found(TimeKind::Cpu), [(RESOLUTION_IS_NOT_GRANULARITY, Severity::Notice)]);
    }

    #[test]
    fn a_clock_that_enters_the_kernel_is_told_but_for_cpu_time() {
        let counted = [r#"{"type":"count_begin","clock":"now"}"#, r#"{"type":"count_end","clock":"now","reads":200}"#];
        let slow = record(TimeKind::Monotonic, 1_000_000_000, None, &counted);
        assert_eq!(ids(&slow), [(RUNTIME_ON_SLOW_PATH, Severity::Warning)]);
        assert_eq!(conclude(&slow)[0].evidence.values["system_calls"], 200.0);
        assert_eq!(ids(&record(TimeKind::Cpu, 1_000_000_000, None, &counted)), []);
    }

    #[test]
    fn loops_that_mostly_kept_changing_are_told() {
        let mut changing = record(TimeKind::Monotonic, 1_000_000_000, None, &[]);
        for (processes, processes_steady, told) in [(3, 1, 1), (3, 2, 0), (2, 0, 0)] {
            let seen = WarmUp { processes, processes_steady };
            changing.content.sections.runtimes.report[0].clocks[0].warm_up = Some(seen);
            assert_eq!(ids(&changing), vec![(RUNTIME_NOT_STEADY, Severity::Warning); told]);
        }
    }

    #[test]
    fn wall_clocks_are_told_once_for_all() {
        let mut walls = record(TimeKind::Wall, 1_000, None, &[]);
        let again = walls.content.runtimes()[0].clone();
        walls.content.sections.runtimes.report.push(again);
        assert_eq!(ids(&walls), [(WALL_CLOCK_FOR_INTERVALS, Severity::Notice)]);
        assert_eq!(conclude(&walls)[0].evidence.values["runtimes"], 1.0);
    }

    #[test]
    fn every_version_that_runs_one_thread_at_a_time_is_named() {
        let mut serial = record(TimeKind::Monotonic, 1_000, None, &[]);
        serial.content.sections.runtimes.report[0].parallel = Some(false);
        let first = serial.content.runtimes()[0].clone();
        serial.content.sections.runtimes.report.push(Runtime { version: Some("7.2".to_owned()), ..first.clone() });
        serial.content.sections.runtimes.report.push(Runtime { parallel: Some(true), ..first });
        let told = not_parallel(&serial.content.sections.runtimes.seen(&serial.machine));
        assert_eq!(told.len(), 1);
        assert!(["7.1", "7.2"].iter().all(|version| told[0].evidence.summary.contains(version)), "{told:?}");
    }

    #[test]
    fn a_clock_that_stepped_back_is_not_advised_nor_a_coarser_one() {
        let mut walls = record(TimeKind::Wall, 1_000, None, &[]);
        let mut add = |name: &str, lines: &[&str]| {
            let clock = record(TimeKind::Monotonic, 10_000_000, None, lines).content.runtimes()[0].clocks[0].clone();
            walls.content.sections.runtimes.report[0].clocks.push(RuntimeClock { name: name.to_owned(), ..clock });
        };
        add("back", &[r#"{"type":"steps","clock":"now","reads":400,"unchanged":0,"changes":[20,-700,20]}"#]);
        add(
            "coarse",
            &[
                r#"{"type":"steps","clock":"now","reads":400,"unchanged":390,"changes":[40000,40000,40000,40000,40000]}"#,
            ],
        );
        add("fine", &[STEPS_OF_100_NS]);
        let told = wall_clock_for_intervals(&walls.content.sections.runtimes.seen(&walls.machine));
        assert!(told[0].evidence.summary.contains("fine") && !told[0].evidence.summary.contains("coarse"), "{told:?}");
    }

    #[test]
    fn what_went_wrong_is_told() {
        let emptied = r#"{"type":"lane","clock":"now","reads":10,"ticks":[5,5],"warm":[],"check":[[5,5]]}"#;
        let early =
            r#"{"type":"pause","way":"sleep","requested_ns":1000,"wall_ns":5000,"cpu_ns":null,"taken_ns":[[900,1]]}"#;
        let back = r#"{"type":"steps","clock":"now","reads":400,"unchanged":0,"changes":[20,-700,20]}"#;
        let mut wrong = record(TimeKind::Monotonic, 1_000_000_000, None, &[emptied, early, back]);
        wrong.content.sections.runtimes.report[0].parallel = Some(false);
        let crashed = Runtime {
            executable: Some("/opt/mono".to_owned()),
            reason_unavailable: Some("it crashed".to_owned()),
            ..crate::probe::unasked(RuntimeKind::Mono)
        };
        wrong.content.sections.runtimes.report.push(crashed);
        assert_eq!(
            ids(&wrong),
            [
                (NEGATIVE_ELAPSED, Severity::Critical),
                (RUNTIME_FAILED, Severity::Warning),
                (RUNTIME_LOOP_DOUBTFUL, Severity::Warning),
                (EARLY_PAUSE, Severity::Notice),
                (RUNTIME_NOT_PARALLEL, Severity::Notice),
            ]
        );
        wrong.interrupted = true;
        assert!(!ids(&wrong).iter().any(|(kind, _)| *kind == RUNTIME_FAILED));
    }
}
