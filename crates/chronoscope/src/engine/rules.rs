use std::collections::BTreeMap;

use crate::document::{Outcome, PartReport, Record};
use crate::part::Part;
use crate::sections::causality::plan::{LITMUS, OFFSETS};
use crate::sections::clocks::latency::interference::{shared_throughout, turns_per_link, turns_per_link_alone};
use crate::sections::runtimes::plan::RUNTIMES;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::machine::known_core;
use chronoscope_harness::quantity::{count, ns, share};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::rule::Rule;
use chronoscope_harness::study_rules::{INTERRUPTED, NOISY_MACHINE, NOT_PINNED, PART_UNAVAILABLE};

pub const RULES: &[Rule<Record>] = &[
    Rule { yields: &[NOISY_MACHINE], find: noisy_machine },
    Rule { yields: &[CORE_SHARED], find: core_shared },
    Rule { yields: &[STOLEN_TIME], find: stolen_time },
    Rule { yields: &[NO_WORKERS], find: no_workers },
    Rule { yields: &[ONE_CPU], find: one_cpu },
    Rule { yields: &[NOT_PINNED], find: not_pinned },
    Rule { yields: &[PART_UNAVAILABLE], find: parts_unavailable },
    Rule { yields: &[INTERRUPTED], find: interrupted },
];

pub const CORE_SHARED: Kind = Kind::warning(
    "core_shared",
    Meaning {
        about: "a busy neighbour shared the core throughout, invisible to kernel counters",
        evidence: "turns of an empty loop per link of a multiplication chain (`turns_per_link`), and what the core does alone (`turns_per_link_alone`)",
        mend: "run again later, or on a machine with unshared cores; on your own machine, look for other work",
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
pub const ONE_CPU: Kind = Kind::notice(
    "one_cpu",
    Meaning {
        about: "only one CPU is allowed: nothing was tested across CPUs",
        evidence: "the CPUs that the process may use (`cpus`)",
        mend: "allow at least two CPUs",
    },
)
.shown_in(&["causality"]);
pub const NO_WORKERS: Kind = Kind::warning(
    "no_workers",
    Meaning {
        about: "no worker process could be started: everything was measured in one process",
        evidence: "why no process could be started",
        mend: "run where the tool may start child processes",
    },
)
.classed(HostState::Unknown);

/// Longer gaps are interruptions, not the clock's cost.
const GAP_NS: f64 = 10_000.0;
/// The share of time lost to such gaps that merits a notice, and that merits a warning: a kernel's timer ticks alone
/// take about the first in a VM.
const GAP_SHARES: (f64, f64) = (0.01, 0.05);
/// The share of the gaps that the kernel must account for before they are attributed to the machine.
const LEAST_WITNESSED: f64 = 0.25;
/// The share of time that measuring threads may wait for their CPU: a busy thread there takes half.
const WAITED_SHARE: f64 = 0.05;
/// The share of time that the hypervisor may steal.
const STEAL_SHARE: f64 = 0.01;

fn disturbances(record: &Record) -> impl Iterator<Item = &Disturbance> {
    record.content.parts.iter().map(|report| &report.disturbance)
}

/// Whether the kernel accounts for a substantial part of `lost_ms` in gaps, and its evidence. Where it counts run-queue
/// waits, those and stolen time must make up that part: a switch to a kernel thread takes microseconds, and does not
/// explain a gap of a millisecond.
fn witness(disturbance: &Disturbance, lost_ms: f64) -> (bool, String) {
    let times = |count_of: u64| if count_of == 1 { "once".to_owned() } else { format!("{} times", count(count_of)) };
    let length = |ms: f64| ns(ms * 1e6);
    let stolen_ms = disturbance.steal_ms.unwrap_or(0.0);
    let stolen = (stolen_ms > 0.0).then(|| format!("the hypervisor gave {} to others", length(stolen_ms)));
    let switches = disturbance.involuntary_switches.filter(|switches| *switches > 0);
    let taken = match disturbance.waited_ms {
        Some(waited_ms) => Some(format!("the thread waited {} for its CPU", length(waited_ms))),
        None => switches.map(|switches| format!("the kernel preempted the thread {}", times(switches))),
    };
    let suffices = match disturbance.waited_ms {
        Some(waited_ms) => waited_ms + stolen_ms >= lost_ms * LEAST_WITNESSED,
        None => taken.is_some() || stolen.is_some(),
    };
    let seen: Vec<String> = [taken, stolen].into_iter().flatten().collect();
    let words = match (suffices, seen.is_empty()) {
        (true, _) => seen.join(", and "),
        (false, false) => {
            format!(
                "{}: at least {} of the {} went to interrupts, firmware or the host",
                seen.join(", and "),
                length(lost_ms - disturbance.waited_ms.unwrap_or(0.0) - stolen_ms),
                length(lost_ms)
            )
        }
        (false, true) if disturbance.involuntary_switches.is_none() && disturbance.steal_ms.is_none() => {
            "neither preemption nor steal is counted here, so nothing tells what took it".to_owned()
        }
        (false, true) => {
            "the kernel counted neither preemption nor steal: interrupts, firmware or the host took it".to_owned()
        }
    };
    (suffices, words)
}

/// Gaps between reads. A warning needs corroboration: an uncorroborated gap may be the clock's.
fn noisy_machine(record: &Record) -> Vec<Finding> {
    let found: Vec<_> = record
        .content
        .reads()
        .iter()
        .filter_map(|reads| reads.shown_gaps().find(|gap| gap.above_ns == GAP_NS).map(|gap| (reads, gap)))
        .filter(|(_, gap)| gap.share_of_time > GAP_SHARES.0)
        .map(|(reads, gap)| {
            let (suffices, words) = witness(&reads.disturbance, gap.share_of_time * reads.span_ns / 1e6);
            (reads, gap, gap.share_of_time > GAP_SHARES.1 && suffices, words)
        })
        .collect();
    let worst = found.iter().max_by(|(_, a, is_grave_a, _), (_, b, is_grave_b, _)| {
        is_grave_a.cmp(is_grave_b).then(a.share_of_time.total_cmp(&b.share_of_time))
    });
    let Some((reads, gap, is_grave, seen)) = worst else { return preempted(record).into_iter().collect() };
    let mut finding = Finding::new(
        NOISY_MACHINE,
        format!(
            "{} of the time reading {} was lost to interruptions over {} (longest {}); meanwhile {seen}",
            share(gap.share_of_time),
            reads.clock,
            ns(gap.above_ns),
            ns(reads.maximum_ns),
        ),
    )
    .value("share_of_time", gap.share_of_time)
    .value("gaps", gap.count as f64)
    .value("largest_ns", reads.maximum_ns);
    let disturbance = &reads.disturbance;
    let switches = disturbance.involuntary_switches.map(|switches| switches as f64);
    for (name, value) in
        [("involuntary_switches", switches), ("steal_ms", disturbance.steal_ms), ("waited_ms", disturbance.waited_ms)]
    {
        finding = value.into_iter().fold(finding, |finding, value| finding.value(name, value));
    }
    if *is_grave {
        return vec![finding.advice(quieter(record))];
    }
    finding.severity = Severity::Notice;
    // A small loss reveals nothing about losses in other parts of the run.
    std::iter::once(finding).chain(preempted(record)).collect()
}

/// Threads that measure alone on their CPU but waited for it: something else runs there.
fn preempted(record: &Record) -> Option<Finding> {
    const ALONE: [Part; 7] = [
        crate::sections::clocks::plan::LATENCY,
        crate::sections::clocks::plan::GRANULARITY,
        crate::sections::clocks::plan::TICK,
        crate::sections::reads::plan::READS,
        crate::sections::causality::plan::OFFSETS,
        crate::sections::causality::plan::LITMUS,
        crate::sections::clocks::plan::INTERVALS,
    ];
    let parts: Vec<&PartReport> = record.content.parts.iter().filter(|report| ALONE.contains(&report.part)).collect();
    let waited_ms = parts.iter().filter_map(|report| report.disturbance.waited_ms).reduce(|sum, more| sum + more)?;
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
        .advice(quieter(record))
    })
}

/// How to make the machine quieter; pinning requires more than one CPU, and permission.
fn quieter(record: &Record) -> &'static str {
    let can_bind = disturbances(record).all(|disturbance| disturbance.reason_unpinned.is_none());
    if can_bind && record.machine.cpu.online.is_none_or(|online| online > 1) {
        NOISY_MACHINE.mend
    } else {
        "stop other work on this machine"
    }
}

/// Only where the core is identified and its cycle counts are known; a core that shows both states was not shared throughout.
fn core_shared(record: &Record) -> Vec<Finding> {
    let interference = record.content.clocks().harness.as_ref().map(|harness| harness.interference);
    let core = known_core(&record.machine);
    let shared = interference.filter(|interference| shared_throughout(interference, core) == Some(true));
    let Some((shared, alone)) = shared.zip(turns_per_link_alone(core)) else { return Vec::new() };
    let turns_per_link = turns_per_link(&shared);
    let name = record.machine.cpu.microarchitecture.as_deref().unwrap_or("this core");
    vec![
        Finding::new(
            CORE_SHARED,
            format!(
                "a busy neighbour shared the core throughout: an empty loop did {:.1} turns per link of a \
                 multiplication chain; alone, {name} does {alone:.0}; latencies are those of a shared core",
                turns_per_link
            ),
        )
        .value("turns_per_link", turns_per_link)
        .value("turns_per_link_alone", alone)
        .advice(CORE_SHARED.mend),
    ]
}

fn stolen_time(record: &Record) -> Vec<Finding> {
    let stolen_ms: f64 = disturbances(record).filter_map(|disturbance| disturbance.steal_ms).sum();
    let measured_ms: u64 = record.content.parts.iter().map(|part| part.elapsed_ms).sum();
    let share = stolen_ms / measured_ms.max(1) as f64;
    if share <= STEAL_SHARE {
        return Vec::new();
    }
    vec![
        Finding::new(STOLEN_TIME, format!("the hypervisor gave {stolen_ms:.0} ms of {measured_ms} ms to other guests"))
            .value("steal_ms", stolen_ms)
            .value("share", share)
            .advice(STOLEN_TIME.mend),
    ]
}

fn no_workers(record: &Record) -> Vec<Finding> {
    let finding = |reason: &String| {
        Finding::new(
            NO_WORKERS,
            format!("no worker process could be started, so no interval covers process-to-process variation: {reason}"),
        )
        .advice(NO_WORKERS.mend)
    };
    record.content.reason_no_workers.iter().map(finding).collect()
}

fn one_cpu(record: &Record) -> Vec<Finding> {
    let [cpu] = record.content.plan.cpus.as_slice() else { return Vec::new() };
    if record.machine.cpu.online == Some(1) {
        let saw = format!("the machine has a single CPU, {cpu}: nothing to disagree with");
        return vec![Finding::new(ONE_CPU, saw).value("cpus", 1.0)];
    }
    vec![
        Finding::new(ONE_CPU, format!("only CPU {cpu} is allowed: causality across CPUs was not tested"))
            .value("cpus", 1.0)
            .advice(ONE_CPU.mend),
    ]
}

fn not_pinned(record: &Record) -> Vec<Finding> {
    disturbances(record)
        .find_map(|disturbance| disturbance.reason_unpinned.as_ref())
        .map(|reason| {
            Finding::new(NOT_PINNED, format!("measuring threads could not be bound to a CPU: {reason}"))
                .advice(NOT_PINNED.mend)
        })
        .into_iter()
        .collect()
}

/// One finding per reason, since the same reason often affects several parts.
fn parts_unavailable(record: &Record) -> Vec<Finding> {
    // Cases explained by a single CPU or a stopped run have findings of their own.
    let explained =
        |part: Part| record.interrupted || (record.content.plan.cpus.len() == 1 && matches!(part, OFFSETS | LITMUS));
    let mut by_reason: BTreeMap<&str, Vec<&PartReport>> = BTreeMap::new();
    let is_unexplained = |report: &&PartReport| report.outcome != Outcome::Done && !explained(report.part);
    for report in record.content.parts.iter().filter(is_unexplained) {
        by_reason.entry(report.reason.as_deref().unwrap_or("no reason given")).or_default().push(report);
    }
    by_reason
        .into_iter()
        .map(|(reason, reports)| {
            let told: Vec<String> =
                reports.iter().map(|report| format!("{} ({})", report.part.title(), report.outcome.word())).collect();
            let mut finding =
                Finding::new(PART_UNAVAILABLE, format!("{}: {reason}", told.join(", "))).about(told.join(", "));
            if reports.iter().all(|report| report.part == RUNTIMES) && no_runtime_failed(record) {
                finding.severity = Severity::Notice;
            }
            finding
        })
        .collect()
}

/// Whether every unmeasured runtime is one that this machine lacks, or for which there was no time.
fn no_runtime_failed(record: &Record) -> bool {
    let mut unmeasured = record.content.runtimes().iter().filter(|runtime| !runtime.available);
    unmeasured.all(|runtime| runtime.executable.is_none() || runtime.out_of_time)
}

fn interrupted(record: &Record) -> Vec<Finding> {
    if !record.interrupted {
        return Vec::new();
    }
    vec![Finding::new(INTERRUPTED, "the run was interrupted; results are partial").advice(INTERRUPTED.mend)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::blank;
    use crate::sections::clocks::report::Harness;
    use crate::tests::golden_file::assert_findings;
    use chronoscope_harness::estimators::reads::{Gaps, Samples, reads};
    use chronoscope_harness::record::study::InterferenceProbe;

    /// A record where one clock was read with these differences.
    fn read_with(differences: Vec<(i64, u64)>) -> Record {
        let span_ticks = differences.iter().map(|(ticks, count)| ticks.unsigned_abs() * count).sum();
        let samples = Samples { differences, span_ticks, empty_intervals: 0, largest_empty_ticks: 0 };
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
    }

    /// As observed with a busy loop on the measuring CPU, in a command without consecutive reads.
    #[test]
    fn a_hog_is_found_without_sequential_reads() {
        let mut record = blank();
        let part = |part, elapsed_ms, waited_ms| PartReport {
            part,
            outcome: Outcome::Done,
            reason: None,
            elapsed_ms,
            disturbance: Disturbance { waited_ms: Some(waited_ms), ..Disturbance::default() },
        };
        // Pauses wait by design.
        record.content.parts = vec![
            part(crate::sections::causality::plan::OFFSETS, 176, 90.0),
            part(crate::sections::causality::plan::LITMUS, 1_043, 480.0),
            part(crate::sections::pauses::plan::PAUSES, 594, 500.0),
        ];
        let found = noisy_machine(&record);
        assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
        assert_eq!(found[0].evidence.values["waited_ms"], 570.0);
        record.content.parts[0].disturbance.waited_ms = Some(0.3);
        record.content.parts[1].disturbance.waited_ms = Some(2.0);
        assert_eq!(noisy_machine(&record), []);
        record.content.parts[1].disturbance.waited_ms = None;
        assert_eq!(noisy_machine(&record), []);
    }

    /// A machine without language runtimes, or a check too short for them, is not faulty.
    #[test]
    fn runtimes_that_are_not_there_fail_no_gate() {
        let mut record = blank();
        record.content.parts.push(PartReport {
            part: crate::sections::runtimes::plan::RUNTIMES,
            outcome: Outcome::Skipped,
            reason: Some("none".to_owned()),
            elapsed_ms: 1,
            disturbance: Disturbance::default(),
        });
        let java = crate::probe::unasked(chronoscope_probes::RuntimeKind::Java);
        record.content.sections.runtimes.report.push(java);
        let severities = |record: &Record| {
            crate::rules::tests::conclude(record).iter().map(|finding| finding.severity).collect::<Vec<_>>()
        };
        assert_eq!(severities(&record), [Severity::Notice]);
        record.content.sections.runtimes.report[0].executable = Some("/usr/bin/java".to_owned());
        assert_eq!(severities(&record), [Severity::Warning, Severity::Warning]);
        assert!(crate::rules::tests::conclude(&record).iter().any(|finding| finding.is(PART_UNAVAILABLE)));
        record.content.sections.runtimes.report[0].out_of_time = true;
        assert_eq!(severities(&record), [Severity::Notice]);
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
    fn one_cpu_is_not_told_to_bind_nor_to_allow_another() {
        let mut noisy = disturbed(Some(2), None, None);
        assert!(noisy_machine(&noisy)[0].advice[0].contains("pin "));
        noisy.machine.cpu.online = Some(1);
        assert!(!noisy_machine(&noisy)[0].advice[0].contains("pin "));
        noisy.content.plan.cpus = vec![0];
        assert!(one_cpu(&noisy)[0].is(ONE_CPU) && one_cpu(&noisy)[0].advice.is_empty());
        noisy.machine.cpu.online = Some(2);
        assert_eq!(one_cpu(&noisy)[0].advice.len(), 1);
    }

    #[test]
    fn time_that_the_hypervisor_took_is_told_from_one_percent() {
        let mut record = disturbed(None, Some(1.0), None);
        let part = |steal_ms| PartReport {
            part: crate::sections::pauses::plan::PAUSES,
            outcome: Outcome::Done,
            reason: None,
            elapsed_ms: 1_000,
            disturbance: Disturbance { steal_ms: Some(steal_ms), ..Disturbance::default() },
        };
        record.content.parts = vec![part(10.0)];
        assert_eq!(stolen_time(&record), []);
        record.content.parts = vec![part(11.0)];
        assert!(stolen_time(&record)[0].is(STOLEN_TIME));
        assert_eq!(stolen_time(&record)[0].evidence.values["share"], 0.011);
    }

    #[test]
    fn a_run_in_one_process_on_any_cpu_says_so() {
        let mut record = blank();
        record.content.reason_no_workers = Some("no such file".to_owned());
        let reason = Some("sched_setaffinity: EPERM".to_owned());
        record.content.parts.push(PartReport {
            part: crate::sections::clocks::plan::LATENCY,
            outcome: Outcome::Done,
            reason: None,
            elapsed_ms: 100,
            disturbance: Disturbance { reason_unpinned: reason, ..Disturbance::default() },
        });
        let found = crate::rules::tests::conclude(&record);
        assert!(found.len() == 2 && found[0].is(NO_WORKERS) && found[1].is(NOT_PINNED), "{found:?}");
        assert!(found[0].evidence.summary.ends_with("file") && found[1].evidence.summary.ends_with("EPERM"));
    }

    fn record(interference: InterferenceProbe) -> Record {
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

    const SHARED: InterferenceProbe = InterferenceProbe {
        iterations: 1000,
        iterations_quiet: 1000,
        iterations_shared: 0,
        iterations_slow: 0,
        iterations_preempted: 0,
        quiet_turn_ns: 0.6,
        quiet_link_ns: 0.9,
    };

    #[test]
    fn a_core_is_called_shared_only_by_its_own_cycles() {
        let mut known = record(SHARED);
        known.machine.cpu.microarchitecture = Some("Skylake".to_owned());
        let found = core_shared(&known);
        assert!(found.len() == 1 && found[0].is(CORE_SHARED));
        assert!(found[0].evidence.summary.contains("1.5"), "{}", found[0].evidence.summary);
        assert_eq!(core_shared(&record(SHARED)), [], "nobody published the cycles of an unknown core");
        known.machine.cpu.emulation.is_emulated = Some(true);
        assert_eq!(core_shared(&known), []);
    }
}
