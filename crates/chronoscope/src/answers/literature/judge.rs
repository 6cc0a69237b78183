//! What documents say of a claim.

use chronoscope_harness::literature::Figure;
use chronoscope_harness::quantity::{PER_SECOND, PERCENT, RATIO, TIME, count, three_digits};
use chronoscope_harness::record::Estimate;
use serde_json::Value;

use super::claim::{Claim, Is, Unit, claims};
use super::place::at;
use super::report::{ClaimState, JudgedClaim};

/// What a document holds at a place.
enum Found {
    Number(Estimate),
    Other(String),
}

/// All claims, judged by these documents of one machine.
pub fn judged(documents: &[Value]) -> Vec<JudgedClaim> {
    claims().iter().filter_map(|claim| judge(claim, documents)).collect()
}

fn judge(claim: &Claim, documents: &[Value]) -> Option<JudgedClaim> {
    let article = claim.article()?;
    let published = claim.published();
    let plan = claim.plan();
    let first = published.first().copied();
    let reference =
        first.and_then(|figure| figure.ns().or_else(|| figure.number())).filter(|_| claim.agrees.factor.is_some());
    let mut judged = JudgedClaim {
        id: claim.id.clone(),
        article: article.cited(),
        says: claim.says.clone(),
        command: plan.map(|plan| plan.command.clone()),
        field: plan.map(|_| field(claim)),
        predicate: claim.agrees.said(),
        published: published.iter().map(|figure| told(figure)).collect(),
        reference,
        ratio: None,
        ours: None,
        ours_said: None,
        state: ClaimState::Missing,
        reason: claim.because.clone(),
    };
    let lacks = claim.needs.as_deref().and_then(|needs| lacking(needs, documents));
    let Some(plan) = plan else {
        if let Some(lacks) = lacks {
            (judged.state, judged.reason) = (ClaimState::Needs, Some(lacks));
        }
        return Some(judged);
    };
    let written: Vec<&Value> = documents.iter().filter(|document| document["command"] == *plan.writes).collect();
    let found = written.iter().find_map(|document| found(claim, document));
    match (found, lacks) {
        (Some(found), _) => conclude(claim, first, found, &mut judged),
        (None, Some(lacks)) => (judged.state, judged.reason) = (ClaimState::Needs, Some(lacks)),
        (None, None) if written.is_empty() => (judged.state, judged.reason) = (ClaimState::NotRun, None),
        (None, None) => (judged.state, judged.reason) = (ClaimState::Unknown, None),
    }
    Some(judged)
}

fn field(claim: &Claim) -> String {
    claim.over.as_ref().map_or_else(|| claim.at.clone(), |over| format!("{} over {over}", claim.at))
}

/// A figure, with what tells it from the others of its claim.
fn told(figure: &Figure) -> String {
    let at = if figure.at.is_empty() { String::new() } else { format!(" at {}", figure.at) };
    format!("{}{at}", figure.said())
}

fn found(claim: &Claim, document: &Value) -> Option<Found> {
    let value = at(document, &claim.at)?;
    let Some(number) = number(value) else { return Some(Found::Other(text(value))) };
    let Some(over) = &claim.over else { return Some(Found::Number(number)) };
    let ratio = number.over(&self::number(at(document, over)?)?)?;
    Some(Found::Number(if claim.unit == Some(Unit::Percent) { in_percent(ratio) } else { ratio }))
}

fn in_percent(ratio: Estimate) -> Estimate {
    let Estimate { estimate, low, high, confidence } = ratio;
    Estimate { estimate: 100.0 * estimate, low: 100.0 * low, high: 100.0 * high, confidence }
}

/// A number, or an estimate with its interval.
fn number(value: &Value) -> Option<Estimate> {
    match value.as_f64() {
        Some(number) => Some(Estimate::certain(number)),
        None => serde_json::from_value(value.clone()).ok(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => "there".to_owned(),
        other => other.to_string(),
    }
}

fn conclude(claim: &Claim, first: Option<&Figure>, found: Found, judged: &mut JudgedClaim) {
    let is_wanted = |seen: &str| claim.agrees.is.as_ref().is_none_or(|wanted| wanted.said() == seen);
    match found {
        Found::Other(seen) => {
            judged.state = if is_wanted(&seen) { ClaimState::Agreed } else { ClaimState::Differs };
            judged.ours_said = Some(seen);
        }
        Found::Number(ours) => {
            let bounds = claim.agrees.bounds(judged.reference);
            let is_number = claim.agrees.is.as_ref().is_none_or(|is| *is == Is::Number(ours.estimate));
            judged.state = match bounds {
                _ if !is_number => ClaimState::Differs,
                None => ClaimState::Agreed,
                Some([low, high]) => within(&ours, low, high),
            };
            judged.ours_said = Some(said(claim, first, &ours));
            let ratio = judged.reference.and_then(|reference| ours.over(&Estimate::certain(reference)));
            judged.ratio = ratio.filter(|ratio| ratio.low > 0.0 && ratio.high.is_finite());
            judged.ours = Some(ours);
        }
    }
    if judged.state == ClaimState::Agreed {
        judged.reason = None;
        // What is only looked for agrees with nothing.
        if claim.agrees.there {
            judged.state = ClaimState::Shown;
        }
    }
}

fn within(ours: &Estimate, low: f64, high: f64) -> ClaimState {
    match (low <= ours.low && ours.high <= high, ours.high < low || ours.low > high) {
        // Too few processes for a verdict.
        _ if !ours.has_confidence() => ClaimState::Inconclusive,
        (true, _) => ClaimState::Agreed,
        (_, true) => ClaimState::Differs,
        _ => ClaimState::Inconclusive,
    }
}

fn said(claim: &Claim, first: Option<&Figure>, ours: &Estimate) -> String {
    let of_figure = || match first {
        Some(figure) if figure.ns().is_some() => Unit::Time,
        Some(figure) if figure.unit == "per second" => Unit::PerSecond,
        Some(figure) if figure.unit == "%" => Unit::Percent,
        _ => Unit::Count,
    };
    let unit = claim.unit.unwrap_or_else(of_figure);
    let quantity = match unit {
        Unit::Time => TIME,
        Unit::Ratio => RATIO,
        Unit::PerSecond => PER_SECOND,
        Unit::Percent => PERCENT,
        // A float-to-int cast saturates.
        Unit::Count if ours.estimate.fract() == 0.0 && ours.estimate >= 0.0 => return count(ours.estimate as u64),
        Unit::Count => return three_digits(ours.estimate),
    };
    if ours.has_interval() && ours.confidence < 1.0 { quantity.amount(ours) } else { quantity.value(ours.estimate) }
}

/// What these documents' machine lacks of what a claim needs; None if it lacks nothing, or is not known.
fn lacking(needs: &str, documents: &[Value]) -> Option<String> {
    let machine = documents.first().map(|document| &document["machine"]);
    let (kind, wanted) = needs.split_once(' ').unwrap_or((needs, ""));
    match kind {
        "system" => {
            let is_other = machine?["kernel"]["name"] != wanted;
            is_other.then(|| wanted.to_owned())
        }
        "clocksource" => {
            let is_other = machine?["clocksource"]["current"] != wanted;
            is_other.then(|| format!("the clocksource {wanted}"))
        }
        "cpus" => {
            let cpus = machine?["cpu"]["allowed"].as_array()?.len();
            (cpus < wanted.parse().unwrap_or(0)).then(|| format!("{wanted} CPUs"))
        }
        "runtime" => {
            let place = format!("runtimes/report/kind={wanted}/available");
            let has_it = |document: &Value| at(document, &place).is_some_and(|found| *found == true);
            let looked = documents.iter().any(|document| at(document, &place).is_some());
            (looked && !documents.iter().any(has_it)).then(|| wanted.to_owned())
        }
        _ => Some(needs.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn java(latency: Value) -> Value {
        let clocks = json!([{ "name": "System.nanoTime", "latency_ns": latency }]);
        let report = json!([{ "kind": "java", "available": true, "clocks": clocks }]);
        json!({ "command": "runtimes", "machine": { "kernel": { "name": "Linux" } },
                "content": { "sections": { "runtimes": { "report": report } } } })
    }

    fn of(id: &str, says: &str, documents: &[Value]) -> JudgedClaim {
        let is_it = |claim: &JudgedClaim| claim.id == id && claim.says.contains(says);
        judged(documents).into_iter().find(is_it).unwrap_or_else(|| panic!("{id}: {says}"))
    }

    fn latency(low: f64, estimate: f64, high: f64) -> Value {
        json!({ "estimate": estimate, "low": low, "high": high, "confidence": 0.999 })
    }

    #[test]
    fn the_whole_interval_decides() {
        let state = |found: Value| of("N12", "one thread", &[java(found)]).state;
        assert_eq!(state(latency(20.0, 21.0, 22.0)), ClaimState::Agreed);
        assert_eq!(state(latency(200.0, 210.0, 220.0)), ClaimState::Differs);
        assert_eq!(state(latency(20.0, 40.0, 90.0)), ClaimState::Inconclusive);
        assert_eq!(state(json!(null)), ClaimState::Unknown);
        let agreed = of("N12", "one thread", &[java(latency(20.0, 21.0, 22.0))]);
        assert_eq!(
            (agreed.published.as_slice(), agreed.reference),
            (["25.542 ± 0.024 ns".to_owned()].as_slice(), Some(25.542))
        );
        assert_eq!(agreed.ours_said.as_deref(), Some("21.0 ns ± 1.0"));
        assert_eq!(agreed.command.as_deref(), Some("runtimes"));
    }

    #[test]
    fn what_nobody_ran_and_what_a_machine_lacks_are_told_apart() {
        assert_eq!(of("N12", "one thread", &[]).state, ClaimState::NotRun);
        let windows = of("N18", "", &[java(json!(1.0))]);
        assert_eq!((windows.state, windows.reason.as_deref()), (ClaimState::Needs, Some("Windows")));
    }

    #[test]
    fn what_is_only_looked_for_does_not_agree() {
        let charts = json!([{ "topic": "call_times", "panels": [1] }]);
        let document = json!({ "command": "experiment fibonacci", "content": { "experiment": { "charts": charts } } });
        assert_eq!(of("N38", "", &[document]).state, ClaimState::Shown);
    }

    #[test]
    fn nothing_that_documents_hold_can_make_it_panic() {
        for odd in [json!(null), json!([]), json!({ "command": 7 }), json!({ "command": "runtimes", "content": [1] })] {
            assert_eq!(judged(&[odd]).len(), claims().len());
        }
    }
}
