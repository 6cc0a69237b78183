//! Clocks that went backwards across CPUs, with what they are and which to use instead.

use chronoscope_sources::{Guarantee, SourceId};

use super::of_parts::RuleOfParts;
use super::remedies::steady_os_clock;
use crate::clock_id::ClockId;
use crate::document::Record;
use crate::sections::causality::plan::LITMUS;
use crate::sections::causality::report::Litmus;
use crate::sections::clocks::report::ClockReport;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning};
use chronoscope_harness::quantity::{count, ns, share};

pub const RULES: &[RuleOfParts] =
    &[RuleOfParts::new(&[LITMUS], &[NON_CAUSAL_READ, BACK_BY_ONE_COUNT, UNORDERED_READ_NOT_CAUSAL], non_causal_reads)];

pub const NON_CAUSAL_READ: Kind = Kind::critical(
    "non_causal_read",
    Meaning {
        about: "a clock broke its guarantee: it went backwards across CPUs",
        evidence: "new values that one CPU saw of another (`new_values`), those that went backwards (`violations`) and their \
            share (`rate`), the largest step back (`worst_ns`), and what the clock allows (`allowed_ns`)",
        mend: "do not compare times of this clock between threads",
    },
)
.shown_in(&["causality"])
.classed(HostState::Broken);

pub const BACK_BY_ONE_COUNT: Kind = Kind::notice(
    "back_by_one_count",
    Meaning {
        about: "a counter went backwards across CPUs by a single count, less than it can resolve",
        evidence: "new values that one CPU saw of another (`new_values`), those that went backwards (`violations`), and the \
            count (`worst_ns`)",
        mend: "between threads take readings that are one count apart as simultaneous: this CPU's counter advances in larger steps, \
            and adds a count to keep two reads of one core apart",
    },
)
.shown_in(&["causality"]);

pub const UNORDERED_READ_NOT_CAUSAL: Kind = Kind::notice(
    "unordered_read_not_causal",
    Meaning {
        about: "a clock without a causal guarantee went backwards across CPUs, as it may",
        evidence: "new values that one CPU saw of another (`new_values`), those that went backwards (`violations`) and their \
            share (`rate`), and the largest step back (`worst_ns`)",
        mend: "between threads use an ordered read: a fenced one of the counter, `Clock::now` or `CLOCK_MONOTONIC`",
    },
)
.shown_in(&["causality"]);

fn non_causal_reads(record: &Record) -> Vec<Finding> {
    let rows = || record.content.causality().litmus.iter().filter(|row| row.violations > 0);
    // One way or between two CPUs tells of a clock what all do: the run of the table and the screen, and the longest step of all runs.
    let is_worst = |row: &&Litmus| {
        let of_clock = rows().filter(|other| other.name == row.name);
        // A single count breaks nothing, however often it is seen.
        let worst = of_clock.max_by(|a, b| {
            let share = |row: &Litmus| row.share().unwrap_or_default();
            let of_steps = a.steps_back().cmp(&b.steps_back());
            of_steps.then(share(a).total_cmp(&share(b))).then(a.worst_ns.total_cmp(&b.worst_ns))
        });
        worst.is_some_and(|worst| std::ptr::eq(worst, *row))
    };
    rows().filter(is_worst).map(|row| non_causal_read(row, record)).collect()
}

/// By less than this its clock may go backwards.
fn allowed_ns(row: &Litmus) -> Option<f64> {
    let facts = row.name.known().map(SourceId::facts)?;
    facts.step_back_below.map(|below| below.as_nanos() as f64)
}

fn non_causal_read(row: &Litmus, record: &Record) -> Finding {
    let id = row.name.known();
    let allowed_ns = allowed_ns(row);
    let must_be_causal = record.content.must_be_causal(&row.name);
    let worst_ns = record.content.causality().worst_step_back_ns(&row.name);
    let is_broken = row.steps_back() && must_be_causal || allowed_ns.is_some_and(|allowed| worst_ns >= allowed);
    let kind = match (is_broken, must_be_causal) {
        (true, _) => NON_CAUSAL_READ,
        (false, true) => BACK_BY_ONE_COUNT,
        (false, false) => UNORDERED_READ_NOT_CAUSAL,
    };
    let by = match worst_ns > row.worst_ns {
        true => format!("by up to {}; in all runs by up to {}", ns(row.worst_ns), ns(worst_ns)),
        false => format!("by up to {}", ns(worst_ns)),
    };
    let back = match allowed_ns {
        Some(allowed) if is_broken => {
            format!("{by}; it guarantees less than {}", ns(allowed))
        }
        Some(allowed) => format!("{by}, within the {} it allows", ns(allowed)),
        None => by,
    };
    let rate = row.share();
    let often = rate.map_or_else(String::new, |rate| format!(" in {} of {} new values", share(rate), count(row.fresh)));
    let saw = format!("{} returned less than a value already seen from CPU {}{often}, {back}", row.name, row.writer);
    let finding =
        Finding::new(kind, saw).about(&row.name).value("new_values", row.fresh as f64).value("worst_ns", worst_ns);
    let went_back = row.went_back().map(|went_back| went_back as f64);
    let more = [("violations", went_back), ("rate", rate), ("allowed_ns", allowed_ns)];
    let finding = more.into_iter().fold(finding, |finding, (name, value)| match value {
        Some(value) => finding.value(name, value),
        None => finding,
    });
    if kind.id == UNORDERED_READ_NOT_CAUSAL.id {
        return finding.advice(advice(id, record));
    }
    finding.advice(kind.mend)
}

/// Which clock to use in place of one that is not ordered.
fn advice(id: Option<SourceId>, record: &Record) -> String {
    let is_sound = |id: &SourceId| {
        let clock = record.content.clocks().clocks.iter().find(|clock| clock.name == *id);
        clock.is_none_or(|clock| clock.available && record.content.causal(&clock.name) != Some(false))
    };
    let ordered = SourceId::Clock(Guarantee::Ordered);
    match id.and_then(SourceId::guarantee) {
        Some(_) if is_sound(&ordered) => {
            format!("between threads use {}: the CPU may execute this read before earlier loads", ordered.name())
        }
        _ => match clocks_between_threads(record).as_slice() {
            [] => "do not compare times of it between threads: the CPU may execute this read before earlier loads"
                .to_owned(),
            clocks => {
                format!(
                    "between threads use {}: the CPU may execute this read before earlier loads",
                    clocks.join(" or ")
                )
            }
        },
    }
}

/// The clocks to recommend where threads compare times: ordered, readable, and with no evidence against them.
fn clocks_between_threads(record: &Record) -> Vec<&'static str> {
    let counter = SourceId::CounterOrdered;
    let is_sound = |clock: &&ClockReport| clock.available && record.content.causal(&clock.name) != Some(false);
    let is_readable = record.content.clocks().clocks.iter().filter(is_sound).any(|clock| clock.name == counter);
    let counter = (is_readable && record.content.counter_doubt().is_none()).then_some(counter.name());
    let clocks: Vec<&'static str> = counter.into_iter().chain(steady_os_clock(record)).collect();
    // What was seen to keep its order comes before what was not tested.
    let is_causal = |name: &&str| record.content.causal(&ClockId::from(*name)) == Some(true);
    match clocks.iter().copied().filter(is_causal).collect::<Vec<_>>() {
        tested if tested.is_empty() => clocks,
        tested => tested,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As measured on an AMD EPYC guest: one way the counter runs behind more often, the other way further.
    #[test]
    fn the_finding_the_table_and_the_screen_tell_of_one_rate_and_the_longest_step() {
        let id = SourceId::CounterUnordered;
        let mut record = blank();
        let further = Litmus { worst_ns: 94.0, ..litmus(id, 176_864, 256) };
        let more = Litmus { writer: 1, reader: 0, worst_ns: 75.0, ..litmus(id, 211_043, 12_853) };
        record.content.sections.causality.report.litmus = vec![further, more];
        let found = non_causal_reads(&record);
        assert_eq!((found.len(), found[0].evidence.values["worst_ns"]), (1, 94.0));
        assert!(found[0].evidence.summary.ends_with("75.0 ns; in all runs by up to 94.0 ns"), "{found:?}");
        let values = &found[0].evidence.values;
        assert_eq!(Some(values["rate"]), record.content.causality().worst_share(&id.into()));
        assert_eq!(values["rate"], values["violations"] / values["new_values"]);
    }

    #[test]
    fn a_document_that_does_not_count_new_values_has_no_rate_of_them() {
        let mut record = blank();
        let earlier = Litmus { violated: None, worst_ns: 50.0, ..litmus(SourceId::CounterUnordered, 1_000, 30) };
        record.content.sections.causality.report.litmus = vec![earlier];
        let found = non_causal_reads(&record);
        assert!(found[0].evidence.summary.ends_with("seen from CPU 0, by up to 50.0 ns"), "{found:?}");
        assert!(!found[0].evidence.values.contains_key("rate"), "{found:?}");
    }
    use crate::rules::tests::{blank, judged, litmus, readable};
    use chronoscope_harness::record::TscClass;
    use chronoscope_sources::os::OsClock;

    #[test]
    fn no_clock_is_advised_between_threads_that_the_verdict_distrusts() {
        let id = SourceId::CounterUnordered;
        let mut record = blank();
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.content.sections.clocks.report.clocks =
            [id, SourceId::CounterOrdered, SourceId::Os(OsClock::Monotonic)].map(readable).to_vec();
        record.content.sections.clocks.report.clocks[0].causal_by_design = false;
        let went_back = |id: SourceId| Litmus { worst_ns: 50.0, ..litmus(id, 100, 3) };
        record.content.sections.causality.report.litmus.push(went_back(id));
        let advice = |record: &Record| non_causal_reads(&judged(record.clone()))[0].advice[0].clone();
        let ordered = SourceId::CounterOrdered.name();
        assert!(advice(&record).contains(ordered));
        record.machine.tsc.class = Some(TscClass::Variant);
        assert!(!advice(&record).contains(ordered) && advice(&record).contains("CLOCK_MONOTONIC"));
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        record.content.sections.causality.report.litmus.push(litmus(SourceId::Os(OsClock::Monotonic), 10_000, 0));
        record.content.sections.causality.report.litmus.push(litmus(SourceId::CounterOrdered, 85, 0));
        let seen = advice(&record);
        assert!(!seen.contains(ordered) && seen.contains("CLOCK_MONOTONIC"), "too few values of one: {seen}");
        record.content.sections.causality.report.litmus.push(went_back(SourceId::Os(OsClock::Monotonic)));
        assert!(!advice(&record).contains("CLOCK_MONOTONIC"));
    }

    #[test]
    fn a_single_count_breaks_no_guarantee_and_is_told() {
        let id = SourceId::CounterOrdered;
        let mut record = blank();
        record.machine.tsc.class = Some(TscClass::Invariant);
        record.content.sections.clocks.report.clocks = [id, SourceId::Os(OsClock::Monotonic)].map(readable).to_vec();
        record.content.sections.causality.plan.litmus_pairs = vec![(0, 1)];
        let mut found = |by_one_count: bool| {
            let seen = Litmus { worst_ns: 0.385, by_one_count, ..litmus(id, 10_000, 65) };
            record.content.sections.causality.report.litmus = vec![seen];
            let record = judged(record.clone());
            (
                non_causal_reads(&record)[0].id.clone(),
                record.content.causal(&id.into()),
                record.content.counter_doubt().map(str::to_owned),
            )
        };
        assert_eq!(found(true), (BACK_BY_ONE_COUNT.id.into(), Some(true), None));
        let (kind, causal, doubt) = found(false);
        assert!(kind == NON_CAUSAL_READ.id && causal == Some(false) && doubt.is_some());
        // Neither does it hide a longer step that is rarer.
        let count = Litmus { worst_ns: 0.385, by_one_count: true, ..litmus(id, 10_000, 65) };
        let longer = Litmus { writer: 1, reader: 0, worst_ns: 50.0, ..litmus(id, 10_000, 2) };
        record.content.sections.causality.report.litmus = vec![count, longer];
        let found = non_causal_reads(&record);
        assert!(found.len() == 1 && found[0].is(NON_CAUSAL_READ), "{found:?}");
    }
}
