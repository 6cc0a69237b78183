//! Causes that figures show, where no finding does.

use chronoscope_harness::quantity::{TIME, ns, percent, share};
use chronoscope_probes::RuntimeKind;

use super::diagnose::{Look, by_findings, findings, unmeasured};
use crate::document::Record;
use crate::sections::clocks::report::ClockReport;
use crate::sections::pauses::report::PauseWay;
use crate::sections::runtimes::report::{Runtime, RuntimeClock, TimeKind};
use crate::sections::runtimes::rules::{RUNTIME_ON_SLOW_PATH, WALL_CLOCK_FOR_INTERVALS};
use crate::sections::sync::rules::{WALL_CLOCK_ERROR_LARGE, WALL_CLOCK_ERROR_UNKNOWN};
use crate::shared_findings::NEGATIVE_ELAPSED;
use chronoscope_harness::estimators::pauses::PauseFigures;
use chronoscope_harness::record::Path;

fn found(evidence: String, finding: Option<&str>, advice: &[&str]) -> Look {
    let owned = |text: &&str| (*text).to_owned();
    Look::Found { evidence, findings: finding.iter().map(owned).collect(), advice: advice.iter().map(owned).collect() }
}

fn missing(section: &'static str, record: &Record) -> Look {
    let reason = unmeasured(&[section], record).unwrap_or_else(|| format!("`chronoscope {section}` could not tell"));
    Look::Unknown { reason }
}

/// The runtimes of this kind that were measured.
fn of_kind(kind: RuntimeKind, record: &Record) -> Vec<&Runtime> {
    record.runtimes.iter().filter(|runtime| runtime.kind == kind && runtime.available).collect()
}

fn not_here(kind: RuntimeKind, record: &Record) -> Look {
    let reason = record
        .runtimes
        .iter()
        .filter(|runtime| runtime.kind == kind)
        .find_map(|runtime| runtime.reason_unavailable.clone());
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    Look::Unknown { reason: format!("{} was not measured{reason}; `chronoscope runtimes` does", kind.title()) }
}

/// Java's wall clocks, which may be set back.
pub fn java_wall_clock(record: &Record) -> Look {
    let runtimes = of_kind(RuntimeKind::Java, record);
    let clocks = runtimes.iter().flat_map(|runtime| &runtime.clocks).filter(|clock| clock.kind == TimeKind::Wall);
    let mut walls: Vec<&str> = clocks.map(|clock| clock.name.as_str()).collect();
    walls.sort_unstable();
    walls.dedup();
    match (runtimes.is_empty(), walls.is_empty()) {
        (true, _) => not_here(RuntimeKind::Java, record),
        (false, true) => Look::Excluded { evidence: "no wall clock of Java was measured".to_owned() },
        (false, false) => found(
            format!("{} read the wall clock, which may be set back", walls.join(", ")),
            Some(WALL_CLOCK_FOR_INTERVALS.id),
            &["measure intervals with System.nanoTime; keep the wall clock for the time of day"],
        ),
    }
}

/// A clock of Java that went backwards within a thread.
pub fn java_went_backwards(record: &Record) -> Look {
    let runtimes = of_kind(RuntimeKind::Java, record);
    if runtimes.is_empty() {
        return not_here(RuntimeKind::Java, record);
    }
    let is_of_java = |subject: &str| runtimes.iter().any(|runtime| subject.contains(&runtime.title()));
    let mut steps = findings(&[NEGATIVE_ELAPSED], record);
    steps.retain(|finding| finding.subject.as_deref().is_some_and(is_of_java) || is_of_java(&finding.evidence.summary));
    if !steps.is_empty() {
        return by_findings(&steps);
    }
    let reads: u64 = runtimes
        .iter()
        .flat_map(|runtime| &runtime.clocks)
        .filter_map(|clock| clock.reads.as_ref())
        .fold(0, |sum, reads| sum.saturating_add(reads.count));
    let reads = chronoscope_harness::quantity::count(reads);
    Look::Excluded { evidence: format!("no clock of Java went backwards within a thread in {reads} reads") }
}

/// What `System.nanoTime` costs, and by which path.
pub fn nano_time_path(record: &Record) -> Look {
    let clocks = of_kind(RuntimeKind::Java, record).into_iter().flat_map(|runtime| &runtime.clocks);
    let Some(clock) = clocks.into_iter().find(|clock| clock.name == "System.nanoTime") else {
        return not_here(RuntimeKind::Java, record);
    };
    let cost = || cost(clock);
    match clock.path {
        Some(Path::Syscall) => {
            let slow = findings(&[RUNTIME_ON_SLOW_PATH], record);
            match slow.is_empty() {
                true => found(format!("System.nanoTime enters the kernel{}", cost()), None, &[]),
                false => by_findings(&slow),
            }
        }
        Some(_) => Look::Excluded { evidence: format!("System.nanoTime makes no system call{}", cost()) },
        None => Look::Unknown { reason: format!("the path of System.nanoTime is unknown{}", cost()) },
    }
}

fn cost(clock: &RuntimeClock) -> String {
    let of = |latency: &chronoscope_harness::estimators::latency::Latency| {
        format!(": {} a read, {}", ns(latency.estimate), TIME.interval(latency.low, latency.high))
    };
    clock.latency_ns.as_ref().map_or_else(String::new, of)
}

fn sleep(record: &Record, way: PauseWay) -> Option<&PauseFigures> {
    const ONE_MS: u64 = 1_000_000;
    let methods = record.pauses.report.iter().filter(|pause| !pause.loaded).flat_map(|pause| &pause.methods);
    let of_way = methods.filter(|method| method.way == way).map(|method| &method.figures);
    of_way.min_by_key(|figures| figures.requested_ns.abs_diff(ONE_MS))
}

/// How late an ordinary sleep of about a millisecond is.
pub fn sleep_overruns(record: &Record) -> Look {
    const WORTH_SAYING_NS: f64 = 10_000.0;
    let Some(figures) = sleep(record, PauseWay::StdSleep) else { return missing("pauses", record) };
    let (asked, took, late) = (ns(figures.requested_ns as f64), ns(figures.p50_ns.estimate), figures.late_p50_ns());
    let evidence = format!("std::thread::sleep of {asked} takes {took} (median), {} (99 %)", ns(figures.p99_ns));
    match late >= WORTH_SAYING_NS {
        true => found(
            evidence,
            None,
            &["pause to a deadline with `chronoscope_clock::pause::sleep`, or the `Pauser`, which learns"],
        ),
        false => Look::Excluded { evidence },
    }
}

/// Whether even a sleep with minimal slack waits for the next timer tick.
pub fn timer_tick(record: &Record) -> Look {
    const TICK_NS: f64 = 500_000.0;
    let Some(figures) = sleep(record, PauseWay::Sleep) else { return missing("pauses", record) };
    let evidence = format!(
        "with minimal slack, a sleep of {} is late by {} (median)",
        ns(figures.requested_ns as f64),
        ns(figures.late_p50_ns())
    );
    match figures.late_p50_ns() >= TICK_NS {
        true => found(
            evidence,
            None,
            &["check that the kernel has high-resolution timers: /proc/timer_list says hres_active"],
        ),
        false => Look::Excluded { evidence },
    }
}

/// What the machine took from a thread that only read clocks: no percentile of a program here can be better.
pub fn machine_stalls(record: &Record) -> Look {
    const WORTH_SAYING_NS: f64 = 100_000.0;
    let seen = record.reads.iter().filter(|reads| reads.maximum_ns.is_finite());
    let Some(reads) = seen.max_by(|a, b| a.maximum_ns.total_cmp(&b.maximum_ns)) else {
        return missing("reads", record);
    };
    let lost = reads
        .shown_gaps()
        .map(|gaps| format!(", {} of the time in gaps over {}", share(gaps.share_of_time), ns(gaps.above_ns)));
    let evidence = format!(
        "a thread that only read {} was held up by up to {}{}",
        reads.clock,
        ns(reads.maximum_ns),
        lost.take(1).collect::<String>()
    );
    match reads.maximum_ns >= WORTH_SAYING_NS {
        true => found(
            evidence,
            None,
            &["a largest latency below that was not measured against a schedule: see `chronoscope pace`"],
        ),
        false => Look::Excluded { evidence },
    }
}

/// Clocks that move in steps of a microsecond or more.
pub fn coarse_clocks(record: &Record) -> Look {
    let Some(reason) = unmeasured(&["clocks"], record) else {
        let steps: Vec<String> = coarse(record).map(|(name, step)| format!("{name} by {}", ns(step))).collect();
        return match steps.is_empty() {
            true => Look::Excluded { evidence: "no clock moves in steps of a microsecond or more".to_owned() },
            false => found(
                format!("clocks that move in coarse steps: {}", steps.join(", ")),
                None,
                &["time with a clock that `chronoscope check` recommends, or a batch: `chronoscope advise --interval`"],
            ),
        };
    };
    Look::Unknown { reason }
}

fn coarse(record: &Record) -> impl Iterator<Item = (String, f64)> + '_ {
    let is_coarse = |clock: &&ClockReport| clock.available && clock.is_coarse();
    record.clocks.iter().filter(is_coarse).filter_map(|clock| Some((clock.name.to_string(), clock.step_ns()?)))
}

/// How many consecutive reads of the clocks of runtimes are equal.
pub fn runtime_steps(record: &Record) -> Look {
    const MILLISECOND_NS: f64 = 500_000.0;
    let Some(reason) = unmeasured(&["runtimes"], record) else {
        let clocks =
            || record.runtimes.iter().flat_map(|runtime| runtime.clocks.iter().map(move |clock| (runtime, clock)));
        let coarse = clocks().filter_map(|(runtime, clock)| {
            let step = clock.step_ns().filter(|step| *step >= MILLISECOND_NS && clock.kind != TimeKind::Cpu)?;
            let equal = clock.reads.as_ref().map_or_else(String::new, |reads| {
                format!(" ({} of consecutive reads are equal)", percent(reads.zero_share * 100.0))
            });
            Some(format!("{}: {} by {}{equal}", runtime.title(), clock.name, ns(step)))
        });
        let coarse: Vec<String> = coarse.collect();
        return match coarse.is_empty() {
            true => Look::Excluded {
                evidence: "no runtime's clock here moves in steps of half a millisecond or more".to_owned(),
            },
            false => found(
                coarse.join("; "),
                None,
                &[
                    "use the runtime's high-resolution clock: Stopwatch in .NET, System.nanoTime in Java, performance.now in a browser",
                ],
            ),
        };
    };
    Look::Unknown { reason }
}

/// What a read of the monotonic clock costs.
pub fn read_cost(record: &Record) -> Look {
    /// A read by way of the vDSO costs less on any machine of the last fifteen years.
    const DEAR_NS: f64 = 100.0;
    let is_monotonic = |clock: &&ClockReport| clock.name == crate::answers::fast_path::CLOCK;
    let latency = record.clocks.iter().find(is_monotonic).and_then(|clock| clock.latency_ns.as_ref());
    let Some(latency) = latency else { return missing("clocks", record) };
    let evidence = format!(
        "a read of CLOCK_MONOTONIC costs {}, {}: a million a second take {} of a CPU",
        ns(latency.estimate),
        TIME.interval(latency.low, latency.high),
        share(latency.estimate / 1e3)
    );
    match latency.estimate >= DEAR_NS {
        true => found(evidence, None, &[]),
        false => Look::Excluded { evidence },
    }
}

/// Whether the wall clock is known better than events between hosts are apart.
pub fn wall_clock_bound(record: &Record) -> Look {
    /// Events of one request on two hosts of a data centre are about that far apart.
    const NETWORK_NS: f64 = 100_000.0;
    let Some(report) = record.sync.report.as_ref() else { return missing("sync", record) };
    match report.bound.value() {
        None => match findings(&[WALL_CLOCK_ERROR_UNKNOWN], record).as_slice() {
            [] => Look::Unknown { reason: "no bound on the wall clock's error is known".to_owned() },
            unknown => by_findings(unknown),
        },
        Some(bound) => {
            let evidence = format!("the wall clock is off by at most {}", ns(bound.error_ns));
            match bound.error_ns > NETWORK_NS {
                true => found(
                    format!("{evidence}: events closer than the sum of both hosts' errors have no known order"),
                    findings(&[WALL_CLOCK_ERROR_LARGE], record).first().map(|finding| &*finding.id),
                    &["order events by messages (a Lamport or hybrid clock), or discipline both hosts by PTP"],
                ),
                false => Look::Excluded { evidence },
            }
        }
    }
}
