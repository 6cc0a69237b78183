//! Clocks that move in other steps than they declare. Those with one step read one counter and are told together, be they the
//! machine's or a runtime's.

use super::of_parts::RuleOfParts;
use crate::document::Record;
use crate::probe::runtime::Runtime;
use crate::sections::clocks::plan::{GRANULARITY, TICK};
use crate::sections::clocks::report::ClockReport;
use crate::sections::runtimes::plan::RUNTIMES;
use crate::sections::runtimes::rules::{coarse_step_ns, measured};
use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::{TIME, ns};
use chronoscope_sources::SourceId;

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[GRANULARITY, TICK], &[RESOLUTION_IS_NOT_GRANULARITY], |record| {
        if has_steps(record) { resolution_is_not_granularity(record) } else { Vec::new() }
    }),
    // Where the machine's own clocks were not looked at.
    RuleOfParts::new(&[RUNTIMES], &[RESOLUTION_IS_NOT_GRANULARITY], |record| {
        if has_steps(record) { Vec::new() } else { resolution_is_not_granularity(record) }
    }),
];

pub const RESOLUTION_IS_NOT_GRANULARITY: Kind = Kind::notice(
    "resolution_is_not_granularity",
    Meaning {
        about: "the declared resolution is not the observed step",
        evidence: "the step (`granularity_ns`), how many clocks move in it (`clocks`), and the finest resolution that they \
            declare (`declared_ns`), more than 1.5 times apart",
        mend: "rely on the observed step, not on the declared resolution or 1/frequency",
    },
)
.shown_in(&["clocks", "runtimes"]);

/// A step differs from the declared one if off by more than this factor.
const DIFFERS: f64 = 1.5;
/// Steps that are closer are one: a clock that reports whole nanoseconds shortens its step by up to one.
const SAME: f64 = 1.1;

/// A clock whose step is not the declared one.
struct Misdeclared<'a> {
    clock: &'a str,
    /// The runtime whose clock it is; None for the machine's.
    of: Option<&'a Runtime>,
    is_counter: bool,
    declared_ns: f64,
    step_ns: f64,
}

/// Whether the steps of any of the machine's clocks were observed.
fn has_steps(record: &Record) -> bool {
    record.content.clocks().clocks.iter().any(|clock| clock.granularity.is_some() || clock.tick.is_some())
}

fn resolution_is_not_granularity(record: &Record) -> Vec<Finding> {
    let of_machine = record.content.clocks().clocks.iter().filter_map(of_machine);
    let of_runtimes = measured(record.content.runtimes()).flat_map(of_runtime);
    let differs = |clock: &Misdeclared<'_>| !(1.0 / DIFFERS..=DIFFERS).contains(&(clock.step_ns / clock.declared_ns));
    let mut clocks: Vec<(usize, Misdeclared<'_>)> = of_machine.chain(of_runtimes).filter(differs).enumerate().collect();
    clocks.sort_by(|(_, a), (_, b)| a.step_ns.total_cmp(&b.step_ns));
    let of_one_step = clocks.chunk_by_mut(|(_, a), (_, b)| b.step_ns < a.step_ns * SAME);
    let told = of_one_step.map(|clocks| {
        clocks.sort_by_key(|(place, _)| *place);
        finding(&clocks.iter().map(|(_, clock)| clock).collect::<Vec<_>>())
    });
    told.collect()
}

fn of_machine(clock: &ClockReport) -> Option<Misdeclared<'_>> {
    let (declared_ns, step_ns) = (clock.resolution_ns_declared?, clock.moves_in_ns()?);
    // The library's clocks declare a bound: they may move in shorter steps.
    let is_bound = clock.name.known().is_some_and(|id| id.facts().declared_step.is_some());
    let is_counter = clock.is_counter();
    let found = Misdeclared { clock: clock.name.name(), of: None, is_counter, declared_ns, step_ns };
    Some(found).filter(|_| clock.available && !(is_bound && step_ns <= declared_ns))
}

fn of_runtime(runtime: &Runtime) -> impl Iterator<Item = Misdeclared<'_>> {
    // The step of a coarse clock is told with what it cannot time.
    let others = runtime.clocks.iter().filter(|clock| coarse_step_ns(clock).is_none());
    others.filter_map(move |clock| {
        let (declared_ns, step_ns) = (clock.resolution_ns_declared?, clock.moves_in_ns()?);
        Some(Misdeclared { clock: &clock.name, of: Some(runtime), is_counter: false, declared_ns, step_ns })
    })
}

/// The finding of clocks with one step.
fn finding(clocks: &[&Misdeclared<'_>]) -> Finding {
    let step_ns = clocks[0].step_ns;
    let declared = clocks.iter().map(|clock| clock.declared_ns);
    let (finest_ns, coarsest_ns) = (declared.clone().fold(f64::MAX, f64::min), declared.fold(0.0, f64::max));
    let is_counters = clocks.iter().any(|clock| clock.is_counter);
    let whose = if is_counters && clocks.len() > 1 { ", the counter's" } else { "" };
    let declared = if ns(finest_ns) == ns(coarsest_ns) { ns(finest_ns) } else { TIME.interval(finest_ns, coarsest_ns) };
    let (moves, declares) = if clocks.len() == 1 { ("moves", "declares") } else { ("move", "declare") };
    let summary = format!(
        "{} {moves} in steps of {}{whose}, and {declares} a resolution of {declared}",
        names(clocks),
        ns(step_ns)
    );
    let subject = match clocks {
        _ if is_counters => SourceId::CounterUnordered.name().to_owned(),
        [only] => names(&[*only]),
        // As the summary names it.
        [first, ..] => first.clock.to_owned(),
        [] => String::new(),
    };
    Finding::new(RESOLUTION_IS_NOT_GRANULARITY, summary)
        .about(subject)
        .value("declared_ns", finest_ns)
        .value("granularity_ns", step_ns)
        .value("clocks", clocks.len() as f64)
        .advice(RESOLUTION_IS_NOT_GRANULARITY.mend)
}

/// The names of the machine's clocks, then those of each runtime.
fn names(clocks: &[&Misdeclared<'_>]) -> String {
    let mut owners: Vec<(Option<String>, Vec<&str>)> = Vec::new();
    for clock in clocks {
        let owner = clock.of.map(Runtime::title);
        match owners.iter_mut().find(|(of, _)| *of == owner) {
            Some((_, names)) => names.push(clock.clock),
            None => owners.push((owner, vec![clock.clock])),
        }
    }
    let said = |(owner, names): &(Option<String>, Vec<&str>)| match owner {
        Some(owner) => format!("{} of {owner}", names.join(", ")),
        None => names.join(", "),
    };
    owners.iter().map(said).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::{blank, readable, stepped};
    use chronoscope_harness::estimators::tick::{Step, Tick};
    use chronoscope_harness::record::study::Estimate;
    use chronoscope_sources::os::OsClock;

    fn tick(period: f64) -> Option<Tick> {
        let period_ns = Some(Estimate { estimate: period, low: period, high: period, confidence: 0.999 });
        Some(Tick { readings: 4_000, period_ns, ..Tick::default() })
    }

    /// A clock that moves with every read, and its tick.
    fn clock(name: SourceId, declared_ns: f64, smallest_ns: f64, tick: Option<Tick>) -> ClockReport {
        stepped(ClockReport {
            resolution_ns_declared: Some(declared_ns),
            granularity_ns: Some(smallest_ns),
            granularity_is_latency: Some(true),
            tick,
            ..readable(name)
        })
    }

    fn found(clocks: impl IntoIterator<Item = ClockReport>) -> Vec<Finding> {
        let mut record = blank();
        record.content.sections.clocks.report.clocks = clocks.into_iter().collect();
        resolution_is_not_granularity(&record)
    }

    #[test]
    fn what_all_clocks_inherit_from_the_counter_is_told_once() {
        let os = |clock| SourceId::Os(clock);
        let coarse =
            ClockReport { step: Some(Step::Seen { ns: 4e6 }), ..clock(os(OsClock::MonotonicCoarse), 1.0, 4e6, None) };
        let found = found([
            clock(SourceId::CounterUnordered, 0.385, 0.385, tick(10.0149)),
            clock(os(OsClock::Monotonic), 1.0, 10.0, tick(10.0149)),
            clock(os(OsClock::Realtime), 1.0, 10.0, tick(10.0147)),
            coarse,
        ]);
        let said: Vec<&str> = found.iter().map(|finding| finding.evidence.summary.as_str()).collect();
        assert_eq!(
            said,
            [
                "rdtsc, CLOCK_MONOTONIC, CLOCK_REALTIME move in steps of 10.0 ns, the counter's, and declare a resolution of \
                 0.385–1.00 ns",
                "CLOCK_MONOTONIC_COARSE moves in steps of 4.00 ms, and declares a resolution of 1.00 ns",
            ]
        );
        assert_eq!(found[0].subject.as_deref(), Some("rdtsc"));
        assert_eq!(found[0].evidence.values["clocks"], 3.0);
    }

    /// Ruby's wall clock is a double of seconds, and moves in 238 ns.
    #[test]
    fn a_runtimes_coarse_step_is_told_once() {
        let mut record = crate::json::document(include_str!("../../../tests/fixtures/runtimes.json")).unwrap();
        let runtimes = record.content.sections.runtimes.report.iter_mut();
        let mut coarse = runtimes.flat_map(|of| &mut of.clocks).filter(|clock| coarse_step_ns(clock).is_some());
        let clock = coarse.next().unwrap();
        clock.resolution_ns_declared = Some(1.0);
        let name = clock.name.clone();
        let told = crate::rules::judged(record).findings;
        let told = told.iter().filter(|finding| finding.evidence.summary.contains(&format!("{name} of ")));
        assert_eq!(told.map(|finding| &*finding.id).collect::<Vec<_>>(), ["runtime_tick_coarse"]);
    }

    #[test]
    fn a_tick_behind_a_slower_read_is_compared_with_what_is_declared() {
        let behind = |tick| found([clock(SourceId::Os(OsClock::Monotonic), 1.0, 558.0, tick)]);
        let told = behind(tick(279.4));
        assert!(told.len() == 1 && told[0].evidence.summary.contains("279"), "{told:?}");
        assert_eq!(behind(Some(Tick { readings: 4_000, ..Tick::default() })), []);
    }

    #[test]
    fn a_step_within_the_bound_that_a_clock_declares_is_as_declared() {
        let differs = |declared_ns: f64, step_ns: f64| {
            let granular = SourceId::Clock(chronoscope_sources::Guarantee::Granular);
            let moves = clock(granular, declared_ns, step_ns, None);
            found([ClockReport { step: Some(Step::Seen { ns: step_ns }), ..moves }])
        };
        assert_eq!(differs(1_000.0, 100.0), []);
        assert_eq!(differs(1_000.0, 4_000.0).len(), 1);
    }
}
