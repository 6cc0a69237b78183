use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::{ms, ns, share};
use chronoscope_harness::rule::Rule;

use super::plan::HICCUPS;
use super::report::{HiccupWay, Hiccups, HiccupsReport};
use crate::document::Record;

/// A thread that computes is held up for longer than 10 µs at this share of moments: its p99.9 is then what interrupts it
/// rather than its own work. The kernel's tick, up to 1000 a second at a few µs each, stays below.
const HELD_UP_SHARE: f64 = 0.001;
/// At this share it is its p99.
const HELD_UP_MUCH_SHARE: f64 = 0.01;
/// A thread that sleeps is woken more than 1 ms late at this share of moments: its p99.9 is then not the timer's, which on
/// an idle CPU is late by 0.1 ms, but that of whoever has the CPU.
const WOKEN_LATE_SHARE: f64 = 0.001;

/// So many hiccups of a CPU at least, or it may be one.
const FEWEST_HICCUPS: f64 = 5.0;

/// The page that shows them.
const SHOWN_IN: &[&str] = &["hiccups"];

pub const COMPUTING_HELD_UP: Kind = Kind::notice(
    "computing_held_up",
    Meaning {
        about: "a thread that only computes is held up by what else the machine does",
        evidence: "the share of moments at which a computing thread would wait over 10 µs (`share_over_10_us`), \
            the p99.9 and the worst (`late_ns_p99_9`, `late_ns_max`), stolen time (`steal_ms`)",
        mend: "pin work that must not wait to a CPU on which nothing else runs, and isolate that CPU",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Noisy);
pub const WOKEN_LATE: Kind = Kind::warning(
    "woken_late",
    Meaning {
        about: "a thread that sleeps is woken more than 1 ms late too often",
        evidence: "the share of moments at which a sleeping thread would be woken over 1 ms late \
            (`share_over_1_ms`), the p99.9 and the worst (`late_ns_p99_9`, `late_ns_max`)",
        mend: "give the threads that must wake in time a higher priority, and run fewer busy threads than \
            CPUs",
    },
)
.shown_in(SHOWN_IN)
.classed(HostState::Noisy);
pub const HICCUPS_UNPINNED: Kind = Kind::notice(
    "hiccups_unpinned",
    Meaning {
        about: "hiccups could not be told apart by CPU",
        evidence: "why threads could not be pinned",
        mend: "run it where sched_setaffinity is allowed, outside the sandbox",
    },
)
.shown_in(SHOWN_IN);

pub const RULES: &[Rule<Record>] = &[
    Rule { yields: &[COMPUTING_HELD_UP], find: |record| of(record, held_up) },
    Rule { yields: &[WOKEN_LATE], find: |record| of(record, woken_late) },
    Rule { yields: &[HICCUPS_UNPINNED], find: |record| of(record, unpinned) },
];

fn of(record: &Record, rule: fn(&Record, &HiccupsReport) -> Option<Finding>) -> Vec<Finding> {
    record.hiccups.report.as_ref().and_then(|report| rule(record, report)).into_iter().collect()
}

/// Those of one way whose share is at least this, with the worst of them.
fn affected(
    report: &HiccupsReport,
    way: HiccupWay,
    share_of: impl Fn(&Hiccups) -> f64,
    (longer_than_ns, least): (f64, f64),
) -> Option<(Vec<&Hiccups>, &Hiccups)> {
    let is_affected = |row: &&Hiccups| {
        row.way == way && share_of(row) >= least && at_least(row, share_of(row), longer_than_ns) >= FEWEST_HICCUPS
    };
    let rows: Vec<_> = report.cpus.iter().filter(is_affected).collect();
    let worst = rows.iter().copied().max_by(|a, b| share_of(a).total_cmp(&share_of(b)))?;
    Some((rows, worst))
}

/// How many hiccups the looks that were so late come from at least: none of them lasted longer than the worst.
fn at_least(row: &Hiccups, share: f64, longer_than_ns: f64) -> f64 {
    let every_ns = row.figures.observed_ms * 1e6 / row.figures.looks.max(1) as f64;
    let of_the_worst = (row.figures.late_ns_max as f64 - longer_than_ns).max(0.0) / every_ns + 1.0;
    share * row.figures.looks as f64 / of_the_worst
}

/// `CPU 3`, `CPUs 0, 3`, or the process if it could not be pinned.
fn named(rows: &[&Hiccups]) -> String {
    let cpus: Vec<String> = rows.iter().filter_map(|row| row.cpu).map(|cpu| cpu.to_string()).collect();
    match cpus.as_slice() {
        [] => "the process".to_owned(),
        [cpu] => format!("CPU {cpu}"),
        _ => format!("CPUs {}", cpus.join(", ")),
    }
}

fn held_up(record: &Record, report: &HiccupsReport) -> Option<Finding> {
    let share_of = |row: &Hiccups| row.figures.share_over_10_us;
    let (rows, worst) = affected(report, HiccupWay::Spin, share_of, (10_000.0, HELD_UP_SHARE))?;
    let figures = &worst.figures;
    let steal_ms = stolen_ms(record);
    let stolen = steal_ms.map_or_else(String::new, |stolen| format!("; the hypervisor took {} meanwhile", ms(stolen)));
    let summary = format!(
        "a thread that only computes would wait longer than 10 µs at {} of moments{}, {} at most{stolen}",
        share(figures.share_over_10_us),
        if rows.len() > 1 { format!(" on {}", named(&[worst])) } else { String::new() },
        ns(figures.late_ns_max as f64),
    );
    let finding = Finding::new(COMPUTING_HELD_UP, summary)
        .about(named(&rows))
        .value("share_over_10_us", figures.share_over_10_us)
        .value("late_ns_p99_9", figures.late_ns_p99_9 as f64)
        .value("late_ns_max", figures.late_ns_max as f64)
        .value("steal_ms", steal_ms.unwrap_or(f64::NAN));
    let finding = match share_of(worst) >= HELD_UP_MUCH_SHARE {
        true => Finding { severity: Severity::Warning, ..finding },
        false => finding,
    };
    let finding = match record.machine.kernel.is_linux() {
        true => finding
            .advice("pin work that must not wait to a CPU on which nothing else runs: taskset -c CPU PROGRAM")
            .advice("isolate that CPU from the scheduler and the tick: kernel parameters isolcpus=CPU nohz_full=CPU"),
        false => finding.advice("keep work that must not wait on a CPU on which nothing else runs"),
    };
    Some(match steal_ms {
        Some(_) => finding.advice("use a dedicated host, or CPUs that are not overcommitted"),
        None => finding,
    })
}

/// What the hypervisor took from the CPUs meanwhile.
fn stolen_ms(record: &Record) -> Option<f64> {
    let part = record.parts.iter().find(|report| report.part == HICCUPS)?;
    part.disturbance.steal_ms.filter(|stolen| *stolen > 0.0)
}

fn woken_late(record: &Record, report: &HiccupsReport) -> Option<Finding> {
    let share_of = |row: &Hiccups| row.figures.share_over_1_ms;
    let (rows, worst) = affected(report, HiccupWay::Sleep, share_of, (1_000_000.0, WOKEN_LATE_SHARE))?;
    let figures = &worst.figures;
    let summary = format!(
        "a thread that sleeps would be woken more than 1 ms late at {} of moments{}, {} at most",
        share(figures.share_over_1_ms),
        if rows.len() > 1 { format!(" on {}", named(&[worst])) } else { String::new() },
        ns(figures.late_ns_max as f64),
    );
    let finding = Finding::new(WOKEN_LATE, summary);
    // Next to a program it is what the program does to others.
    let finding = match report.program {
        Some(_) => Finding { severity: Severity::Notice, ..finding },
        None => finding,
    };
    let finding = finding
        .about(named(&rows))
        .value("share_over_1_ms", figures.share_over_1_ms)
        .value("late_ns_p99_9", figures.late_ns_p99_9 as f64)
        .value("late_ns_max", figures.late_ns_max as f64);
    Some(match record.machine.kernel.is_linux() {
        true => finding
            .advice("give the threads that must wake in time precedence: nice -n -10 PROGRAM, or chrt -f 10 PROGRAM")
            .advice("run fewer busy threads than CPUs")
            .advice("see whether a CPU limit took effect: nr_throttled in the cgroup's cpu.stat"),
        false => finding
            .advice("give the threads that must wake in time a higher priority")
            .advice("run fewer busy threads than CPUs"),
    })
}

fn unpinned(_: &Record, report: &HiccupsReport) -> Option<Finding> {
    let reason = report.reason_unpinned.as_ref()?;
    let summary = format!("threads could not be pinned, so nothing is known per CPU: {reason}");
    Some(Finding::new(HICCUPS_UNPINNED, summary).advice(HICCUPS_UNPINNED.mend))
}
