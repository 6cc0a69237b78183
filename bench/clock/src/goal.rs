//! What the clock is to achieve, and whether it did in this run.

use bench_common::goal::{Goal, Verdict};
use bench_common::study;
use chronoscope_harness::record::study::Estimate;

use crate::failure::Failure;
use crate::kind_of_work::Kind;
use crate::sections::Sections;
use crate::subjects::*;

/// How much the goals that nothing goes wrong ask for: observations of the litmus, checked readings under each load,
/// intervals, forked children.
const OBSERVATIONS: u64 = 100_000_000;
const CHECKS: u64 = 5_000_000;
const INTERVALS: u64 = 10_000_000;
const CHILDREN: u64 = 10_000;

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Result<Vec<Goal>, Failure> {
    let mut goals = latency(sections)?;
    goals.push(threads(sections));
    goals.extend(litmus(sections));
    goals.extend(first_use(sections));
    goals.extend(accuracy(sections));
    goals.extend(intervals(sections));
    goals.push(forks(sections));
    Ok(goals)
}

fn ratio_goal(goal: &'static str, ratio: Option<Estimate>, limit: f64, of: &str) -> Goal {
    match ratio {
        Some(ratio) => {
            let verdict = Verdict::estimate_at_most(&ratio, limit);
            Goal { goal, measured: format!("{}{of}", study::show(&ratio, 2)), verdict }
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
            goal: "Unordered below every peer's nanosecond read",
            measured: format!("{} × {peer}, the cheapest", study::show(&to_peer, 2)),
            verdict: Verdict::estimate_at_most(&to_peer, 1.0),
        },
        _ => Goal::open("Unordered below every peer's nanosecond read", "not measured"),
    };
    let to_std = |work: &crate::section::work::Added| work.to_std(Kind::MissingLoads, GRANULAR);
    let inside_work = sections.work.as_ref().and_then(to_std);
    let recent = match seen.and_then(|latency| latency.ns(RECENT)) {
        Some(ns) => {
            Goal {
                goal: "recent ≤ 1 ns without LTO", measured: format!("{} ns", ns.show()), verdict: ns.at_most(1.0)
            }
        }
        None => Goal::open("recent ≤ 1 ns without LTO", "not measured"),
    };
    Ok(vec![
        ratio_goal("Unordered ≤ 1.20 × rdtsc", ratio(UNORDERED, RDTSC), 1.20, " × rdtsc"),
        below_peers,
        ratio_goal("Granular 1 µs ≤ 1.30 × rdtsc", ratio(GRANULAR, RDTSC), 1.30, " × rdtsc"),
        ratio_goal("Granular 1 µs ≤ 0.50 × std", ratio(GRANULAR, STD), 0.50, " × std"),
        ratio_goal(
            "Granular 1 µs inside cache-missing work ≤ 0.25 × what std adds",
            inside_work,
            0.25,
            " × what std adds",
        ),
        ratio_goal("Clock::now ≤ 1.25 × rdtscp", ratio(ORDERED, RDTSCP), 1.25, " × rdtscp"),
        ratio_goal("Clock::now ≤ 0.80 × std", ratio(ORDERED, STD), 0.80, " × std"),
        recent,
    ])
}

fn threads(sections: &Sections) -> Goal {
    const GOAL: &str = "two threads, g = 1 µs: within 10 % of rdtsc's scaling in the same run";
    let scaling = sections.threads.as_ref().and_then(|threads| threads.scaling_to_rdtsc(GRANULAR, 2));
    match scaling {
        Some(scaling) => Goal {
            goal: GOAL,
            measured: format!("{} × rdtsc's scaling", study::show(&scaling, 2)),
            // Less than the counter's scaling is a miss; more is none.
            verdict: Verdict::estimate_at_least(&scaling, 0.90),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn litmus(sections: &Sections) -> [Goal; 2] {
    let goal = |goal: &'static str, clock: &str| match sections.litmus.as_ref().and_then(|litmus| litmus.totals(clock))
    {
        Some([observations, fresh, violations]) => Goal {
            goal,
            measured: format!("{violations} in {observations}, {fresh} of them of a new value"),
            verdict: none_of(violations, "violations", observations, OBSERVATIONS),
        },
        None => Goal::open(goal, "not measured"),
    };
    [
        goal("litmus: 0 violations in ≥ 1e8 observations, Clock::now", ORDERED),
        goal("litmus: 0 violations in ≥ 1e8 observations, Granular 1 µs", GRANULAR),
    ]
}

fn first_use(sections: &Sections) -> [Goal; 2] {
    const FIRST: &str = "first use ≤ 15 µs";
    const BEFORE: &str = "nothing before main";
    let Some(seen) = sections.first_use.as_ref() else {
        return [Goal::open(FIRST, "not measured"), Goal::open(BEFORE, "not measured")];
    };
    let first = seen.our_first_call_us().map(|us| Goal {
        goal: FIRST,
        measured: format!("{} µs, p90 {:.1} µs", us.show(1), us.p90),
        verdict: Verdict::at_most(us.median, 15.0),
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
    const GOALS: [[&str; 2]; 2] = [
        ["0 readings outside CLOCK_MONOTONIC's around them in ≥ 5e6", "rate error ≤ 0.05 ppm after 10 s"],
        [
            "0 readings outside CLOCK_MONOTONIC's around them in ≥ 5e6, with a CPU hog",
            "rate error ≤ 0.05 ppm after 10 s, with a CPU hog",
        ],
    ];
    let Some(seen) = sections.accuracy.as_ref() else {
        return GOALS.into_iter().flatten().map(|goal| Goal::open(goal, "not measured")).collect();
    };
    let goals = |(is_hogged, [readings, rate]): (bool, [&'static str; 2])| {
        let worst = seen.worst(is_hogged);
        [
            Goal {
                goal: readings,
                measured: format!("{} of {}, by at most {} ns", worst.outside, worst.checks, worst.worst_ns),
                verdict: none_of(worst.outside, "readings", worst.checks, CHECKS),
            },
            Goal {
                goal: rate,
                measured: format!("at most {:.4} ppm", worst.rate_error_ppm),
                verdict: rate_verdict(sections.is_quick, worst.rate_error_ppm),
            },
        ]
    };
    [false, true].into_iter().zip(GOALS).flat_map(goals).collect()
}

fn intervals(sections: &Sections) -> [Goal; 2] {
    const OFF: &str = "0 of ≥ 1e7 intervals off, with a hog on every CPU";
    const ADVANCE: &str = "CLOCK_MONOTONIC's advance less ours ≤ 50 µs between successive reads";
    let Some(seen) = sections.intervals.as_ref().map(|intervals| intervals.totals()) else {
        return [Goal::open(OFF, "not measured"), Goal::open(ADVANCE, "not measured")];
    };
    let off = Goal {
        goal: OFF,
        measured: format!("{} of {}, by at most {} ns", seen.off, seen.intervals, seen.worst_ns),
        verdict: none_of(seen.off, "intervals", seen.intervals, INTERVALS),
    };
    let advance = seen.largest_advance_ns.map(|ns| Goal {
        goal: ADVANCE,
        measured: format!("at most {ns} ns"),
        verdict: Verdict::at_most(ns as f64 / 1e3, 50.0),
    });
    [off, advance.unwrap_or_else(|| Goal::open(ADVANCE, "no two brackets within 1 µs"))]
}

fn forks(sections: &Sections) -> Goal {
    const GOAL: &str = "forked children right at their first read: 10 000 of 10 000";
    match sections.forks.as_ref() {
        Some(seen) => Goal {
            goal: GOAL,
            measured: format!("{} of {}", seen.right, seen.children),
            verdict: none_of(seen.children - seen.right, "children", seen.children, CHILDREN),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

/// A goal that nothing goes wrong in at least `enough` tries.
fn none_of(wrong: u64, what: &str, tries: u64, enough: u64) -> Verdict {
    match wrong {
        0 if tries >= enough => Verdict::Met,
        0 => Verdict::Open("too few for the goal".into()),
        _ => Verdict::Missed(format!("{wrong} {what}")),
    }
}

/// The goal speaks of windows of 10 s; the quick run's are shorter and so less sure.
fn rate_verdict(is_quick: bool, ppm: f64) -> Verdict {
    if is_quick { Verdict::Open("the quick run is too short".into()) } else { Verdict::at_most(ppm, 0.05) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_wrong_misses_a_goal_of_none_and_too_few_tries_leave_it_open() {
        assert!(none_of(0, "children", 10, 10).is_met() && none_of(0, "children", 9, 10).is_open());
        assert_eq!(none_of(1, "children", 9, 10), Verdict::Missed("1 children".into()));
    }

    #[test]
    fn what_was_not_measured_is_open() {
        let goals = all(&Sections::default()).unwrap();
        assert!(goals.iter().all(|goal| matches!(goal.verdict, Verdict::Open(_))));
    }
}
