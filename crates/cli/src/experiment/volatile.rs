//! What a volatile write costs, asked naively: one figure per operation, with nothing around it.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::Duration;

use chronoscope_measure::record::study::{Difference, StudyRecord};
use chronoscope_measure::{Study, black_box};

use super::conclusions::{Block, Conclusions, Value};
use super::reading::{Reading, why_no_time};
use super::words::{certain, factor, ns, signed_ns};

const BASELINE: &str = "baseline";
const PLAIN: &str = "plain";
const VOLATILE: &str = "volatile";
/// Case, what it does, nanoseconds that were published (JMH, a laptop at 2 GHz: A. Shipilëv, "Nanotrusting the Nanotime",
/// 2014), and those of JMH 1.37 on JDK 25 on a server's virtual machine at 2.8 GHz.
const PUBLISHED: [(&str, &str, f64, f64); 3] = [
    (BASELINE, "nothing", 2.04, 3.99),
    (PLAIN, "v++", 3.59, 3.9),
    (VOLATILE, "v++, sequentially consistent", 15.2, 11.0),
];

pub(super) fn study() -> Study {
    Study::new("experiment volatile")
        .case(BASELINE, |b| b.iter(|| ()))
        // A field that nobody else can see would be kept in a register, however volatile: the black box sees it.
        .case(PLAIN, |b| {
            let v = AtomicU64::new(0);
            let v = black_box(&v);
            b.iter(|| v.store(v.load(Relaxed) + 1, Relaxed));
        })
        .case(VOLATILE, |b| {
            let v = AtomicU64::new(0);
            let v = black_box(&v);
            b.iter(|| v.store(v.load(Acquire) + 1, SeqCst));
        })
        .compare(VOLATILE, PLAIN)
        .compare(PLAIN, BASELINE)
        .budget(Duration::from_secs(8))
}

pub(super) fn conclude(record: &StudyRecord) -> Conclusions {
    Conclusions {
        experiment: "volatile",
        question: "How much does it cost to make a counter volatile? Each thread has its own; nothing else is done."
            .into(),
        naive: naive(Reading(record)),
        model: model(Reading(record)),
        published: published(Reading(record)),
    }
}

fn naive(record: Reading<'_>) -> Block {
    let mut block = Block::default();
    let rows = PUBLISHED.iter().map(|(case, what, ..)| {
        let cell = record.cell(case, 0, 1);
        let time = Value::ns_or(cell.and_then(|cell| cell.time_ns), why_no_time(cell));
        vec![Value::text(*case), Value::text(*what), time]
    });
    block.table("", &["case", "operation", "time per operation"], rows.collect());
    match record.point(VOLATILE, PLAIN, 0, 1) {
        Some(point) if point.verdict == Difference::Slower => {
            let text = format!("\"volatile is {} times slower\"", factor(&point.ratio));
            block.conclude(text).with("ratio", point.ratio);
        }
        Some(point) => {
            let text = format!("no such thing today: volatile over plain is {}", factor(&point.ratio));
            block.conclude(text).with("ratio", point.ratio);
        }
        None => {
            block.conclude("nothing: the two were not compared in this run");
        }
    }
    if let (Some(volatile), Some(plain)) =
        (record.subtracted(VOLATILE, BASELINE, 0, 1), record.subtracted(PLAIN, BASELINE, 0, 1))
        && plain.low > 0.0
    {
        let text = format!(
            "and after subtracting the baseline, {} against {}: \"{:.1} times slower\"; the same data, another factor",
            ns(&volatile),
            ns(&plain),
            volatile.estimate / plain.estimate
        );
        block.say(text).with("volatile_less_baseline_ns", volatile).with("plain_less_baseline_ns", plain);
    }
    block
}

fn model(record: Reading<'_>) -> Block {
    let mut block = Block::default();
    match record.point(VOLATILE, PLAIN, 0, 1) {
        Some(point) => {
            let text = format!(
                "compared directly, in pairs of the same round, the volatile increment takes {} more than the plain one \
                 when nothing else is done between two of them",
                signed_ns(&point.difference_ns)
            );
            block.conclude(text).with("difference_ns", point.difference_ns);
        }
        None => {
            block.conclude("the comparison is missing, so there is nothing to say");
        }
    }
    if let Some(cell) = record.cell(BASELINE, 0, 1)
        && let (None, Some(below_ns)) = (cell.time_ns, cell.below_ns)
    {
        let text = format!(
            "the baseline cannot be told from nothing: it takes less than {}, so there is no figure to subtract",
            ns(&certain(below_ns))
        );
        block.say(text).with("baseline_below_ns", certain(below_ns));
    }
    block.say(
        "a ratio of two loops that do nothing else says how the loops compare, not what a program pays: the store buffer \
         drains while other work goes on",
    );
    block.say("this is one point of a curve: `chronoscope experiment backoff` draws it, for one thread and for two");
    block
}

fn published(record: Reading<'_>) -> Block {
    let mut block = Block::default();
    let rows = PUBLISHED.iter().map(|(case, _, article, jmh)| {
        let cell = record.cell(case, 0, 1);
        let ours = Value::ns_or(cell.and_then(|cell| cell.time_ns), why_no_time(cell));
        vec![Value::text(*case), Value::PlainNs(*article), Value::PlainNs(*jmh), ours]
    });
    let mut rows: Vec<Vec<Value>> = rows.collect();
    let [_, (_, _, plain, plain_jmh), (_, _, volatile, volatile_jmh)] = PUBLISHED;
    let ours = record.point(VOLATILE, PLAIN, 0, 1);
    rows.push(vec![
        Value::text("volatile / plain"),
        Value::PlainFactor(volatile / plain),
        Value::PlainFactor(volatile_jmh / plain_jmh),
        ours.map_or_else(|| Value::Missing("not measured".to_owned()), |point| Value::Factor(point.ratio)),
    ]);
    block.table("", &["case", "article, 2 GHz laptop", "JMH 1.37, JDK 25, 2.8 GHz", "ours, native"], rows);
    block.say(
        "article: A. Shipilëv, \"Nanotrusting the Nanotime\", 2014. A Java volatile increment is a load and a sequentially \
         consistent store, here an `xchg` on x86-64; a plain one is kept in memory, not in a register",
    );
    block
}

#[cfg(test)]
mod tests {
    use super::super::show::terminal;
    use super::super::synthetic::{cell, comparison, interval, record};
    use super::*;

    fn made_up(cost_ns: f64, verdict: Difference) -> StudyRecord {
        let mut made = record(&[0], &[1]);
        let mut baseline = cell(BASELINE, 0, 1, [0.30, 0.31, 0.30, 0.29]);
        (baseline.time_ns, baseline.below_ns) = (None, Some(0.32));
        made.cells.push(baseline);
        made.cells.push(cell(PLAIN, 0, 1, [1.60, 1.61, 1.60, 1.59]));
        made.cells.push(cell(VOLATILE, 0, 1, [1.60, 1.61, 1.60, 1.59].map(|plain| plain + cost_ns)));
        made.comparisons = vec![comparison(VOLATILE, PLAIN, 1, &[(0, interval(cost_ns, 0.1), verdict)])];
        made
    }

    #[test]
    fn the_naive_ratio_and_the_direct_difference_stand_side_by_side() {
        let made = made_up(6.4, Difference::Slower);
        let conclusions = conclude(&made);
        let naive = conclusions.naive.text();
        assert!(naive.contains("\"volatile is 1.64 (1.64 … 1.64) times slower\""), "{naive}");
        assert!(naive.contains("after subtracting the baseline") && naive.contains("5.9 times slower"), "{naive}");
        let said = conclusions.model.text();
        assert!(said.contains("takes +6.40 ns (+6.30 … +6.50) more"), "{said}");
        assert!(said.contains("the baseline cannot be told from nothing: it takes less than 0.320 ns"), "{said}");
        let text = terminal(&conclusions, &made);
        assert!(text.contains("15.2 ns") && text.contains("× 4.23") && text.contains("< 0.320 ns"), "{text}");
    }

    #[test]
    fn no_cost_is_claimed_where_none_was_seen() {
        assert!(conclude(&made_up(0.0, Difference::Same)).naive.text().contains("no such thing today"));
    }

    #[test]
    fn a_record_of_nothing_is_no_reason_to_panic() {
        let empty = record(&[0], &[1]);
        let text = terminal(&conclude(&empty), &empty);
        assert!(text.contains("were not compared") && text.contains("not measured"), "{text}");
    }
}
