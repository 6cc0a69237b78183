//! What a token costs, where processes were disturbed while they measured it.

use super::*;
use crate::record::study::TokenCost;

const PROCESSES: usize = 3;

/// The cost of a token of 3 ns, from processes of which the first `disturbed` were kept from the CPU for most of the time during their
/// calls of one token.
fn cost(disturbed: usize) -> Option<TokenCost> {
    let plan = StudyPlan { backoff_tokens: vec![0, 8], processes: PROCESSES as u32, ..made_up::plan() };
    let specs: Vec<CellSpec> = cells(&plan, &[]);
    let call_ns = |process: usize, spec: &CellSpec| match spec.tokens {
        1 if process < disturbed => 4_000,
        tokens => 1 + 3 * tokens,
    };
    let iterations = |process: usize| -> Vec<IterationLog> {
        let of_cell = |(cell, spec): (usize, &CellSpec)| {
            let batches = [1_000 * call_ns(process, spec); 3];
            let of_round = move |round| IterationLog { cell, ..iteration(round, vec![thread(1, &batches, 0, 1_000)]) };
            (0..4).map(of_round)
        };
        specs.iter().enumerate().flat_map(of_cell).collect()
    };
    let processes: Vec<Vec<IterationLog>> = (0..PROCESSES).map(iterations).collect();
    estimated(&plan, &[], &specs, &processes, 0.0).tokens
}

#[test]
fn a_token_costs_something() {
    let found = cost(0).expect("it was measured");
    assert!(
        (found.ns_per_token.estimate - 3.0).abs() < 1e-9 && (found.call_ns.estimate - 1.0).abs() < 1e-9,
        "{found:?}"
    );
    // Two of three processes met a neighbour that made the shortest calls the longest: their lines fall.
    let found = cost(2).expect("one process was not disturbed");
    assert!((found.ns_per_token.estimate - 3.0).abs() < 1e-9 && found.largest_deviation_pct < 1e-6, "{found:?}");
    assert_eq!(cost(3), None, "no process measured it");
}
