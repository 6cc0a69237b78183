use chronoscope_measure::record::study::Estimate;

use super::super::conclusions::{Block, Value};
use super::super::reading::Reading;
use super::super::words::{counted, signed_ns};
use super::{BASELINES, PLAIN, VOLATILE};

/// What a baseline subtracted from an operation gives, where no cost can be like that.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Absurdity {
    pub(super) case: &'static str,
    pub(super) tokens: u64,
    pub(super) threads: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// The operation would make the program faster.
    Negative { baseline: &'static str, cost: Estimate, is_sure: bool },
    /// Two baselines give costs that exclude each other.
    Contradiction { one: (&'static str, Estimate), other: (&'static str, Estimate) },
}

/// Everything absurd that subtraction gives at so many threads, the surest first.
pub(super) fn absurdities(record: Reading<'_>, threads: u32) -> Vec<Absurdity> {
    let mut found = Vec::new();
    for tokens in &record.0.plan.backoff_tokens {
        for case in [PLAIN, VOLATILE] {
            let costs: Vec<(&'static str, Estimate)> = BASELINES
                .iter()
                .filter_map(|baseline| Some((*baseline, record.subtracted(case, baseline, *tokens, threads)?)))
                .collect();
            let mut add = |kind| found.push(Absurdity { case, tokens: *tokens, threads, kind });
            for (baseline, cost) in costs.iter().filter(|(_, cost)| cost.estimate < 0.0) {
                let is_sure = cost.confidence > 0.0 && cost.high < 0.0;
                add(Kind::Negative { baseline, cost: *cost, is_sure });
            }
            let known = || costs.iter().filter(|(_, cost)| cost.confidence > 0.0);
            let least = known().min_by(|one, other| one.1.high.total_cmp(&other.1.high));
            let most = known().max_by(|one, other| one.1.low.total_cmp(&other.1.low));
            if let (Some(least), Some(most)) = (least, most)
                && least.1.high < most.1.low
            {
                add(Kind::Contradiction { one: *least, other: *most });
            }
        }
    }
    found.sort_by_key(|absurdity| match absurdity.kind {
        Kind::Negative { is_sure: true, .. } => 0,
        Kind::Contradiction { .. } => 1,
        Kind::Negative { .. } => 2,
    });
    found
}

pub(super) fn block(record: Reading<'_>) -> Block {
    let mut block = Block::default();
    let rows = record.0.plan.backoff_tokens.iter().map(|tokens| {
        let cost = |baseline: &str| {
            let cost = record.subtracted(VOLATILE, baseline, *tokens, 1);
            cost.map_or_else(|| Value::Missing("not measured".to_owned()), Value::DifferenceNs)
        };
        let mut row = vec![Value::Count(*tokens)];
        row.extend(BASELINES.map(cost));
        row
    });
    block.table(
        "\"The cost of volatile v++\" by subtracting one baseline or another, one thread",
        &["tokens", "− consume", "− consume, return 42", "− consume, return a field"],
        rows.collect(),
    );
    let found = absurdities(record, 1);
    block.conclude(cost(record, &found));
    for absurdity in found.iter().take(3) {
        block.say(words(absurdity));
    }
    let sure = found.iter().filter(|absurdity| absurdity.is_sure()).count();
    block.say(match (sure, found.len() - sure) {
        (0, 0) => "no subtraction gave a negative or contradictory cost in this run; that they agree today is luck".to_owned(),
        (0, vague) => format!("{vague} costs come out negative, none of them surely so: the noise of two cells is in each"),
        (sure, vague) => format!(
            "altogether {sure} of the costs that subtraction gives are surely negative or exclude each other, and {vague} more come \
             out negative within noise"
        ),
    });
    block
}

/// What a reader who subtracts says at no backoff.
fn cost(record: Reading<'_>, found: &[Absurdity]) -> String {
    let costs: Vec<Estimate> =
        BASELINES.iter().filter_map(|baseline| record.subtracted(VOLATILE, baseline, 0, 1)).collect();
    let contradicts = |absurdity: &Absurdity| {
        absurdity.case == VOLATILE && absurdity.tokens == 0 && matches!(absurdity.kind, Kind::Contradiction { .. })
    };
    match costs.as_slice() {
        [] => "nothing: volatile v++ was not measured without backoff".to_owned(),
        costs if found.iter().any(contradicts) => {
            let costs: Vec<String> = costs.iter().map(signed_ns).collect();
            format!("\"volatile v++ costs {}\": it depends on which baseline is asked", costs.join(", or "))
        }
        [first, ..] => format!(
            "\"volatile v++ costs {}\", whatever is around it: without backoff the baselines agree within their intervals",
            signed_ns(first)
        ),
    }
}

impl Absurdity {
    /// Whether it is more than noise.
    pub(super) fn is_sure(&self) -> bool {
        !matches!(self.kind, Kind::Negative { is_sure: false, .. })
    }
}

fn words(absurdity: &Absurdity) -> String {
    let Absurdity { case, .. } = absurdity;
    let tokens = counted(absurdity.tokens, "token", "tokens");
    match &absurdity.kind {
        Kind::Negative { baseline, cost, is_sure: true } => {
            format!("at {tokens}, {case} less \"{baseline}\" is {}: less than nothing, and surely so", signed_ns(cost))
        }
        Kind::Negative { baseline, cost, is_sure: false } => {
            format!("at {tokens}, {case} less \"{baseline}\" is {}: less than nothing, within noise", signed_ns(cost))
        }
        Kind::Contradiction { one, other } => format!(
            "at {tokens}, {case} costs {} by \"{}\" and {} by \"{}\": the intervals exclude each other",
            signed_ns(&one.1),
            one.0,
            signed_ns(&other.1),
            other.0
        ),
    }
}
