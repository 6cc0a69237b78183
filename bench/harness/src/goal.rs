//! What the harness is to achieve, and whether it did in this run.

use std::time::Duration;

use bench_common::goal::{Goal, Verdict};

use crate::claim::Count;
use crate::sections::Sections;

/// Runs that the goals speak of.
const RUNS: usize = 100;
/// Of them, those whose interval holds the truth.
const COVERED: f64 = 0.99;
/// Of them, those that call the same the same.
const SAME: f64 = 0.95;
/// Cells of which one may be called different, though it is not.
const CELLS: usize = 300;
/// Runs that find a planted difference, of at least so many.
const PLANTED: f64 = 0.95;
const PLANTED_RUNS: usize = 20;
/// Crates that the author of a benchmark compiles at most, and the share of the time that those of two peers take.
const CRATES: usize = 90;
const COMPILE: f64 = 1.0;
/// How far off its time a study may be, as a share of it.
const KEPT: f64 = 0.2;
/// Runs of which each has to show one clock as one.
const OVERLAPS: usize = 20;
/// Runs in which every clock has to have an answer.
const SCALED: usize = 5;
/// The largest error, in percent, of operations longer than this.
const ERROR_PCT: f64 = 1.0;
const LONG_NS: f64 = 10.0;
const SOON: Duration = Duration::from_secs(20);

/// All goals in their order.
pub(crate) fn all(sections: &Sections) -> Vec<Goal> {
    vec![
        covered(sections),
        exact(sections),
        found(sections),
        copies(sections),
        controls(sections),
        same_builds(sections),
        planted(sections),
        duration(sections),
        empty(sections),
        one_clock(sections),
        scaling(sections),
        compile(sections),
    ]
}

/// Whether a share of at least `share` was reached, of at least `enough`.
fn at_least(count: Count, share: f64, enough: usize) -> Verdict {
    let wanted = (share * count.all as f64).ceil() as usize;
    match count {
        Count { all, .. } if all < enough => Verdict::Open(format!("{all} are too few, {enough} are wanted")),
        Count { of, .. } if of >= wanted => Verdict::Met,
        Count { of, .. } => Verdict::Missed((wanted - of).to_string()),
    }
}

fn covered(sections: &Sections) -> Goal {
    const GOAL: &str = "known truth: 99.9 % interval holds it in ≥ 99 of 100 runs, each operation";
    match sections.accuracy.as_ref().and_then(|accuracy| accuracy.least_covered()) {
        Some((operation, count)) => Goal {
            goal: GOAL,
            measured: format!("at least {} ({operation})", count.show()),
            verdict: at_least(count, COVERED, RUNS),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn exact(sections: &Sections) -> Goal {
    const GOAL: &str = "known truth: median error ≤ 1 % above 10 ns, each operation";
    match sections.accuracy.as_ref().and_then(|accuracy| accuracy.largest_error_pct_above(LONG_NS)) {
        Some((operation, pct)) => Goal {
            goal: GOAL,
            measured: format!("at most {pct:.3} % ({operation})"),
            verdict: judged(sections, Verdict::at_most(pct, ERROR_PCT)),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn found(sections: &Sections) -> Goal {
    const GOAL: &str = "2 % between two 100 ns operations: found within 20 s, every time";
    let Some(difference) = &sections.difference else { return Goal::open(GOAL, "not measured") };
    let (count, longest) = (difference.found(), difference.longest().unwrap_or_default());
    let verdict = match count {
        Count { of, all } if of < all => Verdict::Missed(format!("{} of {all}", all - of)),
        // A budget is kept but for the start and end of processes.
        _ if longest > SOON.mul_f64(1.1) => Verdict::Missed(format!("{:.1} s", (longest - SOON).as_secs_f64())),
        _ => Verdict::Met,
    };
    let measured = format!("{}, in at most {:.1} s", count.show(), longest.as_secs_f64());
    Goal { goal: GOAL, measured, verdict: judged(sections, verdict) }
}

fn copies(sections: &Sections) -> Goal {
    const GOAL: &str = "A/A, copies: no false difference in ≥ 95 of 100";
    match &sections.difference {
        Some(seen) => Goal {
            goal: GOAL,
            measured: seen.copies_right().show(),
            verdict: at_least(seen.copies_right(), SAME, RUNS),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn controls(sections: &Sections) -> Goal {
    const GOAL: &str = "A/A, control arms: no false difference in ≥ 95 of 100";
    match &sections.difference {
        Some(seen) => Goal {
            goal: GOAL,
            measured: seen.controls_right().show(),
            verdict: at_least(seen.controls_right(), SAME, RUNS),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn same_builds(sections: &Sections) -> Goal {
    const GOAL: &str = "A/A, two files of one program in turn: at most 1 of 300 cells of 5 s called different";
    let Some(builds) = &sections.builds else { return Goal::open(GOAL, "not measured") };
    let alarms = builds.false_alarms();
    let verdict = match alarms {
        Count { all, .. } if all < CELLS => Verdict::Open(format!("{all} are too few, {CELLS} are wanted")),
        Count { of, all } if of * CELLS <= all => Verdict::Met,
        Count { of, all } => Verdict::Missed((of - all / CELLS).to_string()),
    };
    Goal { goal: GOAL, measured: alarms.show(), verdict: judged(sections, verdict) }
}

fn planted(sections: &Sections) -> Goal {
    const GOAL: &str = "2 % between two builds in turn: found in ≥ 19 of 20 runs of 20 s";
    match &sections.builds {
        Some(builds) => Goal {
            goal: GOAL,
            measured: builds.found().show(),
            verdict: judged(sections, at_least(builds.found(), PLANTED, PLANTED_RUNS)),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn duration(sections: &Sections) -> Goal {
    const GOAL: &str = "--duration, or one operation if that is longer: kept within 20 %";
    match sections.duration.as_ref().and_then(|duration| duration.farthest()) {
        Some((study, ratio)) => Goal {
            goal: GOAL,
            measured: format!("at the farthest {ratio:.2} of it ({study})"),
            verdict: judged(sections, Verdict::at_most((ratio - 1.0).abs(), KEPT)),
        },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn empty(sections: &Sections) -> Goal {
    const GOAL: &str = "the empty benchmark: \"< X ns\", never a number";
    match sections.empty.as_ref().map(|empty| empty.below()) {
        Some(count) => Goal { goal: GOAL, measured: count.show(), verdict: at_least(count, 1.0, 1) },
        None => Goal::open(GOAL, "not measured"),
    }
}

fn one_clock(sections: &Sections) -> Goal {
    const GOAL: &str = "check, scaling and the C probe: 99.9 % intervals overlap in 20 of 20 runs";
    match sections.one_clock.as_ref().map(|seen| seen.overlap()) {
        Some(count) => {
            Goal { goal: GOAL, measured: count.show(), verdict: judged(sections, at_least(count, 1.0, OVERLAPS)) }
        }
        None => Goal::open(GOAL, "not measured"),
    }
}

fn scaling(sections: &Sections) -> Goal {
    const GOAL: &str = "scaling, in its default time: every run says of every clock from where it scales";
    let Some(seen) = &sections.scaling else { return Goal::open(GOAL, "not measured") };
    let (count, runs) = (seen.answered(), seen.runs());
    let verdict = match runs {
        runs if runs < SCALED => Verdict::Open(format!("{runs} runs are too few, {SCALED} are wanted")),
        _ => at_least(count, 1.0, 1),
    };
    Goal { goal: GOAL, measured: count.show(), verdict: judged(sections, verdict) }
}

fn compile(sections: &Sections) -> Goal {
    const GOAL: &str = "a benchmark's author compiles ≤ 90 crates, no longer than criterion and divan";
    let Some(seen) = &sections.compile else { return Goal::open(GOAL, "not measured") };
    let Some(crates) = seen.crates() else { return Goal::open(GOAL, "the crates could not be counted") };
    let ratio = seen.ratio();
    let time =
        ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} of the time (wall or CPU, whichever is more)"));
    let verdict = match ratio {
        _ if crates > CRATES => Verdict::Missed(format!("{} crates", crates - CRATES)),
        Some(ratio) => Verdict::at_most(ratio, COMPILE),
        None => Verdict::Open("nothing was compiled".into()),
    };
    Goal { goal: GOAL, measured: format!("{crates} crates{time}"), verdict }
}

/// A quick run is too short to miss a goal, or to meet it.
fn judged(sections: &Sections, verdict: Verdict) -> Verdict {
    if sections.is_quick { Verdict::Open("the quick run is too short".into()) } else { verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_reached_or_not() {
        assert!(at_least(Count { of: 99, all: 100 }, COVERED, RUNS).is_met());
        assert_eq!(at_least(Count { of: 197, all: 200 }, COVERED, RUNS).show(), "missed by 1");
        assert!(at_least(Count { of: 10, all: 10 }, COVERED, RUNS).is_open());
    }

    #[test]
    fn what_was_not_measured_is_open() {
        assert!(all(&Sections::default()).iter().all(|goal| goal.verdict.is_open()));
    }
}
