//! What a read may cost by what it cost before.

use bench_common::goal::{Goal, Verdict};
use bench_common::study;

use crate::compared::Compared;
use crate::reads::{GRANULAR, ORDERED, UNORDERED};

/// All goals in their order.
pub(crate) fn all(compared: &Compared) -> Vec<Goal> {
    let goal = |(goal, name, limit): (&'static str, &str, f64)| match compared.ratio(name) {
        Some(ratio) => {
            let measured = format!("{} × the other", study::show(&ratio, 3));
            Goal { goal, measured, verdict: Verdict::estimate_at_most(&ratio, limit) }
        }
        None => Goal::open(goal, "not measured"),
    };
    let goals = [
        ("Unordered ≤ 1.06 × the other revision", UNORDERED, 1.06),
        ("Granular 1 µs ≤ 1.06 × the other revision", GRANULAR, 1.06),
        ("Clock::now ≤ 1.02 × the other revision", ORDERED, 1.02),
    ];
    goals.into_iter().map(goal).collect()
}
