use std::cmp::Ordering;

use chronoscope_harness::quantity::{PERCENT, TIME};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::study_words::why_no_time;
use chronoscope_render::text::counted;

use super::cases::{CONSUME, PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};
use super::cost::{Amortised, Cost, MARGIN_PCT, Row, amortised, moved, rows, turns};
use crate::reading::{MAY_BE_ZERO, doubt};
use crate::{Block, Value};

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let views = views(record);
    if record.comparison(VOLATILE, PLAIN, 1).is_some() {
        block.say(
            "differences come from pairs of iterations in the same round, times from an operation's own iterations: a \
             difference is not the two times subtracted",
        );
    }
    for view in &views {
        let rows = compared(&mut block, record, view);
        let View { who, threads, .. } = view;
        if view.pair.0 != VOLATILE_SHARED {
            continue;
        }
        if matches!(turns(&rows).as_slice(), [from, to] if moved(from, to) == Some(Ordering::Greater)) {
            block.say(format!(
                "{who}: a cost that rises with the work between writes is not a latency that work could hide; \
                 contention for the cache line looks like this"
            ));
        }
        if *threads > record.cpus() {
            let cpus = counted(u64::from(record.cpus()), "CPU", "CPUs");
            block.say(format!("{threads} threads shared {cpus}: these times include waiting for a CPU"));
        }
    }
    block
}

/// Two operations on so many threads.
pub(super) struct View {
    pub(super) pair: (&'static str, &'static str),
    pub(super) threads: u32,
    pub(super) title: String,
    who: String,
}

/// What is compared: on each number of threads, and on one field where several share it.
pub(super) fn views(record: &StudyRecord) -> Vec<View> {
    let mut threads = record.study().plan.threads.clone();
    threads.dedup();
    let own = |threads: &u32| {
        let who = counted(u64::from(*threads), "thread", "threads");
        let title = format!("{who}{}", if *threads > 1 { ", each with its own field" } else { "" });
        View { pair: (VOLATILE, PLAIN), threads: *threads, title, who }
    };
    let shared = threads.last().copied().filter(|threads| *threads > 1 && has_shared(record)).map(|threads| View {
        pair: (VOLATILE_SHARED, PLAIN_SHARED),
        threads,
        title: format!("{threads} threads, one field on one cache line"),
        who: format!("{threads} threads on one line"),
    });
    threads.iter().map(own).chain(shared).collect()
}

/// Whether threads wrote one field: a runtime's probe has each write its own.
pub(super) fn has_shared(record: &StudyRecord) -> bool {
    record.study().cells.iter().any(|cell| cell.case == VOLATILE_SHARED)
}

/// Adds a table of two operations compared directly, with its conclusion about who did.
fn compared(block: &mut Block, record: &StudyRecord, view: &View) -> Vec<Row> {
    let View { pair: (case, baseline), threads, title, who } = view;
    let threads = *threads;
    let rows = rows(record, case, baseline, threads);
    let cells = rows.iter().map(|row| {
        vec![
            Value::Count(row.tokens),
            Value::or(work_ns(record, row.tokens).map(Value::plain_ns), "–"),
            plain_time(record, baseline, row.tokens, threads),
            plain_time(record, case, row.tokens, threads),
            Value::DifferenceNs(row.difference_ns),
            Value::or(row.share_pct.map(Value::PercentOf), "–"),
            Value::text(cost(row.cost)),
        ]
    });
    if !rows.is_empty() {
        let columns = ["tokens", "work", "plain", "volatile", "difference", "of volatile's time", "cost"];
        block.table(format!("Compared directly, {title}"), &columns, cells.collect());
    }
    says(block, record, who, &rows);
    rows
}

/// The time of a cell without its interval, which the difference in the same row has; or why there is none.
pub(super) fn plain_time(record: &StudyRecord, case: &str, tokens: u64, threads: u32) -> Value {
    let cell = record.cell(case, tokens, threads);
    let time = cell.and_then(|cell| cell.time_ns).map(|time| Value::plain_ns(time.estimate));
    Value::or(time, why_no_time(cell))
}

fn cost(cost: Cost) -> String {
    match cost {
        Cost::Above => format!("> {MARGIN_PCT} %"),
        Cost::Within => format!("within {MARGIN_PCT} %"),
        Cost::Gain => format!("gain > {MARGIN_PCT} %"),
        Cost::Unresolved => format!("{MARGIN_PCT} %: inconclusive"),
    }
}

/// The conclusion from the rows, in a sentence or two.
fn says(block: &mut Block, record: &StudyRecord, who: &str, rows: &[Row]) {
    let Some((first, last)) = rows.first().zip(rows.last()) else {
        block.say(format!("{who}: the two were not compared"));
        return;
    };
    let exposed = first.difference_ns;
    let (verdict, may_be) = match (exposed.is_resolved(), exposed.low > 0.0) {
        (false, _) if !exposed.has_confidence() => ("the difference is", ""),
        (false, _) => ("the difference is", MAY_BE_ZERO),
        (true, true) => ("volatile costs", ""),
        (true, false) => ("volatile takes less time than plain:", ""),
    };
    block
        .conclude(format!(
            "{who}: at {} {verdict} {}{}{may_be}",
            tokens(first),
            TIME.signed().difference(&exposed),
            doubt(&exposed)
        ))
        .with("exposed_ns", exposed);
    let found = amortised(rows);
    let text = format!("{who}: {}", amortisation(record, &found));
    match found {
        Amortised::From { first, .. } => {
            block.conclude(text).with("within_margin_from_tokens", Estimate::certain(first.tokens as f64))
        }
        Amortised::Not(_) => block.conclude(text).with("at_largest_backoff_ns", last.difference_ns),
        Amortised::Unresolved { .. } | Amortised::NotMeasured => {
            block.say(text).with("at_largest_backoff_ns", last.difference_ns)
        }
    };
    // The table covers changes within the margin, and the fall to it has been mentioned.
    let shown = match found {
        Amortised::From { first, .. } => rows.iter().take_while(|row| row.tokens <= first.tokens).count(),
        _ => rows.len(),
    };
    let turns = turns(&rows[..shown]);
    if turns.len() > 2 || shown == rows.len() && !turns.is_empty() {
        let at = |row: &Row| format!("{} at {}", TIME.signed().difference(&row.difference_ns), tokens(row));
        let verb = |leg: &[Row]| if moved(&leg[0], &leg[1]) == Some(Ordering::Less) { "falls" } else { "rises" };
        let legs: Vec<String> = turns.windows(2).map(|leg| format!("{} to {}", verb(leg), at(&leg[1]))).collect();
        block.say(format!("{who}: the difference is {}, {}", at(&turns[0]), legs.join(", then ")));
    }
}

/// `1 token`, `20 tokens`.
fn tokens(row: &Row) -> String {
    counted(row.tokens, "token", "tokens")
}

/// The backoff at which the cost becomes negligible, in words.
pub(super) fn amortisation(record: &StudyRecord, found: &Amortised) -> String {
    let of_time = format!("{MARGIN_PCT} % of the operation's time, work included");
    match found {
        Amortised::NotMeasured => "not measured".to_owned(),
        Amortised::From { before: None, .. } => format!("at every backoff of this run the cost is within {of_time}"),
        Amortised::From { first, before: Some(before) } => {
            let found = TIME.signed().difference(&before.difference_ns);
            let known = match before.cost {
                Cost::Above => format!("it is still above: {found}"),
                Cost::Gain => format!("volatile still takes less time, by more than that: {found}"),
                Cost::Within | Cost::Unresolved => {
                    format!("it is {found}, and whether that is within {MARGIN_PCT} % is inconclusive")
                }
            };
            format!("from {} the cost stays within {of_time}; at {} {known}", at(record, first), tokens(before))
        }
        Amortised::Not(last) => {
            let share = last
                .share_pct
                .map_or_else(String::new, |share| format!(", {} of its time", PERCENT.signed().difference(&share)));
            let what = if last.cost == Cost::Gain { "volatile takes less time" } else { "the cost is" };
            let found = TIME.signed().difference(&last.difference_ns);
            format!("not amortised in this run: at {} {what} {found}{share}", at(record, last))
        }
        Amortised::Unresolved { last, .. } if !last.difference_ns.has_confidence() => {
            let found = TIME.signed().difference(&last.difference_ns);
            format!(
                "whether work amortises the cost: at {} it is {found}{}",
                at(record, last),
                doubt(&last.difference_ns)
            )
        }
        Amortised::Unresolved { last, within } => {
            let before = within.map_or_else(String::new, |row| format!("; at {} it is within that", tokens(&row)));
            format!(
                "whether work amortises the cost is inconclusive: at {} it is {}, which allows both less and more than {of_time}{before}",
                at(record, last),
                TIME.signed().interval(last.difference_ns.low, last.difference_ns.high)
            )
        }
    }
}

/// A row's tokens, and their duration.
fn at(record: &StudyRecord, row: &Row) -> String {
    let work = work_ns(record, row.tokens).filter(|_| row.tokens > 0);
    tokens(row) + &work.map_or_else(String::new, |took| format!(" ({} of work)", TIME.amount(&Estimate::certain(took))))
}

/// The duration of this many tokens, in nanoseconds; of a runtime's, how much longer its empty operation takes with them.
fn work_ns(record: &StudyRecord, tokens: u64) -> Option<f64> {
    let of_baseline = |tokens: u64| record.cell(CONSUME, tokens, 1)?.time_ns.map(|time| time.estimate);
    match record.study().tokens.as_ref() {
        Some(cost) => Some(cost.ns(tokens as f64)),
        None => Some((of_baseline(tokens)? - of_baseline(0)?).max(0.0)),
    }
}
