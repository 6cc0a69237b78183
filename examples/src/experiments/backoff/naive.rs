use chronoscope_harness::quantity::TIME;
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::text::counted;

use super::cases::{BASELINES, PLAIN, VOLATILE};
use crate::reading::subtracted;
use crate::{Block, Value};

/// An operation minus a baseline, on one thread: its apparent cost to someone who subtracts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Less {
    pub(super) case: &'static str,
    pub(super) baseline: &'static str,
    pub(super) tokens: u64,
    pub(super) ns: Estimate,
}

/// A difference that cannot be a cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Absurdity {
    /// The operation would speed the program up, by more than the interval.
    Negative(Less),
    /// Two baselines give mutually exclusive differences.
    Contradiction(Less, Less),
    /// The operation would speed the program up, but the interval includes zero.
    Vague(Less),
}

/// Plain and volatile minus each baseline at each backoff.
pub(super) fn differences(record: &StudyRecord) -> Vec<Less> {
    let tokens = record.study().plan.backoff_tokens.iter().copied();
    let pairs = tokens.flat_map(|tokens| [(tokens, PLAIN), (tokens, VOLATILE)]);
    let all = pairs.flat_map(|(tokens, case)| BASELINES.map(|baseline| (tokens, case, baseline)));
    let less = |(tokens, case, baseline)| {
        Some(Less { case, baseline, tokens, ns: subtracted(record, case, baseline, tokens)? })
    };
    all.filter_map(less).collect()
}

/// The absurd differences, most certain first.
pub(super) fn absurdities(differences: &[Less]) -> Vec<Absurdity> {
    let negative = |less: &&Less| less.ns.estimate < 0.0;
    let is_sure = |less: &&Less| less.ns.has_confidence() && less.ns.high < 0.0;
    let sure = differences.iter().filter(negative).filter(is_sure).map(|less| Absurdity::Negative(*less));
    let of_one = differences.chunk_by(|a, b| (a.tokens, a.case) == (b.tokens, b.case));
    let contradictions = of_one.filter_map(|baselines| {
        let known = || baselines.iter().filter(|less| less.ns.has_confidence());
        let least = known().min_by(|a, b| a.ns.high.total_cmp(&b.ns.high))?;
        let most = known().max_by(|a, b| a.ns.low.total_cmp(&b.ns.low))?;
        (least.ns.high < most.ns.low).then_some(Absurdity::Contradiction(*least, *most))
    });
    let vague = differences.iter().filter(negative).filter(|less| !is_sure(less)).map(|less| Absurdity::Vague(*less));
    sure.chain(contradictions).chain(vague).collect()
}

pub(super) fn block(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let all = differences(record);
    let rows = record.study().plan.backoff_tokens.iter().map(|tokens| {
        let less = |baseline| {
            let found =
                all.iter().find(|less| (less.case, less.tokens, less.baseline) == (VOLATILE, *tokens, baseline));
            Value::or(found.map(|less| Value::DifferenceNs(less.ns)), "not measured")
        };
        [Value::Count(*tokens)].into_iter().chain(BASELINES.map(less)).collect()
    });
    block.table(
        "volatile v++ less one baseline or another, one thread: what a reader who subtracts takes for its cost",
        &["tokens", "less consume", "less consume, return 42", "less consume, return a field"],
        rows.collect(),
    );
    let found = absurdities(&all);
    block.conclude(headline(record, &all, &found));
    for absurdity in found.iter().filter_map(words).take(3) {
        block.say(absurdity);
    }
    block.say(counts(&found, all.len()));
    block
}

/// How many of `all` differences are absurd.
fn counts(found: &[Absurdity], all: usize) -> String {
    if found.is_empty() {
        return "no subtraction gave a negative or contradictory difference in this run".to_owned();
    }
    let count = |is: fn(&&Absurdity) -> bool| found.iter().filter(is).count();
    let sure = count(|absurdity| matches!(absurdity, Absurdity::Negative(_)));
    let vague = count(|absurdity| matches!(absurdity, Absurdity::Vague(_)));
    let is_known = found.iter().all(|one| !matches!(one, Absurdity::Vague(less) if !less.ns.has_confidence()));
    let how = match (sure, vague) {
        (0, 0) => String::new(),
        (0, _) if !is_known => ", of too few processes to be sure".to_owned(),
        (0, 1) => ", with an interval that includes 0".to_owned(),
        (0, _) => ", with intervals that include 0".to_owned(),
        (1, 0) => ", and so is its whole interval".to_owned(),
        (2.., 0) => ", and so are their whole intervals".to_owned(),
        _ => format!(", {sure} of them with the whole interval"),
    };
    let contradict = match found.len() - sure - vague {
        0 => String::new(),
        times => format!(
            "; {} two baselines contradict each other by more than their intervals",
            counted(times as u64, "time", "times")
        ),
    };
    format!(
        "of the {all} differences on one thread (plain and volatile v++, each less three baselines; the table has those of \
         volatile), {}{how}{contradict}",
        match sure + vague {
            1 => "1 is negative".to_owned(),
            negative => format!("{negative} are negative"),
        }
    )
}

/// The conclusion from subtraction without backoff, and that of the direct comparison.
fn headline(record: &StudyRecord, all: &[Less], found: &[Absurdity]) -> String {
    let is_exposed = |less: &Less| less.case == VOLATILE && less.tokens == 0;
    let exposed: Vec<&Less> = all.iter().filter(|less| is_exposed(less)).collect();
    if exposed.is_empty() {
        return "none: volatile v++ was not measured without backoff".to_owned();
    }
    let verdict = if found.iter().any(|one| matches!(one, Absurdity::Contradiction(less, _) if is_exposed(less))) {
        "the difference depends on the baseline"
    } else if exposed.iter().any(|less| !less.ns.has_confidence()) {
        "from too few processes, so that nothing is told apart"
    } else if exposed.iter().all(|less| less.ns.is_resolved()) {
        "here the baselines agree within their intervals"
    } else {
        "the intervals cannot tell the baselines apart"
    };
    let direct = record.point(VOLATILE, PLAIN, 0, 1).map_or_else(String::new, |point| {
        format!(". Compared directly with plain v++: {}", TIME.signed().difference(&point.difference_ns))
    });
    let less: Vec<String> =
        exposed.iter().map(|less| format!("{} {}", less.name(), TIME.signed().difference(&less.ns))).collect();
    format!("volatile v++ at 0 tokens, {}: {verdict}{direct}", less.join(", "))
}

impl Less {
    /// `less "return 42"`.
    fn name(&self) -> String {
        format!("less \"{}\"", self.baseline.trim_start_matches("baseline: "))
    }
}

/// A certain absurdity, in words.
fn words(absurdity: &Absurdity) -> Option<String> {
    let at = |less: &Less| {
        let tokens = counted(less.tokens, "token", "tokens");
        format!("at {tokens}, {} {} is {}", less.case, less.name(), TIME.signed().difference(&less.ns))
    };
    match absurdity {
        Absurdity::Negative(less) => Some(format!("{}: a negative difference, which is no cost", at(less))),
        Absurdity::Contradiction(one, other) => Some(format!(
            "{}, and {} {}: the intervals exclude each other",
            at(one),
            other.name(),
            TIME.signed().difference(&other.ns)
        )),
        Absurdity::Vague(_) => None,
    }
}
