use chronoscope_harness::record::study::{Estimate, StudyRecord};

use super::cases::{PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};
use super::cost::{amortised, rows};
use super::model::{amortisation, plain_time};
use crate::{Block, Series, Value};
use chronoscope_harness::quantity::TIME;

/// Where the article's cost has disappeared: tokens of JMH, nanoseconds on a 2 GHz laptop.
const ARTICLE: (u64, f64) = (20, 50.0);
/// JMH 1.37 on JDK 25 in a server VM at 2.8 GHz: tokens, plain, volatile, in nanoseconds. One thread.
const JMH: [(u64, f64, f64); 7] = [
    (0, 3.9, 11.0),
    (5, 10.0, 15.8),
    (10, 29.7, 28.6),
    (15, 24.5, 26.7),
    (20, 33.0, 35.0),
    (30, 60.5, 57.2),
    (40, 86.2, 85.8),
];
/// The same on one field with two threads.
const JMH_SHARED: [(u64, f64, f64); 3] = [(0, 26.9, 51.1), (20, 79.4, 152.3), (40, 120.5, 160.3)];

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let (tokens, work_ns) = ARTICLE;
    let ours = amortisation(record, &amortised(&rows(record, VOLATILE, PLAIN, 1)));
    block.conclude(format!(
        "article: amortised past about {tokens} tokens, about {}. Ours: {ours}",
        TIME.amount(&Estimate::certain(work_ns))
    ));
    block.say("tokens are not portable between harnesses, nor nanoseconds between machines");
    let rows = |published: &[(u64, f64, f64)], case: &str, baseline: &str, threads: u32| {
        let row = |(tokens, plain, volatile): &(u64, f64, f64)| {
            let difference = record.point(case, baseline, *tokens, threads);
            vec![
                Value::Count(*tokens),
                Value::plain_ns(*plain),
                Value::plain_ns(*volatile),
                plain_time(record, baseline, *tokens, threads),
                plain_time(record, case, *tokens, threads),
                Value::or(difference.map(|point| Value::DifferenceNs(point.difference_ns)), "not measured"),
            ]
        };
        published.iter().map(row).collect()
    };
    let columns = ["tokens", "JMH plain", "JMH volatile", "our plain", "our volatile", "our difference"];
    let title = "One thread; JMH 1.37 on JDK 25 (Ice Lake server, 2.8 GHz)";
    block.table(title, &columns, rows(&JMH, VOLATILE, PLAIN, 1));
    let title = "Two threads on one field; JMH as above";
    block.table(title, &columns, rows(&JMH_SHARED, VOLATILE_SHARED, PLAIN_SHARED, 2));
    block.say("article: A. Shipilëv, \"Nanotrusting the Nanotime\", 2014; JMH's figures differ by 0.1 to 10 ns from run to run");
    block
}

/// What volatile costs more than plain, as published for such a pair on so many threads.
pub(super) fn differences(case: &str, threads: u32) -> Option<Series> {
    let rows: &[(u64, f64, f64)] = match (case, threads) {
        (VOLATILE, 1) => &JMH,
        (VOLATILE_SHARED, 2) => &JMH_SHARED,
        _ => return None,
    };
    let points = rows.iter().map(|(tokens, plain, volatile)| (*tokens as f64, volatile - plain));
    Some(Series::published("JMH 1.37 on JDK 25, its own tokens", points))
}
