//! The figures of clocks.

use super::plan;
use super::report::{ClockReport, ClocksReport};
use crate::clock_id::ClockId;
use crate::figures::figure::{Better, Figure, FigureKind, Figures};
use crate::figures::limit::{Absent, Bounds, Limit, Takes};
use chronoscope_harness::estimators::intervals::Tolerance;
use chronoscope_harness::estimators::tick::Step;
use chronoscope_harness::quantity::{TIME, confidence, count, ns};

/// Where a limit of a time cannot be met.
const SLOW: &str = "see `chronoscope clocks` for what a read costs, and by which path";

pub static FIGURES: Figures<ClocksReport> = Figures {
    kinds: &[LATENCY, STEP, TICK, WITHIN_1PCT, WITHIN_10PCT],
    of: figures,
    limits: &[
        Limit {
            option: "max-latency",
            help: "A read of this clock costs at most this, e.g. monotonic=40ns; may be repeated",
            takes: Takes::TimeOfClock,
            parts: &[plan::LATENCY],
            mend: SLOW,
            find: latency,
        },
        Limit {
            option: "max-granularity",
            help: "This clock moves in steps of at most this, e.g. monotonic=1us; may be repeated",
            takes: Takes::TimeOfClock,
            parts: &[plan::GRANULARITY],
            mend: SLOW,
            find: granularity,
        },
    ],
};

pub const LATENCY: &FigureKind = &FigureKind {
    usual_noise_pct: FigureKind::CHECKED_PCT,
    ..FigureKind::level("latency", "latency", "Time per read of a clock.")
};
const STEP: &FigureKind = &FigureKind {
    has_interval: false,
    ..FigureKind::level("step", "granularity", "The smallest step of a clock that is longer than a read.")
};
pub const TICK: &FigureKind = &FigureKind {
    better: Better::Neither,
    ..FigureKind::level("tick", "tick", "The tick of a clock, also where a read takes longer.")
};
pub const WITHIN_1PCT: &FigureKind =
    &shortest("interval_within1_pct", "shortest ±1 %", "The shortest interval that a clock times within 1 %.");
pub const WITHIN_10PCT: &FigureKind =
    &shortest("interval_within10_pct", "shortest ±10 %", "The shortest interval that a clock times within 10 %.");

/// A single disturbance moves the shortest interval by the whole distance between two rungs that trials confirm: of an unchanged
/// machine it was up to 81 times as long, and 95 % of all pairs were within a factor of 1.5 (1 %) and 9 (10 %). A change by less says
/// nothing.
const fn shortest(name: &'static str, words: &'static str, what: &'static str) -> FigureKind {
    FigureKind { least_factor: FigureKind::FACTOR_OF_JUMPS, ..FigureKind::extreme(name, words, what) }
}

fn figures(clocks: &ClocksReport) -> Vec<Figure> {
    let of_clock = |clock: &ClockReport| {
        let name = clock.name.name();
        [
            clock.latency_ns.as_ref().and_then(|latency| Figure::new(LATENCY, name, latency.per_read)),
            clock.step_ns().and_then(|step| Figure::bare(STEP, name, step)),
            clock.tick.as_ref().and_then(|tick| Figure::new(TICK, name, tick.period_ns?)),
        ]
    };
    let of_intervals = |clock: &ClockReport| {
        let shortest = |tolerance| clock.intervals.as_ref()?.shortest(tolerance).known_from_ns();
        let kinds = [(WITHIN_1PCT, Tolerance::OnePercent), (WITHIN_10PCT, Tolerance::TenPercent)];
        kinds.map(|(kind, tolerance)| Figure::bare(kind, clock.name.name(), shortest(tolerance)?))
    };
    let measured = clocks.clocks.iter().filter(|clock| clock.available).flat_map(of_clock);
    measured.chain(clocks.clocks.iter().flat_map(of_intervals)).flatten().collect()
}

/// What a read of the clock costs.
fn latency(clocks: &ClocksReport, of: Option<&ClockId>) -> Result<Bounds, Absent> {
    let found = readable(clocks, of)?.latency_ns.as_ref();
    let found = found.ok_or_else(|| Absent::NotMeasured("its latency was not measured".to_owned()))?;
    let latency = found.per_read;
    // What disturbs a batch makes it longer, never shorter.
    let (batches, fastest) = (count(found.batches), ns(found.minimum));
    let least = format!("; even the fastest of {batches} batches took {fastest} a read");
    let known = Bounds {
        estimate: Some(latency.estimate),
        least: Some((found.minimum, least)),
        ..Bounds::between(format!("{} a read", TIME.amount(&latency)), latency.low, latency.high)
    };
    if latency.has_confidence() {
        return Ok(known);
    }
    Ok(Bounds {
        certain: (0.0, f64::INFINITY),
        doubt: match latency.has_interval() {
            true => format!("; the interval has a confidence of only {}", confidence(latency.confidence)),
            false => "; that is of too few processes for an interval".to_owned(),
        },
        narrow: "measure longer, so that more processes take part (--thorough)",
        ..known
    })
}

/// In which steps the clock moves.
fn granularity(clocks: &ClocksReport, of: Option<&ClockId>) -> Result<Bounds, Absent> {
    let clock = readable(clocks, of)?;
    let read_ns = match clock.step {
        Some(Step::Tick { ns: step_ns, .. } | Step::Seen { ns: step_ns }) => {
            return Ok(Bounds::exactly(format!("moves in steps of {}", ns(step_ns)), step_ns));
        }
        Some(Step::WithinARead { ns }) => ns,
        None => return Err(Absent::NotMeasured("its steps were not observed".to_owned())),
    };
    let of = clock.granularity.as_ref().map_or_else(String::new, |seen| format!(" of {} reads", count(seen.reads)));
    let words = format!("moves with every read; the smallest difference{of} is {}", ns(read_ns));
    let narrow = "a step shorter than a read is hidden by it: see `chronoscope clocks` for the tick";
    Ok(Bounds { narrow, ..Bounds::between(words, 0.0, read_ns) })
}

/// The clock's report, or why there is no measurement of it.
fn readable<'a>(clocks: &'a ClocksReport, of: Option<&ClockId>) -> Result<&'a ClockReport, Absent> {
    let of = of.ok_or_else(|| Absent::Because("no clock is named".to_owned(), None))?;
    let clock = clocks.clock(of).ok_or_else(|| Absent::NotMeasured(format!("{of} was not measured")))?;
    if clock.available {
        return Ok(clock);
    }
    let reason = clock.reason_unavailable.as_deref().unwrap_or("the record gives no reason");
    Err(Absent::Because(format!("{of} cannot be read: {reason}"), None))
}
