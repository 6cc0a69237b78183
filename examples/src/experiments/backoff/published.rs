use chronoscope_harness::literature::{self, Article, Figure, measure};
use chronoscope_harness::record::study::StudyRecord;

use super::cases::{PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};
use super::cost::{amortised, rows};
use super::model::{amortisation, has_shared, plain_time};
use crate::{Block, Series, Value};

/// What JMH measured of the plain and the volatile increment, by tokens; on one field with two threads.
fn jmh(threads: u32) -> Vec<(u64, [&'static Figure; 2])> {
    let calls = if threads > 1 { ["plain, one field", "volatile, one field"] } else { ["plain", "volatile"] };
    let of = move |call: &'static str| {
        literature::of(Article::Jmh, measure::TIME).filter(move |figure| figure.row == "N9" && figure.call == call)
    };
    // A float-to-int cast saturates.
    let pair = |plain: &'static Figure| {
        let volatile = of(calls[1]).find(|volatile| volatile.at == plain.at)?;
        Some((plain.place()? as u64, [plain, volatile]))
    };
    of(calls[0]).filter_map(pair).collect()
}

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let hidden =
        literature::of(Article::Nanotrust, measure::HIDDEN_PAST).map(|figure| format!("about {}", figure.said()));
    let hidden: Vec<String> = hidden.collect();
    let ours = amortisation(record, &amortised(&rows(record, VOLATILE, PLAIN, 1)));
    block.conclude(format!("article: amortised past {}. Ours: {ours}", hidden.join(", ")));
    block.say("tokens are not portable between harnesses, nor nanoseconds between machines");
    let rows = |case: &str, baseline: &str, threads: u32| {
        let row = |(tokens, [plain, volatile]): &(u64, [&Figure; 2])| {
            let difference = record.point(case, baseline, *tokens, threads);
            vec![
                Value::Count(*tokens),
                Value::text(plain.said()),
                Value::text(volatile.said()),
                plain_time(record, baseline, *tokens, threads),
                plain_time(record, case, *tokens, threads),
                Value::or(difference.map(|point| Value::DifferenceNs(point.difference_ns)), "not measured"),
            ]
        };
        jmh(threads).iter().map(row).collect()
    };
    let columns = ["tokens", "JMH plain", "JMH volatile", "our plain", "our volatile", "our difference"];
    let title = "One thread; runs of ours of JMH 1.37 on JDK 25 (Ice Lake server, 2.8 GHz)";
    block.table(title, &columns, rows(VOLATILE, PLAIN, 1));
    if has_shared(record) {
        let title = "Two threads on one field; JMH as above";
        block.table(title, &columns, rows(VOLATILE_SHARED, PLAIN_SHARED, 2));
    }
    block.say(format!("article: {}; JMH's figures differ by 0.1 to 10 ns from run to run", Article::Nanotrust.cited()));
    block
}

/// What volatile costs more than plain, as published for such a pair on so many threads.
pub(super) fn differences(case: &str, threads: u32) -> Option<Series> {
    if ![(VOLATILE, 1), (VOLATILE_SHARED, 2)].contains(&(case, threads)) {
        return None;
    }
    let rows = jmh(threads);
    let points =
        rows.iter().filter_map(|(tokens, [plain, volatile])| Some((*tokens as f64, volatile.ns()? - plain.ns()?)));
    Some(Series::published("JMH 1.37 on JDK 25, its own tokens", points))
}
