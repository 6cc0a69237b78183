//! What took time from the measurements, and who.

use super::of_parts::RuleOfParts;
use crate::document::{PartReport, Record};
use crate::judgement::facts::Facts;
use crate::judgement::noise::{LITTLE, LostTo, advice, is_throttled, lost_to};
use crate::judgement::throttling::waited_for_others_ms;
use crate::part::Part;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::clocks::latency::interference::{
    Neighbour, shared_throughout, turns_per_link, turns_per_link_alone,
};
use crate::sections::clocks::plan::{GRANULARITY, INTERVALS, LATENCY, TICK};
use crate::sections::reads::lost::{GAP_NS, Loss, MOST, losses};
use crate::sections::reads::plan::READS;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::machine::known_core;
use chronoscope_harness::quantity::{count, ns, share};
use chronoscope_harness::record::study::InterferenceProbe;
use chronoscope_harness::record::{Disturbance, Machine};
use chronoscope_harness::study_rules::NOISY_MACHINE;

pub const RULES: &[RuleOfParts] = &[
    RuleOfParts::new(&[READS], &[NOISY_MACHINE], noisy_machine),
    RuleOfParts::new(&[LATENCY], &[CORE_SHARED], core_shared).lacking(|record| {
        is_core_shared(record).is_none().then_some("what this core does alone is unknown, and it showed one state only")
    }),
    RuleOfParts::new(&[], &[STOLEN_TIME], stolen_time).lacking(|record| {
        let is_counted = disturbances(record).any(|disturbance| disturbance.steal_ms.is_some());
        (!is_counted).then_some("stolen time is not counted here")
    }),
];

pub const CORE_SHARED: Kind = Kind::warning(
    "core_shared",
    Meaning {
        about: "work ran as on a core shared with a busy neighbour: reads may cost more here",
        evidence: "turns of an empty loop per link of a multiplication chain (`turns_per_link`), what the core does alone (`turns_per_link_alone`) if it was shared throughout, else the share of iterations in which it was (`shared`)",
        mend: "measure later, or on a machine with unshared cores; on your own machine, look for other work",
    },
)
.classed(HostState::Noisy);
pub const STOLEN_TIME: Kind = Kind::warning(
    "stolen_time",
    Meaning {
        about: "the hypervisor gave time to other guests during the run",
        evidence: "the time stolen (`steal_ms`) and its share of the run (`share`), over 1 %",
        mend: "use a machine with dedicated CPUs, or measure when its neighbours are quiet",
    },
)
.classed(HostState::Noisy);
/// The share of time that measuring threads may wait for their CPU: a busy thread there takes half.
const WAITED_SHARE: f64 = 0.05;
/// The share of time that the hypervisor may steal.
pub const STEAL_SHARE: f64 = 0.01;

/// What disturbed each part.
pub fn disturbances(record: &Record) -> impl Iterator<Item = &Disturbance> {
    record.content.parts.iter().map(|report| &report.disturbance)
}

/// What the kernel counted while `loss` occurred, and who took the rest if that is most of it.
fn witness(loss: &Loss<'_>) -> String {
    let times = |count_of: u64| if count_of == 1 { "once".to_owned() } else { format!("{} times", count(count_of)) };
    let disturbance = &loss.reads.disturbance;
    let stolen = loss.stolen_ns().filter(|stolen_ns| *stolen_ns > 0.0);
    let stolen = stolen.map(|stolen_ns| format!("the hypervisor gave {} to others", ns(stolen_ns)));
    let switches = disturbance.involuntary_switches.filter(|switches| *switches > 0);
    let taken = match loss.waited_ns() {
        Some(waited_ns) => Some(format!("the thread waited {} for its CPU", ns(waited_ns))),
        None => switches.map(|switches| format!("the kernel preempted the thread {}", times(switches))),
    };
    let seen: Vec<String> = [taken, stolen].into_iter().flatten().collect();
    let is_most = loss.counted_ns() >= loss.lost_ns() * MOST;
    match seen.is_empty() {
        false if is_most || loss.waited_ns().is_none() => seen.join(", and "),
        false => format!(
            "{}: at least {} of the {} went to interrupts, firmware or the host",
            seen.join(", and "),
            ns(loss.lost_ns() - loss.counted_ns()),
            ns(loss.lost_ns())
        ),
        true if disturbance.involuntary_switches.is_none() && disturbance.steal_ms.is_none() => {
            "neither preemption nor steal is counted here, so nothing tells what took it".to_owned()
        }
        true => "the kernel counted neither preemption nor steal: interrupts, firmware or the host took it".to_owned(),
    }
}

/// Gaps between reads. A warning needs corroboration: an uncorroborated gap may be the clock's.
fn noisy_machine(record: &Record) -> Vec<Finding> {
    // What a quota took is a finding of its own.
    if is_throttled(&Facts::from(record)) {
        return preempted(record).into_iter().collect();
    }
    let loss = losses(record.content.reads()).into_iter().next();
    let Some(loss) = loss.filter(|loss| loss.gaps.share_of_time > LITTLE) else {
        return preempted(record).into_iter().collect();
    };
    let Loss { reads, gaps } = loss;
    let disturbance = &reads.disturbance;
    // What is not a number is left out.
    let counted = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let mut finding = Finding::new(
        NOISY_MACHINE,
        format!(
            "{} of the time reading {} was lost to interruptions over {} (longest {}); in and around it {}",
            share(gaps.share_of_time),
            reads.clock,
            ns(GAP_NS),
            ns(reads.maximum_ns),
            witness(&loss),
        ),
    )
    .value("share_of_time", gaps.share_of_time)
    .value("gaps", gaps.count as f64)
    .value("largest_ns", reads.maximum_ns)
    .value("involuntary_switches", counted(disturbance.involuntary_switches.map(|switches| switches as f64)))
    .value("steal_ms", counted(disturbance.steal_ms))
    .value("waited_ms", counted(disturbance.waited_ms));
    if loss.is_grave() {
        return vec![finding.advice(quieter(record, lost_to(&loss)))];
    }
    finding.severity = Severity::Notice;
    // A small loss reveals nothing about losses in other parts of the run.
    std::iter::once(finding).chain(preempted(record)).collect()
}

/// Threads that measure alone on their CPU but waited for it: something else runs there.
fn preempted(record: &Record) -> Option<Finding> {
    const ALONE: [Part; 7] = [LATENCY, GRANULARITY, TICK, READS, OFFSETS, LITMUS, INTERVALS];
    let parts: Vec<&PartReport> = record.content.parts.iter().filter(|report| ALONE.contains(&report.part)).collect();
    let waited = parts.iter().filter_map(|report| waited_for_others_ms(report));
    let waited_ms = waited.reduce(|sum, more| sum + more)?;
    let elapsed_ms: u64 = parts.iter().map(|report| report.elapsed_ms).sum();
    let share = waited_ms / elapsed_ms.max(1) as f64;
    (share > WAITED_SHARE).then(|| {
        Finding::new(
            NOISY_MACHINE,
            format!(
                "measuring threads waited {} of {} for their CPU: something else runs there",
                ns(waited_ms * 1e6),
                ns(elapsed_ms as f64 * 1e6)
            ),
        )
        .value("waited_ms", waited_ms)
        .value("share", share)
        .advice(quieter(record, LostTo::OtherThreads))
    })
}

/// How to make the machine quieter, in the words of the first screen.
fn quieter(record: &Record, mostly_by: LostTo) -> &'static str {
    advice(&Facts::from(record), mostly_by).words()
}

/// Whether a neighbour shared the core throughout; None where neither its cycle counts nor a second state of it tell.
pub fn is_core_shared(record: &Record) -> Option<bool> {
    let harness = record.content.clocks().harness.as_ref()?;
    shared_throughout(&harness.interference, known_core(&record.machine))
}

/// Only where the core is identified and its cycle counts are known; a core that shows both states was not shared throughout.
fn core_shared(record: &Record) -> Vec<Finding> {
    let Some(harness) = record.content.clocks().harness.as_ref() else { return Vec::new() };
    if is_core_shared(record) != Some(true) {
        return core_often_shared(&harness.interference, &record.machine);
    }
    let alone = turns_per_link_alone(known_core(&record.machine));
    let Some(alone) = alone else { return Vec::new() };
    let turns_per_link = turns_per_link(&harness.interference);
    let name = record.machine.cpu.microarchitecture.as_deref().unwrap_or("this core");
    vec![
        Finding::new(
            CORE_SHARED,
            format!(
                "a busy neighbour shared the core throughout: an empty loop did {turns_per_link:.1} turns per link of a \
                 multiplication chain; alone, {name} does {alone:.0}; latencies are those of a shared core"
            ),
        )
        .value("turns_per_link", turns_per_link)
        .value("turns_per_link_alone", alone)
        .advice(CORE_SHARED.mend),
    ]
}

/// In a tenth of the iterations or more, but not in all.
fn core_often_shared(probe: &InterferenceProbe, machine: &Machine) -> Vec<Finding> {
    let latencies = match Neighbour::of(probe, known_core(machine)) {
        Neighbour::Seldom => return Vec::new(),
        Neighbour::Often => "those of the core alone, or a mixture with those of a shared one",
        Neighbour::Mostly => "those of a shared core",
    };
    let (shared, all) = (probe.iterations_shared, probe.iterations);
    let said = format!(
        "a busy neighbour shared the core in {} of {} iterations; latencies are {latencies}",
        count(shared),
        count(all)
    );
    let finding = Finding::new(CORE_SHARED, said).value("turns_per_link", turns_per_link(probe));
    vec![finding.value("shared", shared as f64 / all as f64).advice(CORE_SHARED.mend)]
}

fn stolen_time(record: &Record) -> Vec<Finding> {
    let stolen_ms: f64 = disturbances(record).filter_map(|disturbance| disturbance.steal_ms).sum();
    let measured_ms: u64 = record.content.parts.iter().map(|part| part.elapsed_ms).sum();
    let share = stolen_ms / measured_ms.max(1) as f64;
    if share <= STEAL_SHARE {
        return Vec::new();
    }
    vec![
        Finding::new(
            STOLEN_TIME,
            format!(
                "the hypervisor gave {} to other guests while {} were measured",
                ns(stolen_ms * 1e6),
                ns(measured_ms as f64 * 1e6)
            ),
        )
        .value("steal_ms", stolen_ms)
        .value("share", share)
        .advice(STOLEN_TIME.mend),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::noise::{NoiseAdvice, noise};
    use crate::rules::tests::{blank, done};
    use crate::sections::clocks::report::Harness;
    use crate::sections::pauses::plan::PAUSES;
    use crate::tests::golden_file::assert_findings;
    use chronoscope_harness::estimators::reads::{Gaps, Samples, reads};
    use chronoscope_harness::record::study::InterferenceProbe;

    /// A record where one clock was read with these differences.
    fn read_with(differences: Vec<(i64, u64)>) -> Record {
        let span_ticks = differences.iter().map(|(ticks, count)| ticks.unsigned_abs() * count).sum();
        let samples = Samples { differences, span_ticks, ..Samples::default() };
        let rate = chronoscope_sources::Rate::NANOSECONDS;
        let mut record = blank();
        record.content.sections.reads.report.extend(reads("fake".into(), &samples, rate, Disturbance::default()));
        record
    }

    /// A tenth of 1 ms lost in gaps, with the kernel's counts for that time.
    fn disturbed(involuntary_switches: Option<u64>, steal_ms: Option<f64>, waited_ms: Option<f64>) -> Record {
        let mut record = read_with(vec![(20, 45_000), (50_000, 2)]);
        record.content.sections.reads.report[0].disturbance =
            Disturbance { involuntary_switches, steal_ms, waited_ms, ..Disturbance::default() };
        record
    }

    #[test]
    fn a_warning_of_gaps_has_a_witness_besides_the_clock() {
        let cases = vec![
            ("it waited", noisy_machine(&disturbed(Some(16), Some(0.0), Some(0.08)))),
            ("it was stolen", noisy_machine(&disturbed(Some(0), Some(10.0), Some(0.0)))),
            ("a kernel that does not count waits", noisy_machine(&disturbed(Some(16), Some(0.0), None))),
            ("preempted once, and stolen", noisy_machine(&disturbed(Some(1), Some(10.0), None))),
            ("neither", noisy_machine(&disturbed(Some(0), Some(0.0), None))),
            ("not counted", noisy_machine(&disturbed(None, None, None))),
            ("a switch of 5 µs does not explain 100 µs", noisy_machine(&disturbed(Some(1), Some(0.0), Some(0.005)))),
        ];
        let severities = cases.iter().map(|(_, found)| (found.len(), found[0].severity));
        assert!(severities.eq([[(1, Severity::Warning); 4].as_slice(), &[(1, Severity::Notice); 3]].concat()));
        assert_findings("gaps", cases);
        // Of several clocks, the one with corroborated gaps, though another lost more.
        let mut record = disturbed(Some(3), None, None);
        let unseen = disturbed(None, None, None).content.reads()[0].clone();
        let reads = &mut record.content.sections.reads.report;
        reads.push(crate::sections::reads::report::Reads { clock: "other".into(), ..unseen });
        reads[1].gaps[1].share_of_time = 0.9;
        assert!(!noisy_machine(&record)[0].evidence.summary.contains("other"));
        let said = |record: &Record| {
            let advice = noise(&Facts::from(record)).advice.unwrap();
            assert_eq!(noisy_machine(record)[0].advice, [advice.words()], "the first screen advises the same");
            advice
        };
        assert_eq!(said(&record), NoiseAdvice::PinToIdleCpu);
        record.machine.cpu.online = Some(1);
        assert_eq!(said(&record), NoiseAdvice::StopOtherWork, "there is no other CPU");
    }

    /// As observed on an AMD EPYC guest: the first screen calls it interrupts or the host.
    #[test]
    fn the_finding_and_the_conclusion_blame_the_same() {
        let mut record = disturbed(Some(7), Some(0.0), Some(0.035));
        assert_eq!(noise(&Facts::from(&record)).lost.unwrap().mostly_by, LostTo::Interrupts);
        let found = noisy_machine(&record)[0].evidence.summary.clone();
        let blamed =
            "waited 35.0 µs for its CPU: at least 65.0 µs of the 100 µs went to interrupts, firmware or the host";
        assert!(found.ends_with(blamed), "{found}");
        record.content.sections.reads.report[0].disturbance.waited_ms = Some(0.06);
        assert_eq!(noise(&Facts::from(&record)).lost.unwrap().mostly_by, LostTo::OtherThreads);
        let found = noisy_machine(&record)[0].evidence.summary.clone();
        assert!(found.ends_with("waited 60.0 µs for its CPU"), "{found}");
    }

    /// As observed with a busy loop on the measuring CPU, in a command without consecutive reads.
    #[test]
    fn a_hog_is_found_without_sequential_reads() {
        let mut record = blank();
        let part = |part, elapsed_ms, waited_ms| {
            done(part, elapsed_ms, Disturbance { waited_ms: Some(waited_ms), ..Disturbance::default() })
        };
        // Pauses wait by design.
        record.content.parts = vec![part(OFFSETS, 176, 90.0), part(LITMUS, 1_043, 480.0), part(PAUSES, 594, 500.0)];
        let found = noisy_machine(&record);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert_eq!(found[0].evidence.values["waited_ms"], 570.0);
        record.content.parts[0].disturbance.waited_ms = Some(0.3);
        record.content.parts[1].disturbance.waited_ms = Some(2.0);
        assert_eq!(noisy_machine(&record), []);
        record.content.parts[1].disturbance.waited_ms = None;
        assert_eq!(noisy_machine(&record), []);
    }

    #[test]
    fn the_tick_of_a_coarse_clock_makes_no_machine_noisy() {
        assert_eq!(noisy_machine(&read_with(vec![(0, 999_998), (4_000_000, 2)])), []);
        // A record of an earlier build counted it.
        let mut earlier = read_with(vec![(0, 999_998), (4_000_000, 2)]);
        let gaps = |above_ns| Gaps { above_ns, count: 2, share_of_time: 1.0 };
        earlier.content.sections.reads.report[0].gaps = [1_000.0, GAP_NS, 100_000.0].map(gaps).to_vec();
        assert_eq!(noisy_machine(&earlier), []);
        assert_eq!(noisy_machine(&read_with(vec![(20, 1_000), (50_000, 2)])).len(), 1);
    }

    #[test]
    fn time_that_the_hypervisor_took_is_told_from_one_percent() {
        let mut record = disturbed(None, Some(1.0), None);
        let stolen = |steal_ms| Disturbance { steal_ms: Some(steal_ms), ..Disturbance::default() };
        record.content.parts = vec![done(PAUSES, 1_000, stolen(10.0))];
        assert_eq!(stolen_time(&record), []);
        record.content.parts[0].disturbance = stolen(11.0);
        assert!(stolen_time(&record)[0].is(STOLEN_TIME));
        assert_eq!(stolen_time(&record)[0].evidence.values["share"], 0.011);
    }

    /// A record of a shared core, by the time of a link.
    fn shared(quiet_link_ns: f64) -> Record {
        let (iterations, iterations_quiet, quiet_turn_ns) = (1_000, 1_000, 0.6);
        let interference =
            InterferenceProbe { iterations, iterations_quiet, quiet_turn_ns, quiet_link_ns, ..Default::default() };
        let harness = Harness {
            timer: "lfence; rdtsc".into(),
            timer_cost_ns: 15.0,
            timer_error_pct: 0.07,
            loop_overhead_ns: None,
            interference,
        };
        let mut record = blank();
        record.content.sections.clocks.report.harness = Some(harness);
        record
    }

    #[test]
    fn a_core_is_called_shared_only_by_its_own_cycles() {
        let mut known = shared(0.9);
        known.machine.cpu.microarchitecture = Some("Skylake".to_owned());
        let found = core_shared(&known);
        assert!(found.len() == 1 && found[0].is(CORE_SHARED));
        assert!(found[0].evidence.summary.contains("1.5"), "{}", found[0].evidence.summary);
        assert_eq!(core_shared(&shared(0.9)), [], "nobody published the cycles of an unknown core");
        known.machine.cpu.emulation.is_emulated = Some(true);
        assert_eq!(core_shared(&known), []);
        known.machine.cpu.emulation.is_emulated = None;
        known.content.sections.clocks.report.harness.as_mut().unwrap().interference.quiet_link_ns = 1.2;
        // As on a guest with 16 CPUs, of which a neighbour used the other threads.
        let probe = &mut known.content.sections.clocks.report.harness.as_mut().unwrap().interference;
        (probe.iterations, probe.iterations_quiet) = (2_157, 460);
        for (iterations_shared, told) in [
            (1_613, Some("1\u{202f}613 of 2\u{202f}157 iterations; latencies are those of a shared core")),
            (
                1_000,
                Some("1\u{202f}000 of 2\u{202f}157 iterations; latencies are those of the core alone, or a mixture"),
            ),
            (200, None),
        ] {
            known.content.sections.clocks.report.harness.as_mut().unwrap().interference.iterations_shared =
                iterations_shared;
            let found = core_shared(&known);
            assert_eq!(found.len(), usize::from(told.is_some()), "{iterations_shared}");
            assert!(found.iter().all(|it| it.evidence.summary.contains(told.unwrap_or_default())), "{found:?}");
        }
    }
}
