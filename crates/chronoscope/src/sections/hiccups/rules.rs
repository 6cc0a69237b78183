use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::{ns, share};
use chronoscope_harness::record::Machine;

use super::plan::HiccupsPlan;
use super::report::{HiccupWay, Hiccups, HiccupsReport, StallCause};
use crate::section::rule::SectionRule;

/// A thread that sleeps is woken more than 1 ms late at this share of moments: its p99.9 is then not the timer's, which on
/// an idle CPU is late by 0.1 ms, but that of whoever has the CPU.
const WOKEN_LATE_SHARE: f64 = 0.001;
const WOKEN_LATE_NS: f64 = 1_000_000.0;

/// So many hiccups of a CPU at least, or it may be one.
const FEWEST_HICCUPS: f64 = 5.0;

/// The page that shows them.
pub const SHOWN_IN: &[&str] = &["hiccups"];

pub const WOKEN_LATE: Kind = Kind::warning(
    "woken_late",
    Meaning {
        about: "a thread that sleeps is woken more than 1 ms late too often",
        evidence: "the share of moments at which a sleeping thread would be woken over 1 ms late \
            (`share_over_1_ms`), the p99.9 and the worst (`late_ns_p99_9`, `late_ns_max`)",
        mend: "give the threads that must wake in time a higher priority; where other threads held them up, \
            run fewer busy threads than CPUs",
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

pub const RULES: &[SectionRule<HiccupsPlan, Option<HiccupsReport>>] = &[
    SectionRule::new(&[WOKEN_LATE], |seen| Vec::from_iter(woken_late(seen.machine, seen.report.as_ref()))),
    SectionRule::new(&[HICCUPS_UNPINNED], |seen| Vec::from_iter(seen.report.as_ref().and_then(unpinned))),
];

/// Those of one way whose share is at least this, with the worst of them.
pub fn affected(
    report: &HiccupsReport,
    way: HiccupWay,
    share_of: impl Fn(&Hiccups) -> f64,
    (longer_than_ns, least): (f64, f64),
) -> Option<(Vec<&Hiccups>, &Hiccups)> {
    let is_affected = |row: &&Hiccups| {
        row.way == way
            && row.tells(longer_than_ns)
            && share_of(row) >= least
            && at_least(row, share_of(row), longer_than_ns) >= FEWEST_HICCUPS
    };
    let rows: Vec<_> = report.cpus.iter().filter(is_affected).collect();
    let worst = rows.iter().copied().max_by(|a, b| share_of(a).total_cmp(&share_of(b)))?;
    Some((rows, worst))
}

/// How many hiccups the looks that were so late come from at least: none of them lasted longer than the worst.
fn at_least(row: &Hiccups, share: f64, longer_than_ns: f64) -> f64 {
    let every_ns = row.figures.observed_ms * 1e6 / row.figures.looks.max(1) as f64;
    let of_the_worst = (row.figures.late_ns.max - longer_than_ns).max(0.0) / every_ns + 1.0;
    share * row.figures.looks as f64 / of_the_worst
}

/// `CPU 3`, `CPUs 0, 3`, or the process if it could not be pinned.
pub fn named(rows: &[&Hiccups]) -> String {
    let cpus: Vec<String> = rows.iter().filter_map(|row| row.cpu).map(|cpu| cpu.to_string()).collect();
    match cpus.as_slice() {
        [] => "the process".to_owned(),
        [cpu] => format!("CPU {cpu}"),
        _ => format!("CPUs {}", cpus.join(", ")),
    }
}

/// The longest hiccup on any of them.
pub fn longest_ns(rows: &[&Hiccups]) -> f64 {
    rows.iter().map(|row| row.figures.late_ns.max).fold(0.0, f64::max)
}

fn woken_late(machine: &Machine, report: Option<&HiccupsReport>) -> Option<Finding> {
    let report = report?;
    let share_of = |row: &Hiccups| row.figures.share_over_1_ms;
    let (rows, worst) = affected(report, HiccupWay::Sleep, share_of, (WOKEN_LATE_NS, WOKEN_LATE_SHARE))?;
    let figures = &worst.figures;
    let summary = format!(
        "a thread that sleeps would be woken more than 1 ms late at {} of moments{}; the longest was {} late",
        share(figures.share_over_1_ms),
        if rows.len() > 1 { format!(" on {}", named(&[worst])) } else { String::new() },
        ns(longest_ns(&rows)),
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
        .value("late_ns_p99_9", figures.late_ns.p999)
        .value("late_ns_max", longest_ns(&rows));
    let finding = finding.advice(match machine.kernel.is_linux() {
        true => "give the threads that must wake in time precedence: nice -n -10 PROGRAM, or chrt -f 10 PROGRAM",
        false => "give the threads that must wake in time a higher priority",
    });
    Some(match waited_for_threads(report, &rows) {
        true => finding.advice("run fewer busy threads than CPUs"),
        false => finding,
    })
}

/// Whether the kernel counted that a thread which was woken so late on one of these CPUs waited for other threads.
fn waited_for_threads(report: &HiccupsReport, rows: &[&Hiccups]) -> bool {
    let stalls = report.over_time.iter().flat_map(|stalls| &stalls.longest);
    let mut woken_late = stalls.filter(|stall| {
        stall.way == HiccupWay::Sleep && stall.late_ns > WOKEN_LATE_NS && rows.iter().any(|row| row.cpu == stall.cpu)
    });
    woken_late.any(|stall| stall.cause == StallCause::OtherThreads)
}

fn unpinned(report: &HiccupsReport) -> Option<Finding> {
    let reason = report.reason_unpinned.as_ref()?;
    let summary = format!("threads could not be pinned, so nothing is known per CPU: {reason}");
    Some(Finding::new(HICCUPS_UNPINNED, summary).advice(HICCUPS_UNPINNED.mend))
}
