//! What pauses and pacing are to achieve, and whether they did in this run.

use std::time::Duration;

use bench_common::goal::{Goal, Verdict};
use bench_common::spread::Spread;

use crate::honesty::Honesty;
use crate::pacing::{self, LOADED_RATE, Pacing};
use crate::pauses::{Pauses, Row};
use crate::sections::Sections;
use crate::ways;

/// Length in µs; late p50 and p99 in µs, and what may be taken of a CPU: no more than these.
const IDLE: [(u64, f64, f64, Cpu, &str); 6] = [
    (1, 0.04, 0.07, Cpu::Percent(100.0), "1 µs: late ≤ 0.04 (p99 ≤ 0.07) µs, never early"),
    (10, 0.05, 0.5, Cpu::Percent(100.0), "10 µs: late ≤ 0.05 (p99 ≤ 0.5) µs"),
    (50, 0.06, 1.0, Cpu::Unavoidable(MUCH), "50 µs: late ≤ 0.06 (p99 ≤ 1.0) µs at ≤ 1.15 × the unavoidable CPU"),
    (100, 0.06, 1.0, Cpu::Unavoidable(MUCH), "100 µs: late ≤ 0.06 (p99 ≤ 1.0) µs at ≤ 1.15 × the unavoidable CPU"),
    (1_000, 0.08, 1.6, Cpu::Unavoidable(MUCH), "1 ms: late ≤ 0.08 (p99 ≤ 1.6) µs at ≤ 1.15 × the unavoidable CPU"),
    // A round has too few sleeps to tell what is unavoidable.
    (10_000, 0.4, 10.0, Cpu::Percent(0.6), "10 ms: late ≤ 0.4 (p99 ≤ 10) µs at ≤ 0.6 % of a CPU"),
];
const MUCH: f64 = 1.15;
const LOADED: (u64, f64, f64) = (100, 0.1, 5.0);

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Vec<Goal> {
    let pauses = sections.pauses.as_ref();
    let mut goals: Vec<Goal> = IDLE
        .into_iter()
        .map(|(us, p50, p99, cpu, goal)| pause(sections, pauses, us, (p50, p99, cpu), ways::PAUSER, goal))
        .collect();
    let (us, p50, p99) = LOADED;
    goals.push(pause(
        sections,
        sections.loaded.as_ref(),
        us,
        (p50, p99, Cpu::Unavoidable(MUCH)),
        ways::PAUSER_SLICE,
        "100 µs on a busy CPU, no root: late ≤ 0.1 (p99 ≤ 5) µs at ≤ 1.15 × the unavoidable CPU",
    ));
    goals.push(exact(sections));
    goals.push(punctual(sections));
    goals.push(ahead(sections));
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

/// What may be taken of a CPU.
#[derive(Clone, Copy, Debug)]
enum Cpu {
    Percent(f64),
    /// So many times what being on time takes at least.
    Unavoidable(f64),
}

fn pause(
    sections: &Sections,
    seen: Option<&Pauses>,
    us: u64,
    (p50, p99, cpu): (f64, f64, Cpu),
    way: &str,
    goal: &'static str,
) -> Goal {
    let length = Duration::from_micros(us);
    let row = |way: &str| seen.and_then(|seen| seen.row(length, way));
    let figures =
        |row: &Row| Some((median(&row.late_p50_us)?, median(&row.late_p99_us)?, median(&row.cpu_share)? * 100.0));
    let Some((row_of, (late, tail, share))) = row(way).and_then(|row| Some((row, figures(row)?))) else {
        return Goal::open(goal, "not measured");
    };
    let times = || {
        let bare = row(ways::BARE_SLEEP)?;
        median(&crate::pauses::ratios(&row_of.cpu_share, &bare.unavoidable_share))
    };
    let all =
        || row(ways::BARE_SLEEP).and_then(|bare| median(&bare.unavoidable_share)).is_some_and(|share| share >= 1.0);
    let (cpu, of_cpu) = match cpu {
        Cpu::Percent(most) => (("CPU %", share, most), String::new()),
        Cpu::Unavoidable(most) => match times() {
            // It cannot fail then, and says so.
            Some(times) if all() => (("CPU ×", times, most), ", all of which is unavoidable here".to_owned()),
            Some(times) => (("CPU ×", times, most), format!(", {times:.2} × the unavoidable")),
            None => return Goal::open(goal, "too few sleeps to tell what is unavoidable"),
        },
    };
    let early = row_of.early;
    let verdict = within(&[("p50", late, p50), ("p99", tail, p99), cpu, ("early", early as f64, 0.0)]);
    let spun = row(ways::SPIN).and_then(|spin| median(&spin.late_p99_us));
    let spun = spun.map(|spun| format!("; p99 of a bare spin: {spun:.2} µs")).unwrap_or_default();
    let measured = format!("{late:.3} ({tail:.2}) µs at {share:.1} %{of_cpu}, {early} early{spun}");
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

fn ahead(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 10 k/s: p50 and p99 no later than spin_sleep's burst interval, round by round";
    let Some((p50, p99)) = sections.pacing.as_ref().and_then(|pacing| pacing.beside_peer(10_000)) else {
        return Goal::open(GOAL, "not measured");
    };
    let (Some(p50), Some(p99)) = (Spread::of(p50), Spread::of(p99)) else { return Goal::open(GOAL, "not measured") };
    let verdict = within(&[("p50 ×", p50.median, 1.0), ("p99 ×", p99.median, 1.0)]);
    let measured = format!("p50 × {}, p99 × {}", p50.show(2), p99.show(2));
    Goal { goal: GOAL, measured, verdict: judged(sections, verdict) }
}

fn paced_cheaply(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 10 k/s: ≤ 1.15 × the unavoidable CPU";
    let Some(times) =
        sections.pacing.as_ref().and_then(|pacing| pacing.beside_unavoidable(10_000)).and_then(Spread::of)
    else {
        return Goal::open(GOAL, "not measured");
    };
    let least = sections.pacing.as_ref().and_then(|pacing| pacing.unavoidable(10_000));
    let verdict = match least {
        Some(least) if least >= 1.0 => Verdict::Open("all of a CPU is unavoidable here".into()),
        _ => judged(sections, within(&[("CPU ×", times.median, MUCH)])),
    };
    Goal { goal: GOAL, measured: format!("× {}", times.show(2)), verdict }
}

fn paced_loaded(sections: &Sections) -> Goal {
    const GOAL: &str = "pacer, 10 k/s on a busy CPU: ≤ 1 ppm, median lateness ≤ 1 µs";
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
