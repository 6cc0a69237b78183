use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::estimate::ns;

use super::cost::{amortised, rows};
use super::model::{amortisation, plain_time};
use super::{PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};
use crate::{Block, Value};

/// Where the article's cost is gone: tokens of JMH, nanoseconds on a laptop at 2 GHz.
const ARTICLE: (u64, f64) = (20, 50.0);
/// JMH 1.37 on JDK 25 on a server's virtual machine at 2.8 GHz: tokens, plain, volatile, in nanoseconds. One thread.
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
        ns(&Estimate::certain(work_ns))
    ));
    block.say("tokens are not portable between harnesses, nor nanoseconds between machines");
    let row = |case: (&'static str, &'static str), threads: u32| {
        move |(tokens, plain, volatile): &(u64, f64, f64)| {
            let ours = |case: &str| plain_time(record, case, *tokens, threads);
            let difference = record.point(case.0, case.1, *tokens, threads);
            vec![
                Value::Count(*tokens),
                Value::PlainNs(*plain),
                Value::PlainNs(*volatile),
                ours(case.1),
                ours(case.0),
                difference.map_or_else(
                    || Value::Missing("not measured".to_owned()),
                    |point| Value::DifferenceNs(point.difference_ns),
                ),
            ]
        }
    };
    let columns = ["tokens", "JMH plain", "JMH volatile", "our plain", "our volatile", "our difference"];
    block.table(
        "One thread; JMH 1.37 on JDK 25 (Ice Lake server, 2.8 GHz)",
        &columns,
        JMH.iter().map(row((VOLATILE, PLAIN), 1)).collect(),
    );
    block.table(
        "Two threads on one field; JMH as above",
        &columns,
        JMH_SHARED.iter().map(row((VOLATILE_SHARED, PLAIN_SHARED), 2)).collect(),
    );
    block.say("article: A. Shipilëv, \"Nanotrusting the Nanotime\", 2014; JMH's figures differ by 0.1 to 10 ns from run to run");
    block
}
