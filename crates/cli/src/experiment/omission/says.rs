use chronoscope_measure::record::study::Estimate;

use super::super::conclusions::{Block, Value};
use super::super::reading::Reading;
use super::super::words::{counted, factor, ns, per_second};
use super::figures::Figures;

/// The article: 2 CPUs, work 10 ms, set-up 5 ms; 4 threads, and the operations per second that the stamps claim, and those
/// that 2 CPUs can do of the work alone.
const ARTICLE: (u32, f64, f64) = (4, 400.0, 200.0);
/// JMH 1.37 on JDK 25 with 2 CPUs, set-up and work alike in microseconds: threads, external, per part, per second.
const JMH: [(u32, f64, f64); 4] =
    [(1, 21_300.0, 41_600.0), (2, 33_200.0, 84_000.0), (4, 43_000.0, 87_000.0), (8, 35_700.0, 74_500.0)];

pub(super) fn naive(figures: &[Figures]) -> Block {
    let mut block = Block::default();
    for each in figures {
        let Some((threads, part)) = each.crowded().or_else(|| each.full()) else { continue };
        let text = format!("\"{threads} threads do {} of work()\" ({})", per_second(&part.claimed_per_s), each.name);
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

pub(super) fn model(record: Reading<'_>, figures: &[Figures]) -> Block {
    let mut block = Block::default();
    for each in figures {
        table(&mut block, each);
        let (Some(ceiling), Some(alone)) = (each.ceiling_per_s, each.alone()) else {
            block.say("one thread was not measured, so the ceiling is not known");
            continue;
        };
        block
            .say(format!(
                "ceiling: {} with {}, at {} for an operation with its set-up, of which {} lie between the stamps",
                per_second(&ceiling),
                counted(u64::from(record.cpus()), "CPU", "CPUs"),
                ns(&inverse_ns(&alone.external_per_s)),
                ns(&alone.part_ns),
            ))
            .with("ceiling_per_s", ceiling);
        block.conclude(over_report(each)).with("inflation_alone", alone.inflation);
    }
    block.say(
        "law: a thread loses its CPU between the stamps in proportion to the timed share f, so that the claim is 1/f times \
         what is done; where the untimed part gives the CPU away, or f is so small that it is hardly hit, the claim grows \
         with the threads",
    );
    block
}

fn table(block: &mut Block, each: &Figures) {
    let missing = || Value::Missing("not measured".to_owned());
    let rows = each.rows.iter().map(|row| match row.part {
        Some(part) => vec![
            Value::text(format!("{}{}", row.threads, if row.oversubscribed { " (more than CPUs)" } else { "" })),
            Value::PerSecond(part.external_per_s),
            Value::PerSecond(part.claimed_per_s),
            each.ceiling_per_s.map_or_else(missing, |ceiling| Value::PlainPerSecond(ceiling.estimate)),
            Value::Factor(part.inflation),
            Value::Number(part.preemptions_per_visit),
        ],
        None => vec![Value::text(row.threads.to_string()), missing()],
    });
    let columns = ["threads", "done, timed outside", "claimed by the stamps", "ceiling", "claim / done", "CPU lost"];
    block.table(each.name, &columns, rows.collect());
}

fn over_report(each: &Figures) -> String {
    let (Some((threads, crowded)), Some(over)) = (each.crowded(), each.over_report()) else {
        return "more threads than CPUs were not measured".to_owned();
    };
    let share = each.alone().map_or(0.0, |alone| alone.timed_share * 100.0);
    let alone = each.alone().map_or_else(String::new, |alone| {
        format!(
            "; already one thread claims {} times what it does, for {share:.0} % of its time is stamped",
            factor(&alone.inflation)
        )
    });
    if over.low > 1.0 {
        format!(
            "{threads} threads claim {}, {} times what the machine can do; they do {}{alone}",
            per_second(&crowded.claimed_per_s),
            factor(&over),
            per_second(&crowded.external_per_s)
        )
    } else {
        format!(
            "{threads} threads claim {}, which is not surely more than the machine can do in this run ({} times){alone}",
            per_second(&crowded.claimed_per_s),
            factor(&over)
        )
    }
}

pub(super) fn published(record: Reading<'_>, figures: &[Figures]) -> Block {
    let mut block = Block::default();
    let (threads, claimed, possible) = ARTICLE;
    let ours = figures.last().and_then(|each| Some((each.crowded()?, each.over_report()?, each.name)));
    let ours = match ours {
        Some(((threads, part), over, name)) => format!(
            "ours ({name}): {threads} threads on {} claim {}, {} times the ceiling",
            counted(u64::from(record.cpus()), "CPU", "CPUs"),
            per_second(&part.claimed_per_s),
            factor(&over)
        ),
        None => "ours: not measured with more threads than CPUs".to_owned(),
    };
    block.conclude(format!(
        "article (2 CPUs, work 10 ms, set-up 5 ms): {threads} threads \"reach\" {claimed:.0} per second where {possible:.0} is \
         all that 2 CPUs can do of the work, {:.0} times; {ours}",
        claimed / possible
    ));
    let rows = JMH.iter().map(|(threads, external, claimed)| {
        let ours = figures.first().and_then(|each| each.rows.iter().find(|row| row.threads == *threads)?.part);
        let missing = || Value::Missing("not measured".to_owned());
        vec![
            Value::Count(u64::from(*threads)),
            Value::PlainPerSecond(*external),
            Value::PlainPerSecond(*claimed),
            ours.map_or_else(missing, |part| Value::PerSecond(part.external_per_s)),
            ours.map_or_else(missing, |part| Value::PerSecond(part.claimed_per_s)),
        ]
    });
    block.table(
        "Set-up and work alike in microseconds, beside JMH 1.37 on JDK 25 with 2 CPUs",
        &["threads", "JMH done", "JMH claimed", "our done", "our claimed"],
        rows.collect(),
    );
    block.say("article: A. Shipilëv, \"Nanotrusting the Nanotime\", 2014; JMH claims by an invocation-level fixture");
    block
}

/// The time of one at so many per second.
fn inverse_ns(per_s: &Estimate) -> Estimate {
    let ns = |rate: f64| if rate > 0.0 { 1e9 / rate } else { f64::INFINITY };
    Estimate { estimate: ns(per_s.estimate), low: ns(per_s.high), high: ns(per_s.low), ..*per_s }
}
