//! What pauses and pacing are to achieve, and whether they did in this run.

use std::time::Duration;

use bench_common::goal::{Goal, Verdict};
use bench_common::spread::Spread;

use crate::honesty::Honesty;
use crate::pacing::{self, LOADED_RATE, Pacing};
use crate::pauses::{Pauses, Row};
use crate::sections::Sections;
use crate::ways;

/// Length in µs; late p50 and p99 in µs; share of a CPU in percent: no more than these.
const IDLE: [(u64, f64, f64, f64, &str); 6] = [
    (1, 0.04, 0.07, 100.0, "1 µs: late ≤ 0.04 (p99 ≤ 0.07) µs, never early"),
    (10, 0.05, 0.5, 100.0, "10 µs: late ≤ 0.05 (p99 ≤ 0.5) µs"),
    (50, 0.06, 1.0, 14.0, "50 µs: late ≤ 0.06 (p99 ≤ 1.0) µs at ≤ 14 % of a CPU"),
    (100, 0.06, 1.0, 9.0, "100 µs: late ≤ 0.06 (p99 ≤ 1.0) µs at ≤ 9 % of a CPU"),
    (1_000, 0.08, 1.6, 3.0, "1 ms: late ≤ 0.08 (p99 ≤ 1.6) µs at ≤ 3 % of a CPU"),
    (10_000, 0.4, 10.0, 0.6, "10 ms: late ≤ 0.4 (p99 ≤ 10) µs at ≤ 0.6 % of a CPU"),
];
const LOADED: (u64, f64, f64, f64) = (100, 0.1, 5.0, 10.0);
const PACED_CPU_PCT: f64 = 10.0;

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Vec<Goal> {
    let mut goals: Vec<Goal> = IDLE
        .into_iter()
        .map(|(us, p50, p99, cpu, goal)| {
            pause(sections, sections.pauses.as_ref(), us, (p50, p99, cpu), ways::PAUSER, goal)
        })
        .collect();
    let (us, p50, p99, cpu) = LOADED;
    goals.push(pause(
        sections,
        sections.loaded.as_ref(),
        us,
        (p50, p99, cpu),
        ways::PAUSER_SLICE,
        "100 µs beside a busy thread, no root: late ≤ 0.1 (p99 ≤ 5) µs at ≤ 10 % of a CPU",
    ));
    goals.push(exact(sections));
    goals.push(punctual(sections));
    goals.push(paced_cheaply(sections));
    goals.push(paced_loaded(sections));
    goals.push(honest(sections));
    goals
}

fn median(values: &[f64]) -> Option<f64> {
    Spread::of(values.iter().copied()).map(|of| of.median)
}

/// A quick run is too short to miss a goal, or to meet it.
fn judged(sections: &Sections, verdict: Verdict) -> Verdict {
    if sections.is_quick { Verdict::Open("the quick run is too short".into()) } else { verdict }
}

/// Met if each value is at most its limit; else says of which by how much it is missed.
fn within(values: &[(&str, f64, f64)]) -> Verdict {
    let missed: Vec<String> = values
        .iter()
        .filter(|(_, value, limit)| value.is_nan() || value > limit)
        .map(|(what, value, limit)| format!("{what}: {value:.2} instead of {limit}"))
        .collect();
    if missed.is_empty() { Verdict::Met } else { Verdict::Missed(missed.join(", ")) }
}

fn pause(
    sections: &Sections,
    seen: Option<&Pauses>,
    us: u64,
    (p50, p99, cpu): (f64, f64, f64),
    way: &str,
    goal: &'static str,
) -> Goal {
    let figures = |row: &Row| {
        Some((median(&row.late_p50_us)?, median(&row.late_p99_us)?, median(&row.cpu_share)? * 100.0, row.early))
    };
    let Some((late, tail, share, early)) =
        seen.and_then(|seen| seen.row(Duration::from_micros(us), way)).and_then(figures)
    else {
        return Goal::open(goal, "not measured");
    };
    let verdict =
        within(&[("p50", late, p50), ("p99", tail, p99), ("CPU %", share, cpu), ("early", early as f64, 0.0)]);
    let measured = format!("{late:.3} ({tail:.2}) µs at {share:.1} %, {early} early");
    Goal { goal, measured, verdict: judged(sections, verdict) }
}

fn exact(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 1 k/s to 1 M/s for 3 s: rate error ≤ 0.1 ppm";
    let errors = sections.pacing.iter().flat_map(|pacing| &pacing.alone_ppm);
    let Some((rate, worst)) = errors.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) else {
        return Goal::open(GOAL, "not measured");
    };
    let verdict = judged(sections, within(&[("ppm", worst.abs(), 0.1)]));
    Goal { goal: GOAL, measured: format!("at most {worst:+.3} ppm ({rate} per s)"), verdict }
}

fn punctual(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 1 k/s to 1 M/s: median lateness ≤ 0.05 µs";
    let late = |pacing: &Pacing| {
        let rows = pacing.rows.iter().filter(|row| row.pacer == pacing::OURS);
        rows.filter_map(|row| median(&row.late_p50_us)).reduce(f64::max)
    };
    match sections.pacing.as_ref().and_then(late) {
        Some(worst) => Goal {
            goal: GOAL,
            measured: format!("at most {worst:.3} µs"),
            verdict: judged(sections, within(&[("µs", worst, 0.05)])),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn paced_cheaply(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 10 k/s: ≤ 10 % of a CPU with p99 ≤ 2 µs";
    let row = sections.pacing.as_ref().and_then(|pacing| pacing.row(10_000, pacing::OURS));
    let Some((tail, share)) = row.and_then(|row| Some((median(&row.late_p99_us)?, median(&row.cpu_share)? * 100.0)))
    else {
        return Goal::open(GOAL, "not measured");
    };
    let verdict = judged(sections, within(&[("p99 µs", tail, 2.0), ("CPU %", share, PACED_CPU_PCT)]));
    Goal { goal: GOAL, measured: format!("{tail:.2} µs at {share:.1} %"), verdict }
}

fn paced_loaded(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 10 k/s beside a busy thread: ≤ 1 ppm, median lateness ≤ 1 µs";
    let row = sections.pacing_loaded.as_ref().and_then(|pacing| pacing.row(LOADED_RATE, pacing::OURS_SLICE));
    let Some((ppm, late)) = row.and_then(|row| Some((median(&row.error_ppm)?, median(&row.late_p50_us)?))) else {
        return Goal::open(GOAL, "not measured");
    };
    let verdict = judged(sections, within(&[("ppm", ppm.abs(), 1.0), ("µs", late, 1.0)]));
    Goal { goal: GOAL, measured: format!("{ppm:+.2} ppm, {late:.3} µs"), verdict }
}

fn honest(sections: &Sections) -> Goal {
    const GOAL: &str = "a stall of 50 ms at 10 k/s: response p99 within 5 % of what an observer sees";
    let differs = |seen: &Honesty| (seen.response_us / seen.outside_us - 1.0) * 100.0;
    match &sections.honesty {
        Some(seen) => Goal {
            goal: GOAL,
            measured: format!(
                "{:+.2} %: {:.0} µs, seen {:.0} µs; service {:.2} µs",
                differs(seen),
                seen.response_us,
                seen.outside_us,
                seen.service_us
            ),
            verdict: judged(sections, within(&[("%", differs(seen).abs(), 5.0)])),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_must_be_kept() {
        assert!(within(&[("a", 1.0, 1.0), ("b", 0.0, 0.0)]).is_met());
        assert_eq!(within(&[("a", 1.0, 1.0), ("b", 2.0, 1.5)]).show(), "missed by b: 2.00 instead of 1.5");
        assert!(!within(&[("a", f64::NAN, 1.0)]).is_met());
    }

    #[test]
    fn what_was_not_measured_is_open() {
        assert!(all(&Sections::default()).iter().all(|goal| goal.verdict.is_open()));
    }
}
