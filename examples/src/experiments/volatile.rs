//! The cost of a volatile write, measured naively: one figure per operation, without surrounding work.
//!
//! This file shows the structure of an experiment: a study, which is all a benchmark needs, and pure functions from its
//! record to conclusions.
//!
//! # Sources
//! A. Shipilëv, "Nanotrusting the Nanotime", 2014, <https://shipilev.net/blog/2014/nanotrusting-nanotime/>, poses the
//! question and has the laptop figures (JMH, 2 GHz). The server figures are ours (JMH 1.37, JDK 25, VM at 2.8 GHz).

use chronoscope_harness::literature::measure::TIME as TIME_OF;
use chronoscope_harness::literature::{self, Article, Figure};
use chronoscope_harness::quantity::{RATIO, TIME};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::Duration;

use chronoscope_harness::record::study::{Difference, Estimate, StudyRecord};
use chronoscope_harness::{Bencher, Study, black_box};
use chronoscope_render::text::percent;

use crate::reading::{MAY_BE_ZERO, doubt, quotient, subtracted};
use crate::{Block, Chart, Conclusions, Experiment, Panel, Series, Spot, Topic, Unit, Value};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "volatile",
    about: "The cost of a volatile write, measured naively",
    study: |_, _| study(),
    conclude,
    in_runtimes: None,
};

const BASELINE: &str = "baseline";
const PLAIN: &str = "plain";
const VOLATILE: &str = "volatile";
/// Each case with what it does.
const CASES: [(&str, &str); 3] = [(BASELINE, "nothing"), (PLAIN, "v++"), (VOLATILE, "v++, sequentially consistent")];
/// Who published a figure of each.
const SOURCES: [Article; 2] = [Article::Nanotrust, Article::Jmh];

fn study() -> Study {
    Study::new("experiment volatile")
        .case(BASELINE, |b| b.iter(|| ()))
        .case(PLAIN, |b| on_own_field(b, plain))
        .case(VOLATILE, |b| on_own_field(b, volatile))
        .compare(VOLATILE, PLAIN)
        .compare(PLAIN, BASELINE)
        .budget(Duration::from_secs(8))
}

/// Times an operation on a thread-local field. A field invisible to others would be kept in a register, however
/// volatile, so the black box observes it.
#[inline(always)]
pub(super) fn on_own_field<T>(b: &mut Bencher<'_>, operation: impl Fn(&AtomicU64) -> T) {
    let v = AtomicU64::new(0);
    let v = black_box(&v);
    b.iter(|| operation(v));
}

/// `v++` of a plain field in Java.
#[inline(always)]
pub(super) fn plain(v: &AtomicU64) {
    v.store(v.load(Relaxed) + 1, Relaxed);
}

/// `v++` of a volatile field in Java: a load, and a sequentially consistent store, an `xchg` on x86-64.
#[inline(always)]
pub(super) fn volatile(v: &AtomicU64) {
    v.store(v.load(Acquire) + 1, SeqCst);
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let (naive, model) = (naive(record), model(record));
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: chart(record, [&naive, &model]).into_iter().collect(),
        question: "How much does it cost to make a counter volatile? Each thread has its own; nothing else is done."
            .into(),
        passed: None,
        naive,
        model,
        published: published(record),
    }
}

fn chart(record: &StudyRecord, [naive, model]: [&Block; 2]) -> Option<Chart> {
    let places = || (0_u32..).map(f64::from);
    let ours = places().zip(CASES).map(|(at, (case, _))| Spot::of_cell(at, record.cell(case, 0, 1)));
    let published = |article: Article| {
        places().zip(CASES).filter_map(move |(at, (case, _))| Some((at, figure(article, case)?.ns()?)))
    };
    let series = vec![
        Series::of("this run", ours),
        Series::published("the article, a 2 GHz laptop", published(SOURCES[0])),
        Series::published("JMH 1.37, a VM at 2.8 GHz", published(SOURCES[1])),
    ];
    let names = CASES.iter().map(|(case, what)| format!("{case}: {what}")).collect();
    let panel = Panel { names, ..Panel::over("", "", Unit::Ns, series) };
    let sentences = naive.main().into_iter().chain(model.main()).collect();
    Chart::of(Topic::Times, "One figure per operation", sentences, vec![panel])
}

fn naive(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let rows = CASES
        .iter()
        .map(|(case, what)| vec![Value::text(*case), Value::text(*what), Value::time(record.cell(case, 0, 1))]);
    block.table("", &["case", "operation", "time per operation"], rows.collect());
    let Some(point) = record.point(VOLATILE, PLAIN, 0, 1) else {
        block.conclude("nothing: the two were not compared in this run");
        return block;
    };
    let margin_pct = record.study().plan.margin_pct;
    block.conclude(match ratio(record) {
        Some(found) => format!("volatile over plain: {}", compared(point.verdict, &found, margin_pct)),
        None => "plain v++ cannot be told from nothing in this run, so there is no ratio".to_owned(),
    });
    less_baseline(&mut block, record);
    block
}

/// The direct ratio of volatile to plain; None where plain may take no time at all.
fn ratio(record: &StudyRecord) -> Option<Estimate> {
    let plain = record.cell(PLAIN, 0, 1).and_then(|cell| cell.time_ns).filter(|plain| plain.low > 0.0);
    plain.and_then(|_| Some(record.point(VOLATILE, PLAIN, 0, 1)?.ratio))
}

/// The verdict on a ratio, in words.
fn compared(verdict: Difference, ratio: &Estimate, margin_pct: f64) -> String {
    let (found, margin) = (RATIO.amount(ratio), percent(margin_pct));
    match verdict {
        Difference::Slower => format!("\"{found} as long\""),
        Difference::Faster => format!("\"{found} as long\": volatile is the faster one here"),
        Difference::Same => format!("{found}, the same within {margin}: no cost to speak of here"),
        Difference::Unresolved if !ratio.has_confidence() => found + &doubt(ratio),
        Difference::Unresolved => {
            format!("{found}, which allows both a difference and none beyond {margin}: inconclusive")
        }
    }
}

/// The ratio that remains after subtracting the baseline from both.
fn less_baseline(block: &mut Block, record: &StudyRecord) {
    let less = |case| subtracted(record, case, BASELINE, 0);
    let (Some(volatile), Some(plain)) = (less(VOLATILE), less(PLAIN)) else { return };
    let differences = format!(
        "less the baseline's loop, {} against {}",
        TIME.signed().difference(&volatile),
        TIME.signed().difference(&plain)
    );
    // Anything below the resolution found by comparing operations with themselves is unusable as a denominator, however
    // narrow its interval.
    let resolvable_ns = record.study().control.map_or(0.0, |control| control.resolvable_ns);
    let text = match quotient(&volatile, &plain).filter(|_| plain.low > resolvable_ns) {
        Some(found) => {
            let same = ratio(record).is_some_and(|direct| found.low <= direct.high && direct.low <= found.high);
            let verdict = if same { "the same factor within its interval" } else { "the same data, another factor" };
            format!("{differences}: \"{} as long\"; {verdict}", RATIO.amount(&found))
        }
        None => format!("{differences}: too near to zero for a ratio"),
    };
    block.say(text).with("volatile_less_baseline_ns", volatile).with("plain_less_baseline_ns", plain);
}

fn model(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    match record.point(VOLATILE, PLAIN, 0, 1) {
        Some(point) => {
            let difference = point.difference_ns;
            let found = TIME.signed().difference(&difference);
            let words = match (difference.is_resolved(), difference.low > 0.0) {
                (true, true) => format!("the volatile increment takes {found} more than the plain one"),
                (true, false) => format!("the volatile increment takes less time than the plain one: {found}"),
                (false, _) if !difference.has_confidence() => {
                    format!("the volatile increment takes {found} more than the plain one{}", doubt(&difference))
                }
                (false, _) => format!("the two increments differ by {found}{MAY_BE_ZERO}"),
            };
            let text = format!(
                "compared directly, in pairs of the same round, {words}. Nothing else is done between two of them"
            );
            block.conclude(text).with("difference_ns", difference);
        }
        None => {
            block.conclude("the comparison is missing: no conclusion");
        }
    }
    let baseline = record.cell(BASELINE, 0, 1).filter(|cell| cell.time_ns.is_none());
    if let Some(below) = baseline.and_then(|cell| cell.below_ns).map(Estimate::certain) {
        let text = format!(
            "the baseline takes less than {} and cannot be told from an empty loop: subtracting it subtracts the loop",
            TIME.amount(&below)
        );
        block.say(text).with("baseline_below_ns", below);
    }
    block.say(
        "the ratio of two loops that do nothing else tells how the loops compare, not what a program pays: a store \
         buffer can drain while other work proceeds",
    );
    block.say("this is one point of a curve: `chronoscope experiment backoff` draws it, for one thread and for two");
    block
}

/// What was published of a case.
fn figure(article: Article, case: &str) -> Option<&'static Figure> {
    literature::of(article, TIME_OF).find(|figure| figure.row == "N2" && figure.call == case)
}

fn published(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let rows = CASES.iter().map(|(case, _)| {
        let published =
            SOURCES.map(|article| Value::or(figure(article, case).map(|found| Value::text(found.said())), "–"));
        let ours = Value::time(record.cell(case, 0, 1));
        std::iter::once(Value::text(*case)).chain(published).chain([ours]).collect()
    });
    let mut rows: Vec<Vec<Value>> = rows.collect();
    let ratios = SOURCES.map(|article| {
        let ns = |case| figure(article, case)?.ns();
        Value::or(ns(VOLATILE).zip(ns(PLAIN)).map(|(volatile, plain)| Value::plain_factor(volatile / plain)), "–")
    });
    let ours = Value::or(ratio(record).map(Value::Factor), "no ratio");
    rows.push(std::iter::once(Value::text("volatile / plain")).chain(ratios).chain([ours]).collect());
    block.table("", &["case", "article, 2 GHz laptop", "JMH 1.37, JDK 25, 2.8 GHz", "ours, native"], rows);
    block.say(format!(
        "article: {}; ±: half of a 99.9 % interval. A Java volatile increment is a load and a sequentially consistent store, here an \
         `xchg` on x86-64; a plain one is kept in memory, not in a register",
        SOURCES[0].cited()
    ));
    block
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::synthetic::{assert_pages, cell, cell as cell_of, comparison, interval, record};

    fn made_up(cost_ns: f64, verdict: Difference) -> StudyRecord {
        let mut made = record(&[0], &[1]);
        let mut baseline = cell(BASELINE, 0, 1, [0.30, 0.31, 0.30, 0.29]);
        (baseline.time_ns, baseline.below_ns) = (None, Some(0.32));
        made.content.study.cells.push(baseline);
        made.content.study.cells.push(cell(PLAIN, 0, 1, [1.60, 1.61, 1.60, 1.59]));
        made.content.study.cells.push(cell(VOLATILE, 0, 1, [1.60, 1.61, 1.60, 1.59].map(|plain| plain + cost_ns)));
        made.content.study.comparisons = vec![comparison(VOLATILE, PLAIN, 1, &[(0, interval(cost_ns, 0.1), verdict)])];
        made
    }

    #[test]
    fn every_verdict_has_its_page() {
        let mut near_zero = made_up(6.4, Difference::Slower);
        // Plain exceeds the baseline by a millionth of a nanosecond: 6 ns over that is a factor of millions.
        for cell in near_zero.content.study.cells.iter_mut().filter(|cell| cell.case == PLAIN) {
            *cell = cell_of(PLAIN, 0, 1, [0.30 + 4e-6, 0.31 + 5e-6, 0.30 + 4e-6, 0.29 + 3e-6]);
            (cell.time_ns, cell.below_ns) = (None, Some(0.32));
        }
        let pages = vec![
            ("slower", made_up(6.4, Difference::Slower)),
            ("faster", made_up(-0.262, Difference::Faster)),
            ("the same", made_up(0.0, Difference::Same)),
            ("inconclusive", made_up(0.05, Difference::Unresolved)),
            ("no ratio of what cannot be told from nothing", near_zero),
            ("nothing was measured", record(&[0], &[1])),
        ];
        assert_pages("volatile", conclude, pages);
    }
}
