//! Which cells of two builds are the same combination.

use crate::record::study::{Cell, Parameters, StudyPlan};

/// The one of `cells` that is the combination of `cell`.
pub(super) fn find<'a>(cells: &'a [Cell], cell: &Cell) -> Option<&'a Cell> {
    fn key(cell: &Cell) -> (u64, u32, &str, Option<&String>, &Parameters) {
        (cell.backoff_tokens, cell.threads, &cell.case, cell.role.as_ref(), &cell.parameters)
    }
    cells.iter().find(|other| key(other) == key(cell))
}

/// The plan of `this` with the backoffs and thread counts of `other` too: with it [`words`] tell all their cells apart.
pub(super) fn joined(this: &StudyPlan, other: &StudyPlan) -> StudyPlan {
    let mut plan = this.clone();
    plan.backoff_tokens.extend(&other.backoff_tokens);
    plan.threads.extend(&other.threads);
    plan.threads.sort_unstable();
    plan.threads.dedup();
    plan
}

/// Those of `cells` that `others` lack, in words.
pub(super) fn alone(plan: &StudyPlan, cells: &[Cell], others: &[Cell]) -> Vec<String> {
    cells.iter().filter(|cell| find(others, cell).is_none()).map(|cell| words(plan, cell)).collect()
}

/// The combination of a cell, in words.
fn words(plan: &StudyPlan, cell: &Cell) -> String {
    let place = plan.place(&cell.parameters, cell.backoff_tokens, cell.threads);
    let place = Some(place).filter(|place| !place.is_empty());
    let parts = [Some(cell.case.clone()), cell.role.clone(), place];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
