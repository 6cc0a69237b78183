use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::estimate::signed_ns;
use chronoscope_render::text::counted;

use super::{BASELINES, PLAIN, VOLATILE};
use crate::reading::subtracted;
use crate::{Block, Value};

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
    /// Two baselines give differences that exclude each other.
    Contradiction { one: (&'static str, Estimate), other: (&'static str, Estimate) },
}

/// Everything absurd that subtraction gives at so many threads, the surest first.
pub(super) fn absurdities(record: &StudyRecord, threads: u32) -> Vec<Absurdity> {
    let mut found = Vec::new();
    for tokens in &record.plan.backoff_tokens {
        for case in [PLAIN, VOLATILE] {
            let costs: Vec<(&'static str, Estimate)> = BASELINES
                .iter()
                .filter_map(|baseline| Some((*baseline, subtracted(record, case, baseline, *tokens, threads)?)))
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

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let rows = record.plan.backoff_tokens.iter().map(|tokens| {
        let difference = |baseline: &str| {
            let found = subtracted(record, VOLATILE, baseline, *tokens, 1);
            found.map_or_else(|| Value::Missing("not measured".to_owned()), Value::DifferenceNs)
        };
        let mut row = vec![Value::Count(*tokens)];
        row.extend(BASELINES.map(difference));
        row
    });
    block.table(
        "volatile v++ less one baseline or another, one thread: what a reader who subtracts takes for its cost",
        &["tokens", "less consume", "less consume, return 42", "less consume, return a field"],
        rows.collect(),
    );
    let found = absurdities(record, 1);
    block.conclude(headline(record, &found));
    for absurdity in found.iter().filter(|absurdity| absurdity.is_sure()).take(3) {
        block.say(words(absurdity));
    }
    block.say(counts(&found, subtractions(record, 1)));
    block
}

/// How many differences [`absurdities`] looks at: plain and volatile less each baseline, at each backoff.
fn subtractions(record: &StudyRecord, threads: u32) -> usize {
    let of = |case, tokens: u64| {
        let known = |baseline: &&&str| subtracted(record, case, baseline, tokens, threads).is_some();
        BASELINES.iter().filter(known).count()
    };
    record.plan.backoff_tokens.iter().map(|tokens| of(PLAIN, *tokens) + of(VOLATILE, *tokens)).sum()
}

/// How many of `all` differences are absurd.
fn counts(found: &[Absurdity], all: usize) -> String {
    let negative = |sure: bool| {
        let is = |one: &&Absurdity| matches!(one.kind, Kind::Negative { is_sure, .. } if is_sure == sure);
        found.iter().filter(is).count()
    };
    let (sure, vague) = (negative(true), negative(false));
    let contradictions = found.len() - sure - vague;
    if found.is_empty() {
        return "no subtraction gave a negative or contradictory difference in this run".to_owned();
    }
    let of_all = format!(
        "of the {all} differences on one thread (plain and volatile v++, each less three baselines; the table has those of \
         volatile), {} are negative",
        sure + vague
    );
    let how = match sure {
        _ if sure + vague == 0 => String::new(),
        0 => ", none of them for sure".to_owned(),
        sure if vague == 0 && sure > 1 => ", all of them by more than their intervals".to_owned(),
        sure => format!(", {sure} of them by more than their intervals"),
    };
    match contradictions {
        0 => of_all + &how,
        times => format!(
            "{of_all}{how}; {} two baselines contradict each other by more than their intervals",
            counted(times as u64, "time", "times")
        ),
    }
}

/// What a reader who subtracts says at no backoff, and what the direct comparison says there.
fn headline(record: &StudyRecord, found: &[Absurdity]) -> String {
    let differences: Vec<(&str, Estimate)> = BASELINES
        .iter()
        .filter_map(|baseline| Some((*baseline, subtracted(record, VOLATILE, baseline, 0, 1)?)))
        .collect();
    let contradicts = |absurdity: &Absurdity| {
        absurdity.case == VOLATILE && absurdity.tokens == 0 && matches!(absurdity.kind, Kind::Contradiction { .. })
    };
    if differences.is_empty() {
        return "nothing: volatile v++ was not measured without backoff".to_owned();
    }
    let less: Vec<String> = differences
        .iter()
        .map(|(baseline, less)| format!("less \"{}\" {}", short(baseline), signed_ns(less)))
        .collect();
    let verdict = if found.iter().any(contradicts) {
        "the difference depends on the baseline"
    } else if differences.iter().any(|(_, less)| less.confidence <= 0.0) {
        "a single process has no interval, so nothing is told apart"
    } else if differences.iter().all(|(_, less)| less.is_resolved()) {
        "here the baselines agree within their intervals"
    } else {
        "the intervals cannot tell the baselines apart"
    };
    let direct = record.point(VOLATILE, PLAIN, 0, 1).map_or_else(String::new, |point| {
        format!(". Compared directly with plain v++: {}", signed_ns(&point.difference_ns))
    });
    format!("volatile v++ at 0 tokens, {}: {verdict}{direct}", less.join(", "))
}

/// A baseline without the word.
fn short(baseline: &str) -> &str {
    baseline.trim_start_matches("baseline: ")
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
        Kind::Negative { baseline, cost, is_sure } => {
            let within = if *is_sure { "" } else { ", within noise" };
            format!(
                "at {tokens}, {case} less \"{}\" is {}: a negative difference{within}, which is no cost",
                short(baseline),
                signed_ns(cost)
            )
        }
        Kind::Contradiction { one, other } => format!(
            "at {tokens}, {case} less \"{}\" is {}, and less \"{}\" {}: the intervals exclude each other",
            short(one.0),
            signed_ns(&one.1),
            short(other.0),
            signed_ns(&other.1)
        ),
    }
}
