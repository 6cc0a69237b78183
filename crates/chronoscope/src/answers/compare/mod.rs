//! Documents compared: which figures changed, by how much, and by more than runs of one machine differ or not.

pub mod browser;
mod differences;
mod findings;
#[cfg(test)]
mod made_up;
mod noise;
mod ratio;
pub mod report;
#[cfg(test)]
mod tests;
pub mod view;

use chronoscope_harness::quantity::{count, three_digits};

use crate::document::Record;
use crate::figures::figure::{Better, Figure, FigureIndex, FigureKind};
use crate::figures::table::figures;
use chronoscope_harness::record::Estimate;

use self::differences::{differences, is_alike};
use self::findings::findings_missing;
use self::noise::{FEWEST_RUNS, MANY_RUNS, between_runs};
use self::ratio::ratio;
use self::report::{ComparedRun, Comparison, FigureCompared, FigureVerdict, Noise, RunCompared};

/// What an estimate without an interval of 95 % has to change by to be believed, where nothing is known of the noise between runs.
const WEAK_FACTOR: f64 = 2.0;

pub use self::differences::conditions;

/// A document, and where it is from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, or the number in the history.
    pub name: String,
    /// The document.
    pub record: Record,
}

/// Compares each of `others` with `base`. `earlier` holds the figures of further runs of the base's machine under the same
/// conditions, from which the noise between runs is known. Without them it is known from the rest of `others`, by how far these
/// differ from each other: not from the base, or what changed them all would be taken for noise.
pub fn compare(base: &Source, others: &[Source], earlier: &[Vec<Figure>]) -> Comparison {
    let runs = others.iter().map(|this| {
        let noise = if earlier.is_empty() {
            siblings(base, this, others).iter().map(|record| figures(record)).collect()
        } else {
            [earlier, &[figures(&base.record)]].concat()
        };
        compare_one(base, this, &noise)
    });
    Comparison { base: run(base), runs: runs.collect() }
}

/// Those of `others` under the conditions of `base`, each once, without `base` and `this` themselves.
fn siblings<'a>(base: &Source, this: &Source, others: &'a [Source]) -> Vec<&'a Record> {
    let mut found: Vec<&Record> = Vec::new();
    for Source { record, .. } in others {
        let is_known =
            [&base.record, &this.record].into_iter().chain(found.iter().copied()).any(|one| is_same_run(one, record));
        if !is_known && is_alike(&base.record, record) {
            found.push(record);
        }
    }
    found
}

/// Whether both are one run, given twice.
fn is_same_run(a: &Record, b: &Record) -> bool {
    (&a.started_at, a.elapsed_ms, &a.machine.hostname) == (&b.started_at, b.elapsed_ms, &b.machine.hostname)
}

fn compare_one(base: &Source, this: &Source, noise: &[Vec<Figure>]) -> RunCompared {
    let (of_base, of_this) = (figures(&base.record), figures(&this.record));
    let (in_base, in_this) = (FigureIndex::of(&of_base), FigureIndex::of(&of_this));
    let noise: Vec<FigureIndex<'_>> = noise.iter().map(|run| FigureIndex::of(run)).collect();
    let pairs: Vec<(&Figure, &Figure)> = of_base.iter().filter_map(|one| Some((one, in_this.find(one)?))).collect();
    let compared = pairs.iter().map(|(before, now)| {
        let noise = between_runs(before, &noise, pairs.len());
        compare_figure(before, now, noise)
    });
    let figures: Vec<FigureCompared> = compared.collect();
    let noise_runs = figures.iter().map(|figure| figure.noise.runs).max().unwrap_or(0);
    RunCompared {
        run: run(this),
        differences: differences(&base.record, &this.record),
        only_base: alone(&of_base, &in_this),
        only_this: alone(&of_this, &in_base),
        findings_appeared: findings_missing(&this.record, &base.record),
        findings_vanished: findings_missing(&base.record, &this.record),
        assumptions: assumptions(&figures, noise_runs),
        figures,
    }
}

fn run(source: &Source) -> ComparedRun {
    let Source { name, record } = source;
    ComparedRun {
        source: name.clone(),
        command: record.command.clone(),
        started_at: record.started_at.clone(),
        tool: record.tool.clone(),
        hostname: record.machine.hostname.clone(),
    }
}

/// Figures of `these` that `others` lack, in words.
fn alone(these: &[Figure], others: &FigureIndex<'_>) -> Vec<String> {
    let is_alone = |figure: &&Figure| others.find(figure).is_none();
    these.iter().filter(is_alone).map(|figure| format!("{} {}", figure.subject, figure.kind.words)).collect()
}

/// A figure of two runs, judged by how far runs of an unchanged machine differ.
pub fn compare_figure(base: &Figure, this: &Figure, noise: Noise) -> FigureCompared {
    let ratio = ratio(&base.level(), &this.level());
    let better = base.kind.better;
    FigureCompared {
        kind: base.kind,
        subject: base.subject.clone(),
        better,
        base: base.value,
        this: this.value,
        ratio,
        noise,
        verdict: ratio.map_or(FigureVerdict::Unresolved, |ratio| judge(base.kind, &ratio, noise)),
    }
}

/// Where the band is known from runs, it has the error of an estimate in it: an estimate within is noise, and one beyond it has changed
/// unless its own interval allows no change. Where the band is assumed, all of the interval has to be beyond it, or within; an interval
/// that holds with less than 95 % too, since one of 95 % would be wider. A figure without an interval is judged by its estimate. Where
/// its kind should have one of 95 %, only a change by a factor of two is believed. Shortest intervals jump by themselves, and have to
/// change by a factor of 100. Everything else is unresolved.
fn judge(kind: &FigureKind, ratio: &Estimate, noise: Noise) -> FigureVerdict {
    let is_weak = !ratio.has_confidence() && kind.has_interval && noise.runs == 0;
    let band = noise.factor();
    let is_within = |value: f64| value >= 1.0 / band && value <= band;
    let most = band.max(kind.least_factor).max(if is_weak { WEAK_FACTOR } else { 1.0 });
    let estimate = ratio.estimate;
    let (low, high) = match () {
        () if noise.runs == 0 => ratio.interval().unwrap_or((estimate, estimate)),
        () if !is_within(estimate) && ratio.holds(1.0) => return FigureVerdict::Unresolved,
        () => (estimate, estimate),
    };
    let (is_less, is_more) = (high < 1.0 / most, low > most);
    match kind.better {
        Better::Lower if is_more => FigureVerdict::Regression,
        Better::Lower if is_less => FigureVerdict::Improvement,
        Better::Neither if is_less || is_more => FigureVerdict::Changed,
        _ if !is_weak && is_within(low) && is_within(high) => FigureVerdict::Noise,
        _ => FigureVerdict::Unresolved,
    }
}

/// What the verdicts rest on.
fn assumptions(figures: &[FigureCompared], noise_runs: u32) -> Vec<String> {
    let mut said = vec![
        "a ratio is this run's figure over the base's; its interval, of the lower confidence that the two \
         documents give, combines both intervals on a log scale, as for \
         independent, log-normal estimates, and leaves out what differs between runs"
            .to_owned(),
        "noise: the ratio lies within the noise between runs, a factor either way; changed: it lies beyond; inconclusive: it may do \
         either; where a figure should have an interval of 95 % and has none, also until it doubles"
            .to_owned(),
        "where the noise is assumed, all of the interval has to lie within or beyond, whatever its confidence; where it is known from \
         runs, the ratio has to, and beyond it the interval has to exclude 1"
            .to_owned(),
    ];
    let mut jump: Vec<&str> = Vec::new();
    for kind in figures.iter().map(|figure| figure.kind).filter(|kind| kind.least_factor > 1.0) {
        if !jump.contains(&kind.words) {
            jump.push(kind.words);
        }
    }
    if !jump.is_empty() {
        said.push(format!(
            "{}: as trials confirmed, or as predicted where none was made; they jump by themselves: beyond the noise they are inconclusive \
             up to a factor of {}",
            jump.join(", "),
            count(FigureKind::FACTOR_OF_JUMPS as u64)
        ));
    }
    let mut usual: Vec<(String, Vec<&str>)> = Vec::new();
    for figure in figures.iter().filter(|figure| figure.noise.runs == 0) {
        let band = three_digits(figure.noise.factor());
        let words = figure.kind.words;
        match usual.iter_mut().find(|(known, _)| *known == band) {
            Some((_, kinds)) if kinds.contains(&words) => {}
            Some((_, kinds)) => kinds.push(words),
            None => usual.push((band, vec![words])),
        }
    }
    let runs = noise_runs as usize;
    if runs >= MANY_RUNS {
        said.push(format!(
            "noise between runs: from {runs} runs of one machine under the base's conditions, taken as log-normal; all \
             bands hold at once with 95 %"
        ));
    } else if runs >= FEWEST_RUNS {
        said.push(format!(
            "noise between runs: from {runs} runs of one machine under the base's conditions, taken as log-normal, each band \
             with 95 %, but never less than assumed without them"
        ));
    }
    if !usual.is_empty() {
        let bands: Vec<String> = usual.iter().map(|(band, kinds)| format!("{band} for {}", kinds.join(", "))).collect();
        said.push(format!(
            "noise between runs is assumed, since fewer than {FEWEST_RUNS} other runs of one machine have the figure: a factor of {}",
            bands.join("; ")
        ));
    }
    said
}
