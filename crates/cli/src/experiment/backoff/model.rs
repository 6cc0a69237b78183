use chronoscope_measure::record::study::{CostShape, Difference, Estimate};

use super::super::conclusions::{Block, Statement, Value};
use super::super::reading::{Reading, why_no_time};
use super::super::words::{certain, counted, ns, signed_ns};
use super::{PLAIN, PLAIN_SHARED, VOLATILE, VOLATILE_SHARED};

/// A cost below this share of the operation's time, backoff included, is amortised.
pub(super) const AMORTISED_SHARE: f64 = 0.05;

/// From where on a cost does not matter, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amortised {
    /// From here on all of its interval lies below [`AMORTISED_SHARE`].
    pub(super) below_share_from: Option<u64>,
    /// From here on the run cannot tell it from nothing, or it lies within the margin.
    pub(super) below_noise_from: Option<u64>,
}

/// Where `case` stops costing more than `baseline`, so that it also does at every larger backoff.
pub(super) fn amortised(record: Reading<'_>, case: &str, baseline: &str, threads: u32) -> Amortised {
    let Some(comparison) = record.comparison(case, baseline, threads) else { return Amortised::default() };
    let mut found = Amortised::default();
    let (mut share_holds, mut noise_holds) = (true, true);
    for point in comparison.points.iter().rev() {
        let time = record.time(case, point.backoff_tokens, threads).map(|time| time.estimate);
        let known = point.difference_ns.confidence > 0.0;
        share_holds &= known && time.is_some_and(|time| point.difference_ns.high <= AMORTISED_SHARE * time);
        noise_holds &= known && (point.verdict == Difference::Same || point.difference_ns.holds(0.0));
        if share_holds {
            found.below_share_from = Some(point.backoff_tokens);
        }
        if noise_holds {
            found.below_noise_from = Some(point.backoff_tokens);
        }
    }
    found
}

pub(super) fn block(record: Reading<'_>) -> Block {
    let mut block = Block::default();
    let mut threads = record.0.plan.threads.clone();
    threads.dedup();
    for threads in &threads {
        let title =
            format!("Compared directly, {}", counted(u64::from(*threads), "thread", "threads, each its own field"));
        curve(&mut block, record, &title, (VOLATILE, PLAIN), *threads);
        says(&mut block, record, (VOLATILE, PLAIN), *threads);
    }
    if let Some(most) = threads.last().copied().filter(|threads| *threads > 1) {
        curve(
            &mut block,
            record,
            &format!("Compared directly, {most} threads, one field on one cache line"),
            (VOLATILE_SHARED, PLAIN_SHARED),
            most,
        );
        contention(&mut block, record, most);
    }
    block
}

fn curve(block: &mut Block, record: Reading<'_>, title: &str, (case, baseline): (&str, &str), threads: u32) {
    let Some(comparison) = record.comparison(case, baseline, threads) else { return };
    let rows = comparison.points.iter().map(|point| {
        let tokens = point.backoff_tokens;
        let time = |case| plain_time(record, case, tokens, threads);
        let share = record.time(case, tokens, threads).map(|time| 100.0 * point.difference_ns.estimate / time.estimate);
        vec![
            Value::Count(tokens),
            record.tokens_ns(tokens).map_or_else(|| Value::Missing("–".to_owned()), Value::PlainNs),
            time(baseline),
            time(case),
            Value::DifferenceNs(point.difference_ns),
            share.map_or_else(|| Value::Missing("–".to_owned()), Value::Percent),
            Value::text(verdict(point.verdict)),
        ]
    });
    let columns = ["tokens", "of work", "plain", "volatile", "difference", "of the time", "volatile is"];
    block.table(title, &columns, rows.collect());
}

/// The time of a cell without its interval, which the difference beside it has; or why there is none.
pub(super) fn plain_time(record: Reading<'_>, case: &str, tokens: u64, threads: u32) -> Value {
    let cell = record.cell(case, tokens, threads);
    let time = cell.and_then(|cell| cell.time_ns);
    time.map_or_else(|| Value::Missing(why_no_time(cell)), |time| Value::PlainNs(time.estimate))
}

fn verdict(verdict: Difference) -> &'static str {
    match verdict {
        Difference::Faster => "faster",
        Difference::Slower => "slower",
        Difference::Same => "the same within the margin",
        Difference::Unresolved => "not told apart",
    }
}

/// The model in a sentence or two.
fn says(block: &mut Block, record: Reading<'_>, (case, baseline): (&str, &str), threads: u32) {
    let Some(comparison) = record.comparison(case, baseline, threads) else { return };
    let who = counted(u64::from(threads), "thread", "threads");
    if let Some(model) = &comparison.model {
        let text = match model.shape {
            CostShape::Hidden => {
                let past = model.hidden_past_tokens.map_or_else(String::new, |tokens| {
                    let ns = model.hidden_past_ns.map_or_else(String::new, |past| format!(", {} of work", ns(&past)));
                    format!(" past {:.0} tokens ({:.0} … {:.0}{ns})", tokens.estimate, tokens.low, tokens.high)
                });
                format!(
                    "{who}: volatile costs {} exposed; independent work hides it, and {} is left{past}",
                    signed_ns(&model.exposed_ns),
                    signed_ns(&model.residual_ns)
                )
            }
            CostShape::Constant => {
                format!("{who}: volatile costs {}, however much work is done", signed_ns(&model.exposed_ns))
            }
            CostShape::Growing => format!(
                "{who}: volatile costs {} exposed and {} at the largest backoff: it grows, as contention does",
                signed_ns(&model.exposed_ns),
                signed_ns(&model.residual_ns)
            ),
            CostShape::Unresolved => format!(
                "{who}: volatile costs {} exposed; what work does to it could not be told in this run",
                signed_ns(&model.exposed_ns)
            ),
        };
        let statement: &mut Statement = block.conclude(text);
        statement.with("exposed_ns", model.exposed_ns).with("residual_ns", model.residual_ns);
    }
    let found = amortised(record, case, baseline, threads);
    match found.below_share_from {
        Some(tokens) => {
            let text =
                format!("{who}: from {} on it is below 5 % of the operation's time, work included", at(record, tokens));
            block.conclude(text).with("below_5_pct_from_tokens", certain(tokens as f64));
        }
        None => {
            block.say(format!(
                "{who}: at no backoff of this run is all of its interval below 5 % of the operation's time"
            ));
        }
    }
    match found.below_noise_from {
        Some(tokens) => {
            let text = format!("{who}: from {} on it is below the noise or within the margin", at(record, tokens));
            block.say(text).with("below_noise_from_tokens", certain(tokens as f64));
        }
        None => {
            block.say(format!("{who}: at the largest backoff of this run it still stands out of the noise"));
        }
    }
}

fn contention(block: &mut Block, record: Reading<'_>, threads: u32) {
    let Some(comparison) = record.comparison(VOLATILE_SHARED, PLAIN_SHARED, threads) else { return };
    let ends = comparison.points.first().zip(comparison.points.last());
    let Some((first, last)) = ends else { return };
    let (from, to) = (&first.difference_ns, &last.difference_ns);
    let found = amortised(record, VOLATILE_SHARED, PLAIN_SHARED, threads);
    let ends = format!(
        "{} at {}, {} at {}",
        signed_ns(from),
        counted(first.backoff_tokens, "token", "tokens"),
        signed_ns(to),
        counted(last.backoff_tokens, "token", "tokens")
    );
    let is_known = from.confidence > 0.0 && to.confidence > 0.0;
    let text = match found.below_share_from {
        Some(tokens) => format!("on one line it is amortised from {} on, too: {ends}", at(record, tokens)),
        None if is_known && to.low > from.high => format!(
            "on one line it is not amortised, it grows: {ends}. Work between writes does not hide contention, it gives the other \
             thread time to take the line"
        ),
        None if is_known && to.low > 0.0 => {
            format!("on one line it is not amortised: {ends}. Work between writes does not hide contention")
        }
        None => format!("on one line this run cannot tell what work does to it: {ends}"),
    };
    block.conclude(text).with("exposed_ns", *from).with("at_largest_backoff_ns", *to);
}

/// So many tokens, and what they take.
fn at(record: Reading<'_>, tokens: u64) -> String {
    let tokens_ns: Option<Estimate> = record.tokens_ns(tokens).map(certain);
    let words = counted(tokens, "token", "tokens");
    tokens_ns.map_or(words.clone(), |took| format!("{words} ({} of work)", ns(&took)))
}
