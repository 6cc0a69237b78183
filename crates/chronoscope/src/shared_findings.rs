//! Findings that more than one command has: on clocks and pauses, whether the machine's or a runtime's.

use chronoscope_harness::estimators::pauses::PauseFigures;
use chronoscope_harness::finding::{Finding, HostState, Kind, Meaning, Severity};
use chronoscope_harness::quantity::{count, ns};

pub const NEGATIVE_ELAPSED: Kind = Kind::critical(
    "negative_elapsed",
    Meaning {
        about: "a clock went backwards within a thread",
        evidence: "how often the clock stepped back on one thread (`backward_steps`) and the largest step (`worst_ns`)",
        mend: "do not time intervals with this clock; for a wall clock that is expected: use a monotonic one",
    },
)
.shown_in(&["clocks", "reads", "runtimes"])
.classed(HostState::Broken);
pub const EARLY_PAUSE: Kind = Kind::critical(
    "early_pause",
    Meaning {
        about: "a pause returned early",
        evidence: "how many pauses of one length returned early (`early`, `requested_ns`)",
        mend: "check the clock on return and wait out the rest",
    },
)
.shown_in(&["pauses", "runtimes"])
.classed(HostState::Broken);

pub const CLOCKSOURCE_CHANGED: Kind = Kind::warning(
    "clocksource_changed",
    Meaning {
        about: "the kernel keeps time by another clocksource",
        evidence: "both names; of a check, what was measured before and after",
        mend: "`dmesg | grep -i clocksource` says why; a watchdog that distrusts the TSC is the usual cause",
    },
)
.classed(HostState::Degraded);

/// Clock `name` went backwards; `wall` for one that may be set, with what to use instead. For consecutive reads only a
/// count is kept, not the distance: `worst_ns` is then 0.
pub fn went_backwards(name: &str, steps: u64, worst_ns: f64, wall: Option<&str>) -> Finding {
    let times = if steps == 1 { "once".to_owned() } else { format!("{} times", count(steps)) };
    let worst = Some(worst_ns).filter(|worst| *worst > 0.0);
    let by = worst.map_or_else(String::new, |worst| format!(", by up to {}", ns(worst)));
    let summary = format!("{name} went backwards {times} within a thread{by}");
    let finding = Finding::new(NEGATIVE_ELAPSED, summary).about(name).value("backward_steps", steps as f64);
    // A non-finite number is left out.
    let mut finding = finding.value("worst_ns", worst.unwrap_or(f64::NAN));
    let Some(instead) = wall else {
        return finding.advice("do not use this clock: an interval timed with it can come out negative");
    };
    // That it was set during the run is only a notice.
    finding.severity = Severity::Notice;
    finding.advice(format!("never time an interval with a wall clock{instead}"))
}

/// The finding that pauses of one method and length returned early, if any did.
pub fn returned_early(name: &str, figures: &PauseFigures) -> Option<Finding> {
    let summary = format!(
        "{name} returned early from {} of {} pauses of {}",
        count(figures.early),
        count(figures.samples),
        ns(figures.requested_ns as f64)
    );
    (figures.early > 0).then(|| {
        Finding::new(EARLY_PAUSE, summary)
            .about(name)
            .value("early", figures.early as f64)
            .value("requested_ns", figures.requested_ns as f64)
            .advice(EARLY_PAUSE.mend)
    })
}
