use chronoscope_harness::literature::{self, Article, Figure, measure};
use chronoscope_harness::quantity::{PER_SECOND, RATIO, TIME};
use chronoscope_harness::record::study::{Estimate, OperationPart, StudyRecord};
use chronoscope_render::text::{counted, percent, three_digits};

use super::figures::{Figures, claim_over_done, is_more_than_one, stamped_share};
use crate::reading::doubt;
use crate::{Block, Series, Value};

/// The article's CPUs, and the seconds of its set-up and work.
const ARTICLE: (u32, f64, f64) = (2, 0.005, 0.010);

/// A time within this share of another is the same.
const SAME: f64 = 0.1;

pub(super) fn naive(figures: &[Figures]) -> Block {
    let mut block = Block::default();
    for each in figures {
        let Some((threads, part)) = each.oversubscribed().or_else(|| each.full()) else { continue };
        let text = format!(
            "\"{}: {} of work()\" ({})",
            counted(u64::from(threads), "thread", "threads"),
            PER_SECOND.amount(&part.claimed_per_s),
            each.title()
        );
        block.conclude(text).with("claimed_per_s", part.claimed_per_s);
        if each.grows_past_saturation() {
            block.say("\"and it scales: more threads than CPUs do more still\"");
        }
    }
    if block.items.is_empty() {
        block.say("nothing: no loop was measured");
    }
    block
}

pub(super) fn model(record: &StudyRecord, figures: &[Figures]) -> Block {
    let mut block = Block::default();
    for each in figures {
        table(&mut block, each);
        let (Some(ceiling), Some(alone)) = (each.ceiling_per_s, each.alone()) else {
            block.say("one thread was not measured, so the ceiling is not known");
            continue;
        };
        block
            .say(format!(
                "ceiling: {}, the rate of one thread times {}; there an operation takes {} with its set-up, of which {} lie \
                 between the stamps",
                PER_SECOND.amount(&ceiling),
                counted(u64::from(record.cpus()), "CPU", "CPUs"),
                TIME.amount(&inverse_ns(&alone.external_per_s)),
                TIME.amount(&alone.part_ns),
            ))
            .with("ceiling_per_s", ceiling);
        block.conclude(over_report(each, &alone)).with("inflation_alone", claim_over_done(&alone));
        prediction(&mut block, record, each);
        average(&mut block, each);
    }
    block.say(
        "model: with a share f of the time stamped, one thread claims 1/f times what it does. With more threads than CPUs, a \
         thread that loses its CPU between the stamps claims less, one that loses it outside them does not: where threads \
         leave the CPU outside the stamps, as at a yield or in a long set-up, the claim can grow with the threads",
    );
    block
}

/// What the model predicts of the most threads, and whether the claim keeps to it.
fn prediction(block: &mut Block, record: &StudyRecord, each: &Figures) {
    let Some((threads, part)) = each.oversubscribed() else { return };
    let Some([least, most]) = each.predicted(threads, record.cpus()) else { return };
    let claimed = part.claimed_per_s;
    let verdict = match (claimed.high < least.low, claimed.low > most.high) {
        _ if !claimed.has_confidence() => "too few processes to check it",
        (true, _) => "it claims less: a stamped part takes longer than alone, whoever has the CPU",
        (_, true) => "it claims more, which the model does not explain",
        _ if claimed.low < least.low => "the claim's interval reaches below",
        _ if claimed.high > most.high => "the claim's interval reaches above",
        _ => "the claim lies there",
    };
    block
        .say(format!(
            "predicted for {threads} threads: from {}, if waits for a CPU fall between the stamps as often as anywhere, to {}, if none does: \
             {verdict}",
            PER_SECOND.value(least.estimate),
            PER_SECOND.value(most.estimate)
        ))
        .with("predicted_least_per_s", least)
        .with("predicted_most_per_s", most);
}

/// Whether the average time by the stamps tells that threads wait.
fn average(block: &mut Block, each: &Figures) {
    let Some(((threads, over), (full_threads, full))) = each.oversubscribed().zip(each.full()) else { return };
    let Some(grows) = each.average_grows() else { return };
    let verdict = match grows {
        _ if !grows.has_confidence() => "too few processes to say whether it grows",
        _ if grows.low >= 1.0 - SAME && grows.high <= 1.0 + SAME => "it stays the same, and tells of no wait",
        _ if grows.low > 1.0 + SAME => "it grows",
        _ if grows.high < 1.0 - SAME => "it shrinks",
        _ => "whether it grows is inconclusive",
    };
    block
        .say(format!(
            "average time by the stamps: {} with {}, {} with {}: {verdict}",
            TIME.amount(&full.part_ns),
            counted(u64::from(full_threads), "thread", "threads"),
            TIME.amount(&over.part_ns),
            counted(u64::from(threads), "thread", "threads"),
        ))
        .with("average_over_full", grows);
}

fn table(block: &mut Block, each: &Figures) {
    let rows = each.rows.iter().map(|row| match row.part {
        Some(part) => vec![
            Value::text(format!("{}{}", row.threads, if row.oversubscribed { " (more than CPUs)" } else { "" })),
            Value::PerSecond(part.external_per_s),
            Value::PerSecond(part.claimed_per_s),
            Value::or(each.ceiling_per_s.map(|ceiling| Value::plain_per_second(ceiling.estimate)), "not measured"),
            Value::Factor(claim_over_done(&part)),
            Value::Number(part.preemptions_per_iteration),
        ],
        None => vec![Value::text(row.threads.to_string()), Value::or(None, "not measured")],
    });
    let columns = [
        "threads",
        "done, timed outside",
        "claimed by the stamps",
        "ceiling",
        "claim / done",
        "switches per iteration",
    ];
    block.table(each.title(), &columns, rows.collect());
}

/// The claim with more threads than CPUs, and with one.
pub(super) fn over_report(each: &Figures, alone: &OperationPart) -> String {
    let Some((threads, oversubscribed)) = each.oversubscribed() else {
        return "more threads than CPUs were not measured".to_owned();
    };
    let Some(over) = each.over_report(&oversubscribed) else { return "the ceiling is not known".to_owned() };
    let (done, times) = (PER_SECOND.amount(&oversubscribed.external_per_s), RATIO.amount(&over));
    let verdict = if is_more_than_one(&over) {
        format!("{times} what the machine can do; they do {done}")
    } else if over.has_confidence() && over.high <= 1.0 {
        format!("no more than the machine can do ({times} the ceiling)")
    } else if over.has_confidence() {
        format!("{times} the ceiling, which allows no more than the machine can do")
    } else {
        format!("{times} the ceiling{}", doubt(&over))
    };
    format!("{threads} threads claim {}, {verdict}{}", PER_SECOND.amount(&oversubscribed.claimed_per_s), of_one(alone))
}

/// The claim with one thread.
fn of_one(alone: &OperationPart) -> String {
    let found = claim_over_done(alone);
    let claim = format!(". One thread alone claims {} what it does", RATIO.amount(&found));
    match stamped_share(alone) {
        _ if !found.has_confidence() => claim + &doubt(&found),
        _ if !is_more_than_one(&found) => format!("{claim}, which allows no more than it does"),
        Some(share) => {
            let (stamped, factor) = (percent(100.0 * share), three_digits(1.0 / share));
            format!("{claim}, with {stamped} of its mean operation between the stamps (1/f = {factor})")
        }
        None => claim,
    }
}

pub(super) fn published(record: &StudyRecord, figures: &[Figures]) -> Block {
    let mut block = Block::default();
    let (cpus, setup_s, work_s) = ARTICLE;
    // Of the most threads.
    let claimed = literature::of(Article::Nanotrust, measure::CLAIMED).max_by_key(|figure| figure.threads);
    let Some((threads, claimed_per_s)) = claimed.and_then(|figure| figure.threads.zip(figure.number())) else {
        return block;
    };
    let per_cpu = threads / cpus;
    let ours = figures.last().and_then(|each| {
        let (threads, part) = each.measured(true).find(|(threads, _)| *threads == per_cpu * record.cpus())?;
        Some((threads, part, each.over_report(&part)?, each.title()))
    });
    let ours = match ours {
        Some((threads, part, over, title)) => format!(
            "Ours ({title}): {threads} threads on {} claim {}, {} the ceiling",
            counted(u64::from(record.cpus()), "CPU", "CPUs"),
            PER_SECOND.amount(&part.claimed_per_s),
            RATIO.amount(&over)
        ),
        None => format!("Ours: not measured with {per_cpu} threads per CPU"),
    };
    let (of_work, of_both) = (f64::from(cpus) / work_s, f64::from(cpus) / (setup_s + work_s));
    block.conclude(format!(
        "article ({cpus} CPUs, set-up {:.0} ms, work {:.0} ms): {threads} threads claim {claimed_per_s:.0} per second. {cpus} CPUs can \
         do {of_both:.0} with the set-up: the claim is {} times that ceiling; of the work alone {of_work:.0}. {ours}",
        setup_s * 1e3,
        work_s * 1e3,
        three_digits(claimed_per_s / of_both),
    ));
    let rows = jmh().into_iter().map(|(threads, done, claimed)| {
        let ours = figures.first().and_then(|each| each.rows.iter().find(|row| row.threads == threads)?.part);
        let ours = |rate: fn(OperationPart) -> Estimate| {
            Value::or(ours.map(|part| Value::PerSecond(rate(part))), "not measured")
        };
        vec![
            Value::Count(u64::from(threads)),
            Value::plain_per_second(done),
            Value::plain_per_second(claimed),
            ours(|part| part.external_per_s),
            ours(|part| part.claimed_per_s),
        ]
    });
    block.table(
        "Set-up and work of equal length; runs of ours of JMH 1.37 on JDK 25 with 2 CPUs, 24 µs each",
        &["threads", "JMH done", "JMH claimed", "our done", "our claimed"],
        rows.collect(),
    );
    block.say(format!("article: {}; JMH claims by an invocation-level fixture", Article::Nanotrust.cited()));
    block
}

/// What JMH measured with 2 CPUs, of set-up and work of equal length: threads, and operations per second done and claimed.
fn jmh() -> Vec<(u32, f64, f64)> {
    let of = |measure| literature::of(Article::Jmh, measure);
    let row = |done: &Figure| {
        let claimed = of(measure::CLAIMED).find(|claimed| claimed.threads == done.threads)?;
        Some((done.threads?, done.number()?, claimed.number()?))
    };
    of(measure::DONE).filter_map(row).collect()
}

/// Rates by number of threads, done and claimed, that were published of a loop with set-up and work of equal length.
pub(super) fn published_rates() -> [Series; 2] {
    let of = |name: &str, rate: fn(&(u32, f64, f64)) -> f64| {
        Series::published(name, jmh().iter().map(|row| (f64::from(row.0), rate(row))))
    };
    [of("done, JMH 1.37 with 2 CPUs", |row| row.1), of("claimed, JMH 1.37 with 2 CPUs", |row| row.2)]
}

/// The time per operation at this rate.
fn inverse_ns(per_s: &Estimate) -> Estimate {
    let ns = |rate: f64| if rate > 0.0 { 1e9 / rate } else { f64::INFINITY };
    Estimate { estimate: ns(per_s.estimate), low: ns(per_s.high), high: ns(per_s.low), ..*per_s }
}
