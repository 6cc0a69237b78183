use chronoscope_sources::SourceId;
use chronoscope_sources::os::OsClock;

use super::plan::ClocksPlan;
use super::report::{ClockReport, ClocksReport};
use crate::section::rule::{self, SectionRule};
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{count, ns};
use chronoscope_harness::record::{Machine, PathMethod};

type RuleInput<'a> = rule::RuleInput<'a, ClocksPlan, ClocksReport>;

pub const RULES: &[SectionRule<ClocksPlan, ClocksReport>] = &[
    SectionRule::new(&[OS_CLOCK_COARSE], os_clock_coarse),
    SectionRule::new(&[PATH_INFERRED], path_inferred),
    SectionRule::new(&[COUNTER_TRAPS], counter_traps),
    SectionRule::new(&[CLOCK_STANDS_STILL], clocks_stand_still),
];

pub const OS_CLOCK_COARSE: Kind = Kind::warning(
    "os_clock_coarse",
    Meaning {
        about: "the monotonic clock moves in steps of a microsecond or more",
        evidence: "the step of `CLOCK_MONOTONIC` (`granularity_ns`), longer than a read",
        mend: "timing to 1 % takes intervals of 100 steps or more; check the clocksource",
    },
)
.shown_in(&["clocks", "reads"])
.classed(HostState::Degraded);
pub const PATH_INFERRED: Kind = Kind::notice(
    "path_inferred",
    Meaning {
        about: "the path of a clock is inferred from timing, not proved",
        evidence: "the number of clocks whose path only timing suggests (`clocks`)",
        mend: "to prove it, run where a process may install a seccomp filter",
    },
)
.shown_in(&["clocks"]);
pub const COUNTER_TRAPS: Kind = Kind::warning(
    "counter_traps",
    Meaning {
        about: "reading the counter costs as much as a trap",
        evidence: "the cost of a counter read (`latency_ns`), over 200 dependent multiplications of the same \
            run",
        mend: "use a machine type that passes the counter through; without a hypervisor, look for an \
            emulator or a tracer",
    },
)
.shown_in(&["clocks"])
.classed(HostState::Degraded);

pub const CLOCK_STANDS_STILL: Kind = Kind::warning(
    "clock_stands_still",
    Meaning {
        about: "a clock that advances with every read stalled for much longer than its step",
        evidence: "the longest stall (`longest_still_ns`) and the reads in it (`longest_equal_reads`), against \
            the usual step (`step_ns_p50`)",
        mend: "an interval shorter than this can come out as 0: look for a CPU whose counter is behind the \
            others' (chronoscope causality), where the kernel's clock waits for it",
    },
)
.shown_in(&["clocks", "reads"])
.classed(HostState::Broken);

/// A stall is at least this long, and so many times the usual step: anything shorter is a clamp after a move to another CPU,
/// or a slow clock.
const STANDSTILL_NS: f64 = 10_000.0;
const STANDSTILL_STEPS: f64 = 10.0;
/// A register read that costs as much as this many dependent multiplications is taken to trap. They take three or four
/// cycles each, so this is at least 600 cycles: several times a native read, and less than a VM exit. Both are measured
/// in one run, so that a slow CPU, which slows both, does not look like a trap. An emulator has neither cycles nor exits.
const TRAP_LINKS: f64 = 200.0;

/// `CLOCK_MONOTONIC`, where it can be read.
pub fn monotonic(report: &ClocksReport) -> Option<&ClockReport> {
    report.clocks.iter().find(|clock| clock.available && clock.name == SourceId::Os(OsClock::Monotonic))
}

fn os_clock_coarse(seen: &RuleInput<'_>) -> Vec<Finding> {
    monotonic(seen.report)
        .filter(|clock| clock.is_coarse())
        .and_then(|clock| Some((clock, clock.step_ns()?)))
        .map(|(clock, step)| {
            Finding::new(OS_CLOCK_COARSE, format!("{} moves in steps of {}", clock.name, ns(step)))
                .about(&clock.name)
                .value("granularity_ns", step)
                .advice(OS_CLOCK_COARSE.mend)
        })
        .into_iter()
        .collect()
}

fn path_inferred(seen: &RuleInput<'_>) -> Vec<Finding> {
    let inferred: Vec<&str> = seen
        .report
        .clocks
        .iter()
        .filter(|clock| clock.path_evidence.as_ref().is_some_and(|proof| proof.method == PathMethod::Inferred))
        .map(|clock| clock.name.name())
        .collect();
    if inferred.is_empty() {
        return Vec::new();
    }
    vec![
        Finding::new(PATH_INFERRED, format!("the path of {} is inferred from timing", inferred.join(", ")))
            .value("clocks", inferred.len() as f64)
            .advice(PATH_INFERRED.mend),
    ]
}

/// The cost of a counter read, if it is that of a trap. None on an emulated CPU.
pub fn trap_cost_ns(machine: &Machine, report: &ClocksReport) -> Option<f64> {
    if machine.is_emulated() {
        return None;
    }
    let counter = SourceId::CounterUnordered;
    let cost = report.clocks.iter().find(|clock| clock.name == counter)?.latency_ns.as_ref()?.per_read.estimate;
    let link_ns = report.harness.as_ref()?.interference.quiet_link_ns;
    (link_ns > 0.0 && cost > TRAP_LINKS * link_ns).then_some(cost)
}

fn counter_traps(seen: &RuleInput<'_>) -> Vec<Finding> {
    let name = SourceId::CounterUnordered.name();
    let Some(cost) = trap_cost_ns(seen.machine, seen.report) else { return Vec::new() };
    let advice = if seen.machine.hypervisor.present == Some(true) {
        "the hypervisor intercepts the counter; use a machine type that passes the counter through"
    } else {
        "something intercepts the counter: a hidden hypervisor, an emulator or a tracer"
    };
    vec![
        Finding::new(COUNTER_TRAPS, format!("{name} costs {}, as much as a trap", ns(cost)))
            .about(name)
            .value("latency_ns", cost)
            .advice(advice),
    ]
}

fn clocks_stand_still(seen: &RuleInput<'_>) -> Vec<Finding> {
    let stood_still = |clock: &ClockReport| {
        let (still_ns, reads) = clock.stood_still()?;
        let seen = clock.granularity.as_ref()?;
        let is_long = still_ns >= STANDSTILL_NS.max(STANDSTILL_STEPS * seen.step_ns_p50);
        is_long.then(|| {
            let summary = format!(
                "{} returned one value {} times, for {}, though it usually moves by {} from read to read",
                clock.name,
                count(reads.saturating_add(1)),
                ns(still_ns),
                ns(seen.step_ns_p50)
            );
            Finding::new(CLOCK_STANDS_STILL, summary)
                .about(&clock.name)
                .value("longest_still_ns", still_ns)
                .value("longest_equal_reads", reads as f64)
                .value("zero_share", seen.zero_share)
                .value("step_ns_p50", seen.step_ns_p50)
                .advice(CLOCK_STANDS_STILL.mend)
        })
    };
    seen.report.clocks.iter().filter_map(stood_still).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock_id::ClockId;
    use crate::rules::tests::{latency, readable};
    use crate::sections::clocks::report::Harness;
    use chronoscope_harness::estimators::tick::Step;
    use chronoscope_harness::record::PathEvidence;
    use chronoscope_harness::record::study::InterferenceProbe;

    const COUNTER: SourceId = SourceId::CounterUnordered;

    fn of(clocks: impl IntoIterator<Item = ClockReport>) -> ClocksReport {
        ClocksReport { clocks: clocks.into_iter().collect(), ..ClocksReport::default() }
    }

    fn found(find: fn(&RuleInput<'_>) -> Vec<Finding>, machine: &Machine, report: &ClocksReport) -> Vec<Finding> {
        find(&RuleInput { machine, plan: &ClocksPlan::default(), report })
    }

    /// This cost of a counter read and of a link of dependent multiplications.
    fn costs(read_ns: f64, link_ns: f64) -> ClocksReport {
        let mut counter = readable(COUNTER);
        counter.latency_ns = Some(latency(read_ns));
        let mut report = of([counter]);
        report.harness = Some(Harness {
            timer: ClockId::default(),
            timer_cost_ns: 0.0,
            timer_error_pct: 0.0,
            loop_overhead_ns: None,
            interference: InterferenceProbe {
                quiet_turn_ns: link_ns / 3.0,
                quiet_link_ns: link_ns,
                ..InterferenceProbe::default()
            },
        });
        report
    }

    #[test]
    fn a_trap_is_told_by_what_the_machine_itself_takes_for_work() {
        let trap_cost_ns = |report: &ClocksReport| trap_cost_ns(&Machine::default(), report);
        // A read of 25 cycles at 3 GHz; one that exits to a hypervisor.
        assert_eq!(trap_cost_ns(&costs(8.3, 1.0)), None);
        assert_eq!(trap_cost_ns(&costs(1_200.0, 1.0)), Some(1_200.0));
        // A slow core: 100 cycles at 300 MHz. An emulator: everything is slow.
        assert_eq!(trap_cost_ns(&costs(333.0, 13.0)), None);
        assert_eq!(trap_cost_ns(&costs(400.0, 20.0)), None);
        // Nothing to compare with.
        let mut unmeasured = costs(1_200.0, 1.0);
        unmeasured.harness = None;
        assert_eq!(trap_cost_ns(&unmeasured), None);
    }

    #[test]
    fn paths_that_were_guessed_are_told_once() {
        let methods = [("a", PathMethod::Inferred), ("b", PathMethod::Proved), ("c", PathMethod::Inferred)];
        let clocks = methods.map(|(name, method)| {
            let evidence = PathEvidence { method, detail: String::new() };
            ClockReport { path_evidence: Some(evidence), ..readable(name) }
        });
        let found = found(path_inferred, &Machine::default(), &of(clocks));
        assert!(found.len() == 1 && found[0].is(PATH_INFERRED), "{found:?}");
        assert!(found[0].evidence.summary.contains("a, c "), "{found:?}");
    }

    #[test]
    fn nothing_is_compared_with_silicon_on_an_emulated_cpu() {
        let (mut machine, report) = (Machine::default(), costs(2_000.0, 1.0));
        assert!(trap_cost_ns(&machine, &report).is_some());
        machine.cpu.emulation.is_emulated = Some(true);
        assert_eq!(trap_cost_ns(&machine, &report), None);
        assert_eq!(found(counter_traps, &machine, &report), []);
    }

    #[test]
    fn a_hypervisor_is_blamed_only_where_there_is_one() {
        let mut machine = Machine::default();
        let told = |machine: &Machine| found(counter_traps, machine, &costs(1_200.0, 1.0)).remove(0);
        assert!(told(&machine).is(COUNTER_TRAPS));
        machine.hypervisor.present = Some(false);
        assert!(told(&machine).advice[0].starts_with("something"));
        machine.hypervisor.present = Some(true);
        assert!(!told(&machine).advice[0].starts_with("something"));
    }

    #[test]
    fn a_step_that_is_shorter_than_a_read_is_not_coarse() {
        let coarse = |clock: &ClockReport| found(os_clock_coarse, &Machine::default(), &of([clock.clone()]));
        let mut clock = readable(SourceId::Os(OsClock::Monotonic));
        clock.step = Some(Step::Seen { ns: 1_200.0 });
        clock.latency_ns = Some(latency(9_000.0));
        assert_eq!(coarse(&clock), []);
        clock.latency_ns = Some(latency(50.0));
        assert_eq!(coarse(&clock).len(), 1);
    }
}
