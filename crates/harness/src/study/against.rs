//! Compares two builds whose processes took turns within one run. Pure functions.

use super::estimate::{Pair, Terms, judge};
use super::matched;
use crate::finding::{Finding, Kind, Meaning, NO_ACTION};
use crate::quantity::{confidence as written, limit, reach};
use crate::record::study::{
    Against, AgainstCell, Cell, CellProcess, Control, Difference, Estimate, StudyProcess, StudyReport,
};
use crate::stats::{confidence_of_each, median};

/// Compares every cell that both builds have, process by process. `name` is the other build's, and `unknown` are its cases that this
/// one lacks.
///
/// Each process of one build has a partner of the other, next to it in time and alike in everything but the build.
pub(super) fn against(this: &StudyReport, other: StudyReport, name: &str, unknown: Vec<String>) -> Against {
    let margin_pct = this.plan.margin_pct;
    let partners = this.cells.iter().filter_map(|cell| Some((cell, matched::find(&other.cells, cell)?)));
    let partners: Vec<(&Cell, &Cell)> = partners.collect();
    let confidence = confidence_of_each(this.plan.confidence, partners.len());
    let terms = Terms { margin_pct, confidence, least: confidence };
    let cells: Vec<AgainstCell> = partners.iter().map(|(this, other)| cell(this, other, &terms)).collect();
    let control = this.control.filter(Control::is_telling);
    let floor_pct = control.map(|control| reach(control.resolvable_pct)).filter(|floor| *floor > margin_pct);
    let plan = matched::joined(&this.plan, &other.plan);
    let mut only_other = matched::alone(&plan, &other.cells, &this.cells);
    only_other.extend(unknown);
    Against {
        other: name.to_owned(),
        margin_pct,
        floor_pct,
        confidence: attained(&cells).min(this.plan.confidence),
        conclusion: conclusion(&cells, floor_pct.unwrap_or(margin_pct)),
        only_this: matched::alone(&plan, &this.cells, &other.cells),
        only_other,
        warnings: warnings(&cells, confidence, &other.processes),
        cells,
        failures: other.failures,
        processes: other.processes,
    }
}

pub const BECAME_SLOWER: Kind = Kind::warning(
    "became_slower",
    Meaning {
        about: "an operation takes longer than in another build",
        evidence: "how many cells became slower by the margin or more (`cells_slower`)",
        mend: "find the change with --against-rev, revision by revision",
    },
);
pub const NOT_SLOWER: Kind = Kind::notice(
    "not_slower",
    Meaning {
        about: "no operation takes longer than in another build",
        evidence: "that no cell became slower (`cells_slower` is 0)",
        mend: NO_ACTION,
    },
);
pub const NOT_KNOWN_SLOWER: Kind = Kind::notice(
    "not_known_slower",
    Meaning {
        about: "no operation is known to take longer than in another build",
        evidence: "how many cells became slower (`cells_slower` is 0), and how many are inconclusive",
        mend: "measure longer or on a quieter machine to settle the rest",
    },
);

/// The kinds of conclusions of a comparison.
pub const KINDS: &[Kind] = &[BECAME_SLOWER, NOT_SLOWER, NOT_KNOWN_SLOWER];

/// The overall conclusion; None without a cell that both builds have.
fn conclusion(cells: &[AgainstCell], least_pct: f64) -> Option<Finding> {
    let count = |verdict: Difference| cells.iter().filter(|cell| cell.verdict == verdict).count();
    let (of, margin) = (cells.len(), limit(least_pct));
    let slower = cells.iter().filter(|cell| cell.is_regression(least_pct)).count();
    let found = |kind: Kind, text: String| Some(Finding::new(kind, text).value("cells_slower", slower as f64));
    if of == 0 {
        return None;
    }
    if slower > 0 {
        return found(BECAME_SLOWER, format!("{slower} of {of} became slower by an estimated {margin} or more"));
    }
    let rest = [
        (count(Difference::Unresolved), "inconclusive".to_owned()),
        (count(Difference::Slower), format!("slower by an estimated {margin} or less")),
    ];
    let rest: String =
        rest.iter().filter(|(cells, _)| *cells > 0).map(|(cells, words)| format!("; {cells} {words}")).collect();
    let kind = if rest.is_empty() { NOT_SLOWER } else { NOT_KNOWN_SLOWER };
    found(kind, format!("none of {of} is known to be slower by more than {margin}{rest}"))
}

/// The confidence with which all intervals hold at once, whatever their dependence (C. E. Bonferroni, 1936). A single pair has none;
/// 0 if there is none at all.
fn attained(cells: &[AgainstCell]) -> f64 {
    let intervals = cells.iter().filter_map(|cell| cell.ratio).filter(Estimate::has_interval);
    let misses = intervals.map(|ratio| 1.0 - ratio.confidence).reduce(|all, of_one| all + of_one);
    misses.map_or(0.0, |misses| (1.0 - misses).max(0.0))
}

fn cell(this: &Cell, other: &Cell, terms: &Terms) -> AgainstCell {
    let leads = this.leads.max(other.leads);
    let pair = |process: &CellProcess| {
        let partner = other.processes.iter().find(|other| other.process == process.process)?;
        let links = process.link_ns.zip(partner.link_ns).map(|(this, other)| this / other);
        Some((partner.number(leads)?, process.number(leads)?, links))
    };
    let pairs: Vec<Pair> = this.processes.iter().filter_map(pair).collect();
    // What batch overhead leaves open, as a share of the time.
    let floor = this.clock_share_pct.max(other.clock_share_pct) / 100.0;
    let floor_ns = floor * median(pairs.iter().map(|(other_ns, ..)| *other_ns)).unwrap_or(0.0);
    let found = judge(leads, &pairs, None, floor_ns, terms);
    // Two times that cannot be told from an empty loop's do not differ.
    let is_nothing = this.time_ns.is_none() && other.time_ns.is_none();
    let verdict = match found.as_ref().map_or(Difference::Unresolved, |found| found.verdict) {
        Difference::Faster | Difference::Slower if is_nothing => Difference::Unresolved,
        verdict => verdict,
    };
    AgainstCell {
        case: this.case.clone(),
        role: this.role.clone(),
        parameters: this.parameters.clone(),
        backoff_tokens: this.backoff_tokens,
        threads: this.threads,
        leads,
        this_ns: this.number(leads),
        this_below_ns: this.below_ns,
        other_ns: other.number(leads),
        other_below_ns: other.below_ns,
        difference_ns: found.as_ref().map(|found| found.difference_ns),
        ratio: found.as_ref().map(|found| found.ratio),
        verdict,
        has_states: found.is_some_and(|found| found.has_states),
        pairs: pairs.len() as u64,
    }
}

fn warnings(cells: &[AgainstCell], confidence: f64, others: &[StudyProcess]) -> Vec<String> {
    let mut warnings = Vec::new();
    let fewest = cells.iter().filter(|cell| cell.ratio.is_some_and(|ratio| ratio.confidence < confidence));
    if let Some(cell) = fewest.min_by_key(|cell| cell.pairs) {
        // The range of n values holds the median with a probability of 1 − 2/2ⁿ.
        let needed = (2.0 / (1.0 - confidence)).log2().ceil();
        warnings.push(format!(
            "{} pairs of processes are too few for a verdict at {} over all cells, which takes {needed}: --processes sets them, and \
             --duration gives them time",
            cell.pairs,
            written(confidence)
        ));
    }
    let incomplete: Vec<&String> = others.iter().filter_map(|process| process.reason_incomplete.as_ref()).collect();
    if let Some(reason) = incomplete.first() {
        warnings.push(format!(
            "{} of {} processes of the other build did not finish: {reason}",
            incomplete.len(),
            others.len()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
