//! What the clock is to achieve, and whether it did in this run.

use bench_common::goal::{Goal, Verdict};

use crate::failure::Failure;
use crate::kind_of_work::Kind;
use crate::sections::Sections;
use crate::spread::Spread;
use crate::subjects::*;

/// Observations of the litmus that the goal asks for.
const OBSERVATIONS: u64 = 100_000_000;

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Result<Vec<Goal>, Failure> {
    let mut goals = latency(sections)?;
    goals.push(threads(sections));
    goals.extend(litmus(sections));
    goals.extend(first_use(sections));
    goals.extend(accuracy(sections));
    Ok(goals)
}

fn ratio_goal(goal: &'static str, ratio: Option<Spread>, limit: f64, of: &str) -> Goal {
    match ratio {
        Some(ratio) => {
            let verdict = Verdict::at_most(ratio.median, limit);
            Goal { goal, measured: format!("{}{of}", ratio.show(2)), verdict }
        }
        None => Goal::open(goal, "not measured"),
    }
}

fn latency(sections: &Sections) -> Result<Vec<Goal>, Failure> {
    let seen = sections.latency.as_ref();
    let ratio = |subject: &str, to: &str| seen.and_then(|latency| latency.ratio(subject, to));
    let peer = seen.map(|latency| latency.cheapest_peer()).transpose()?.flatten();
    let below_peers = match (peer, peer.and_then(|peer| ratio(UNORDERED, peer))) {
        (Some(peer), Some(to_peer)) => Goal {
            goal: "unordered below every peer's nanosecond read",
            measured: format!("{} × {peer}, the cheapest", to_peer.show(2)),
            verdict: Verdict::at_most(to_peer.median, 1.0),
        },
        _ => Goal::open("unordered below every peer's nanosecond read", "not measured"),
    };
    let to_std = |work: &crate::section::work::Added| work.to_std(Kind::MissingLoads, GRANULAR);
    let inside_work = sections.work.as_ref().and_then(to_std);
    let recent = match seen.and_then(|latency| latency.ns(RECENT)) {
        Some(ns) => Goal {
            goal: "recent ≤ 1 ns without LTO",
            measured: format!("{} ns", ns.show(2)),
            verdict: Verdict::at_most(ns.median, 1.0),
        },
        None => Goal::open("recent ≤ 1 ns without LTO", "not measured"),
    };
    Ok(vec![
        ratio_goal("unordered ≤ 1.20 × rdtsc", ratio(UNORDERED, RDTSC), 1.20, " × rdtsc"),
        below_peers,
        ratio_goal("granular 1 µs ≤ 1.30 × rdtsc", ratio(GRANULAR, RDTSC), 1.30, " × rdtsc"),
        ratio_goal("granular 1 µs ≤ 0.50 × std", ratio(GRANULAR, STD), 0.50, " × std"),
        ratio_goal(
            "granular 1 µs inside cache-missing work ≤ 0.25 × what std adds",
            inside_work,
            0.25,
            " × what std adds",
        ),
        ratio_goal("ordered ≤ 1.25 × rdtscp", ratio(ORDERED, RDTSCP), 1.25, " × rdtscp"),
        ratio_goal("ordered ≤ 0.80 × std", ratio(ORDERED, STD), 0.80, " × std"),
        recent,
    ])
}

fn threads(sections: &Sections) -> Goal {
    const GOAL: &str = "two threads, g = 1 µs: within 10 % of rdtsc's scaling in the same run";
    let scaling = sections.threads.as_ref().and_then(|threads| threads.scaling_to_rdtsc(GRANULAR, 2));
    match scaling {
        Some(scaling) => Goal {
            goal: GOAL,
            measured: format!("{} × rdtsc's scaling", scaling.show(2)),
            // Less than the counter's scaling is a miss; more is none.
            verdict: match scaling.median {
                median if median >= 0.90 => Verdict::Met,
                median => Verdict::Missed(format!("{:.1} %", (0.90 / median - 1.0) * 100.0)),
            },
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn litmus(sections: &Sections) -> [Goal; 2] {
    let goal = |goal: &'static str, clock: &str| match sections.litmus.as_ref().and_then(|litmus| litmus.totals(clock))
    {
        Some((observations, violations)) => Goal {
            goal,
            measured: format!("{violations} in {observations}"),
            verdict: match violations {
                0 if observations >= OBSERVATIONS => Verdict::Met,
                0 => Verdict::Open("too few observations".into()),
                _ => Verdict::Missed(format!("{violations} violations")),
            },
        },
        None => Goal::open(goal, "not measured"),
    };
    [
        goal("litmus: 0 violations in ≥ 1e8 observations, ordered", ORDERED),
        goal("litmus: 0 violations in ≥ 1e8 observations, granular", GRANULAR),
    ]
}

fn first_use(sections: &Sections) -> [Goal; 2] {
    const FIRST: &str = "first use ≤ 50 µs";
    const BEFORE: &str = "nothing before main";
    let Some(seen) = sections.first_use.as_ref() else {
        return [Goal::open(FIRST, "not measured"), Goal::open(BEFORE, "not measured")];
    };
    let first = seen.our_first_call_us().map(|us| Goal {
        goal: FIRST,
        measured: format!("{} µs", us.show(1)),
        verdict: Verdict::at_most(us.median, 50.0),
    });
    // The time before main is the machine's mood; that no function of the library runs there is in the executable.
    let before = seen.our_constructors().zip(seen.ours_before_main_us()).map(|(constructors, us)| Goal {
        goal: BEFORE,
        measured: format!("{constructors} constructors; main {} µs later", us.show(0)),
        verdict: match constructors {
            0 => Verdict::Met,
            some => Verdict::Missed(format!("{some} constructors")),
        },
    });
    [
        first.unwrap_or_else(|| Goal::open(FIRST, "not measured")),
        before.unwrap_or_else(|| Goal::open(BEFORE, "not measured")),
    ]
}

fn accuracy(sections: &Sections) -> Vec<Goal> {
    const GOALS: [[&str; 3]; 2] = [
        ["error always within the stated bound", "bound ≤ 250 ns after 1 s", "rate error ≤ 0.05 ppm after 10 s"],
        [
            "error always within the stated bound, with a CPU hog",
            "bound ≤ 250 ns after 1 s, with a CPU hog",
            "rate error ≤ 0.05 ppm after 10 s, with a CPU hog",
        ],
    ];
    let Some(seen) = sections.accuracy.as_ref() else {
        return GOALS.into_iter().flatten().map(|goal| Goal::open(goal, "not measured")).collect();
    };
    [false, true]
        .into_iter()
        .zip(GOALS)
        .flat_map(|(is_hogged, [error, bound, rate])| {
            let worst = seen.worst(is_hogged);
            let each = |show: &dyn Fn(&crate::section::accuracy::Worst) -> String| {
                worst.iter().map(|worst| format!("{}: {}", worst.build, show(worst))).collect::<Vec<_>>().join("; ")
            };
            let most = |of: &dyn Fn(&crate::section::accuracy::Worst) -> f64| worst.iter().map(of).fold(0.0, f64::max);
            [
                Goal {
                    goal: error,
                    measured: each(&|worst| format!("{} of {} outside", worst.outside, worst.checks)),
                    verdict: match most(&|worst| worst.outside as f64) {
                        outside if outside > 0.0 => Verdict::Missed(format!("{outside} checks")),
                        _ => Verdict::Met,
                    },
                },
                Goal {
                    goal: bound,
                    measured: each(&|worst| format!("at most {} ns", worst.bound_after_1s_ns)),
                    verdict: Verdict::at_most(most(&|worst| worst.bound_after_1s_ns as f64), 250.0),
                },
                Goal {
                    goal: rate,
                    measured: each(&|worst| format!("at most {:.4} ppm", worst.rate_error_ppm)),
                    verdict: rate_verdict(sections.is_quick, most(&|worst| worst.rate_error_ppm)),
                },
            ]
        })
        .collect()
}

/// The goal speaks of windows of 10 s; the quick run's are shorter and so less sure.
fn rate_verdict(is_quick: bool, ppm: f64) -> Verdict {
    if is_quick { Verdict::Open("the quick run is too short".into()) } else { Verdict::at_most(ppm, 0.05) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_open() {
        let goals = all(&Sections::default()).unwrap();
        assert!(goals.iter().all(|goal| matches!(goal.verdict, Verdict::Open(_))));
    }
}
