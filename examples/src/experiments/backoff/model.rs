use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::estimate::{ns, signed_ns, signed_percent, why_no_time};
use chronoscope_render::text::counted;

use super::cost::{Amortised, Change, Cost, MARGIN, Row, amortised, legs, rows};
use super::{PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};
use crate::{Block, Value};

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let mut threads = record.plan.threads.clone();
    threads.dedup();
    if record.comparison(VOLATILE, PLAIN, 1).is_some() {
        block.say(
            "a difference is that of pairs of visits in the same round, a time that of the operation's own visits: the one is \
             not the other two subtracted",
        );
    }
    for threads in &threads {
        let who = counted(u64::from(*threads), "thread", "threads");
        let each = if *threads > 1 { ", each with its own field" } else { "" };
        let rows = rows(record, VOLATILE, PLAIN, *threads);
        curve(&mut block, record, &format!("Compared directly, {who}{each}"), (VOLATILE, PLAIN), *threads, &rows);
        says(&mut block, record, &who, &rows);
    }
    if let Some(most) = threads.last().copied().filter(|threads| *threads > 1) {
        let title = format!("Compared directly, {most} threads, one field on one cache line");
        let rows = rows(record, VOLATILE_SHARED, PLAIN_SHARED, most);
        curve(&mut block, record, &title, (VOLATILE_SHARED, PLAIN_SHARED), most, &rows);
        let who = format!("{most} threads on one line");
        says(&mut block, record, &who, &rows);
        if matches!(legs(&rows).as_slice(), [only] if only.change == Change::Rises) {
            block.say(format!(
                "{who}: a cost that rises with the work between writes is no latency that work could hide; contention \
                 for the line would look like this"
            ));
        }
        if most > record.cpus() {
            let cpus = counted(u64::from(record.cpus()), "CPU", "CPUs");
            block.say(format!("{most} threads shared {cpus}: these times include waiting for a CPU"));
        }
    }
    block
}

fn curve(
    block: &mut Block,
    record: &StudyRecord,
    title: &str,
    (case, baseline): (&str, &str),
    threads: u32,
    rows: &[Row],
) {
    if rows.is_empty() {
        return;
    }
    let missing = || Value::Missing("–".to_owned());
    let rows = rows.iter().map(|row| {
        let time = |case| plain_time(record, case, row.tokens, threads);
        vec![
            Value::Count(row.tokens),
            tokens_ns(record, row.tokens).map_or_else(missing, Value::PlainNs),
            time(baseline),
            time(case),
            Value::DifferenceNs(row.difference_ns),
            row.share_pct.map_or_else(missing, Value::PercentOf),
            Value::text(cost(row.cost)),
        ]
    });
    let columns = ["tokens", "work", "plain", "volatile", "difference", "of volatile's time", "cost"];
    block.table(title, &columns, rows.collect());
}

/// The time of a cell without its interval, which the difference beside it has; or why there is none.
pub(super) fn plain_time(record: &StudyRecord, case: &str, tokens: u64, threads: u32) -> Value {
    let cell = record.cell(case, tokens, threads);
    let time = cell.and_then(|cell| cell.time_ns);
    time.map_or_else(|| Value::Missing(why_no_time(cell)), |time| Value::PlainNs(time.estimate))
}

fn margin() -> String {
    format!("{:.0} %", 100.0 * MARGIN)
}

fn cost(cost: Cost) -> String {
    match cost {
        Cost::Above => format!("> {}", margin()),
        Cost::Within => format!("within {}", margin()),
        Cost::Gain => format!("gain > {}", margin()),
        Cost::Unresolved => format!("{}: unresolved", margin()),
    }
}

/// What the rows say, in a sentence or two.
fn says(block: &mut Block, record: &StudyRecord, who: &str, rows: &[Row]) {
    let Some((first, last)) = rows.first().zip(rows.last()) else {
        block.say(format!("{who}: the two were not compared"));
        return;
    };
    let difference = &first.difference_ns;
    let (exposed, at_first) = (signed_ns(difference), counted(first.tokens, "token", "tokens"));
    let text = if !difference.is_resolved() {
        format!("{who}: at {at_first} no cost is resolved: {exposed}")
    } else if difference.low > 0.0 {
        format!("{who}: at {at_first} volatile costs {exposed}")
    } else {
        format!("{who}: at {at_first} volatile takes less time than plain: {exposed}")
    };
    block.conclude(text).with("exposed_ns", *difference);
    let found = amortised(rows);
    let text = format!("{who}: {}", amortisation(record, &found));
    match found {
        Amortised::From { first, .. } => {
            block.conclude(text).with("within_margin_from_tokens", Estimate::certain(first.tokens as f64));
        }
        Amortised::Not(_) => {
            block.conclude(text).with("at_largest_backoff_ns", last.difference_ns);
        }
        Amortised::Unresolved(_) | Amortised::NotMeasured => {
            block.say(text).with("at_largest_backoff_ns", last.difference_ns);
        }
    }
    // What happens within the margin is said by the table, and that the cost falls to it has been said.
    let shown = match found {
        Amortised::From { first, .. } => rows.iter().take_while(|row| row.tokens <= first.tokens).count(),
        _ => rows.len(),
    };
    if let Some(shape) = shape(&rows[..shown]).filter(|(legs, _)| *legs > 1 || shown == rows.len()) {
        block.say(format!("{who}: the difference {}", shape.1));
    }
}

/// How the cost moves from row to row: in how many legs, and in words. None where nothing is told apart.
fn shape(rows: &[Row]) -> Option<(usize, String)> {
    let at = |row: &Row| format!("{} at {}", signed_ns(&row.difference_ns), counted(row.tokens, "token", "tokens"));
    let legs = legs(rows);
    let verb = |change| if change == Change::Falls { "falls" } else { "rises" };
    let to = legs.iter().map(|leg| format!("{} to {}", verb(leg.change), at(&leg.to))).collect::<Vec<_>>();
    legs.first().map(|first| (legs.len(), format!("is {}, {}", at(&first.from), to.join(", then "))))
}

/// From which backoff the cost no longer matters, in words.
pub(super) fn amortisation(record: &StudyRecord, found: &Amortised) -> String {
    let of_time = format!("{} of the operation's time, work included", margin());
    match found {
        Amortised::NotMeasured => "not measured".to_owned(),
        Amortised::From { before: None, .. } => format!("at every backoff of this run the cost is within {of_time}"),
        Amortised::From { first, before: Some(before) } => {
            let found = signed_ns(&before.difference_ns);
            let known = match before.cost {
                Cost::Above => format!("it is still above: {found}"),
                Cost::Gain => format!("volatile still takes less time, by more than that: {found}"),
                Cost::Within | Cost::Unresolved => {
                    format!("it is {found}, and whether that is within {} is unresolved", margin())
                }
            };
            format!(
                "from {} the cost stays within {of_time}; at {} {known}",
                at(record, first.tokens),
                counted(before.tokens, "token", "tokens"),
            )
        }
        Amortised::Not(last) => {
            let share =
                last.share_pct.map_or_else(String::new, |share| format!(", {} of its time", signed_percent(&share)));
            let what = if last.cost == Cost::Gain { "volatile takes less time" } else { "the cost is" };
            format!(
                "not amortised in this run: at {} {what} {}{share}",
                at(record, last.tokens),
                signed_ns(&last.difference_ns)
            )
        }
        Amortised::Unresolved(last) if last.difference_ns.confidence <= 0.0 => {
            "whether work amortises the cost is unresolved: a single process has no interval".to_owned()
        }
        Amortised::Unresolved(last) => format!(
            "whether work amortises the cost is unresolved: at {} the interval is ± {}, which allows both less and more than \
             {of_time}",
            at(record, last.tokens),
            ns(&Estimate::certain(last.difference_ns.half_width()))
        ),
    }
}

/// So many tokens, and what they take.
fn at(record: &StudyRecord, tokens: u64) -> String {
    let words = counted(tokens, "token", "tokens");
    match tokens_ns(record, tokens).filter(|_| tokens > 0) {
        Some(took) => format!("{words} ({} of work)", ns(&Estimate::certain(took))),
        None => words,
    }
}

/// What so many tokens take, in nanoseconds.
fn tokens_ns(record: &StudyRecord, tokens: u64) -> Option<f64> {
    Some(record.tokens.as_ref()?.ns(tokens))
}
