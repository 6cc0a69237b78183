//! Hiccups, with what the hypervisor took in the same run.

use super::noise::STEAL_SHARE;
use super::of_parts::RuleOfParts;
use crate::document::Record;
use crate::sections::hiccups::plan::HICCUPS;
use crate::sections::hiccups::report::{HiccupWay, Hiccups};
use crate::sections::hiccups::rules::{SHOWN_IN, affected, longest_ns, named};
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::{ms, ns, share};

pub const RULES: &[RuleOfParts] =
    &[RuleOfParts::new(&[HICCUPS], &[COMPUTING_HELD_UP], |record| Vec::from_iter(held_up(record)))];

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

/// A thread that computes is held up for longer than 10 µs at this share of moments: its p99.9 is then what interrupts it
/// rather than its own work. The kernel's tick, up to 1000 a second at a few µs each, stays below.
const HELD_UP_SHARE: f64 = 0.001;
/// At this share it is its p99.
const HELD_UP_MUCH_SHARE: f64 = 0.01;

fn held_up(record: &Record) -> Option<Finding> {
    let report = record.content.hiccups().as_ref()?;
    let share_of = |row: &Hiccups| row.figures.share_over_10_us;
    let (rows, worst) = affected(report, HiccupWay::Spin, share_of, (10_000.0, HELD_UP_SHARE))?;
    let figures = &worst.figures;
    let steal_ms = stolen_ms(record);
    let stolen = steal_ms.map_or_else(String::new, |stolen| {
        format!("; over the whole run the hypervisor took {}, counted in ticks of 10 ms", ms(stolen))
    });
    let summary = format!(
        "a thread that only computes would wait longer than 10 µs at {} of moments{}; the longest of all took {}{stolen}",
        share(figures.share_over_10_us),
        if rows.len() > 1 { format!(" on {}", named(&[worst])) } else { String::new() },
        ns(longest_ns(&rows)),
    );
    let finding = Finding::new(COMPUTING_HELD_UP, summary)
        .about(named(&rows))
        .value("share_over_10_us", figures.share_over_10_us)
        .value("late_ns_p99_9", figures.late_ns.p999)
        .value("late_ns_max", longest_ns(&rows))
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
    let is_much = |stolen_ms: f64| stolen_ms > STEAL_SHARE * watched_ms(record);
    Some(match steal_ms {
        Some(stolen_ms) if is_much(stolen_ms) => {
            finding.advice("use a dedicated host, or CPUs that are not overcommitted")
        }
        _ => finding,
    })
}

/// How long the part took.
fn watched_ms(record: &Record) -> f64 {
    record.content.parts.iter().filter(|report| report.part == HICCUPS).map(|report| report.elapsed_ms as f64).sum()
}

/// What the hypervisor took from the CPUs over the whole run.
fn stolen_ms(record: &Record) -> Option<f64> {
    let part = record.content.parts.iter().find(|report| report.part == HICCUPS)?;
    part.disturbance.steal_ms.filter(|stolen| *stolen > 0.0)
}
