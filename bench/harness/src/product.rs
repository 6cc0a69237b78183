//! The product, run as its users run it: one clock in three ways, and all clocks over threads and work.

use bench_common::process::{all, document};
use bench_common::value::by_name;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_harness::record::Estimate;
use serde_json::Value as Json;

/// The clock, and the probe's call that reads it.
const CLOCK: &str = "CLOCK_MONOTONIC";
const CALL: &str = "clock_gettime(CLOCK_MONOTONIC)";
/// An interval of less confidence shows no agreement.
const CONFIDENCE: f64 = 0.999;
const WAYS: [&str; 3] = ["check", "scaling, 1 thread, no work", "the C probe"];

pub(crate) fn one_clock(run: &Run, section: &mut Section) -> Result<(), Failure> {
    // A failed run does not abort the others.
    let all = run.repeat("one clock", 20, 1, |_| Ok(in_three_ways(run)))?;
    let runs: Vec<[Estimate; 3]> = all.iter().flatten().map(|(ways, _)| *ways).collect();
    let mut table = Table::new(1, &format!("{CLOCK} | claimed ns | ± % | confidence %"));
    for (at, way) in WAYS.into_iter().enumerate() {
        let of = |value: fn(&Estimate) -> f64| Value::extremes(runs.iter().map(move |run| value(&run[at])), 3);
        let half_width = of(|way| way.half_width() / way.estimate * 100.0);
        table.row([way.into(), of(|way| way.estimate), half_width, of(|way| way.confidence * 100.0)]);
    }
    section.table(table);
    // A run that failed shows no agreement.
    let agree = all
        .iter()
        .map(|run| run.as_ref().is_ok_and(|(ways, turn_ns)| apart_ns(ways) <= *turn_ns && are_confident(ways)));
    let columns = "agree within a turn | intervals apart, turns | share a value | all have 99.9 % | runs that failed";
    let mut table = Table::new(0, columns);
    table.row([
        Value::count(agree),
        Value::extremes(all.iter().flatten().map(|(ways, turn_ns)| apart_ns(ways) / turn_ns), 2),
        Value::count(runs.iter().map(|ways| apart_ns(ways) == 0.0)),
        Value::count(runs.iter().map(are_confident)),
        ((all.len() - runs.len()) as u64).into(),
    ]);
    section.table(table);
    if runs.is_empty() { all.into_iter().try_for_each(|run| run.map(drop)) } else { Ok(()) }
}

/// What each says, and what a turn of an empty loop takes, of which there is one more or less about a read.
fn in_three_ways(run: &Run) -> Result<([Estimate; 3], f64), Failure> {
    let quick: &[&str] = run.pick(&[], &["--quick"]);
    let said = |arguments: &[&str]| document(&run.chronoscope, &[arguments, quick].concat());
    let check = said(&["check"])?;
    let scaling = said(&["scaling", "--clock", CLOCK, "--no-runtimes"])?;
    let runtimes = said(&["runtimes", "--only", "c"])?;
    let report = &check["content"]["sections"]["clocks"]["report"];
    let clocks = all(&report["clocks"]);
    let cells = all(&scaling["content"]["study"]["cells"]);
    let calls = all(&runtimes["content"]["sections"]["runtimes"]["report"]).flat_map(|runtime| all(&runtime["clocks"]));
    let is_alone = |cell: &&Json| cell["case"] == CLOCK && cell["threads"] == 1 && cell["backoff_tokens"] == 0;
    let found = [
        clocks.filter(|clock| clock["name"] == CLOCK).find_map(|clock| estimate(&clock["latency_ns"])),
        cells.filter(is_alone).find_map(|cell| estimate(&cell["time_ns"])),
        calls.filter(|call| call["name"] == CALL).find_map(|call| estimate(&call["latency_ns"])),
    ];
    let turn_ns = report["harness"]["interference_probe"]["quiet_turn_ns"].as_f64();
    match (found, turn_ns) {
        ([Some(check), Some(scaling), Some(probe)], Some(turn_ns)) => Ok(([check, scaling, probe], turn_ns)),
        (_, None) => Err(Failure::run("check did not measure a turn of an empty loop")),
        _ => {
            let missing = WAYS.iter().zip(found).find(|(_, found)| found.is_none()).map_or("", |(way, _)| way);
            Err(Failure::run(format!("{missing} did not measure {CLOCK}")))
        }
    }
}

fn estimate(json: &Json) -> Option<Estimate> {
    serde_json::from_value(json.clone()).ok()
}

/// How far apart the intervals are that are farthest apart: nothing if all share a value.
fn apart_ns(ways: &[Estimate; 3]) -> f64 {
    let low = ways.iter().map(|way| way.low).fold(f64::NEG_INFINITY, f64::max);
    let high = ways.iter().map(|way| way.high).fold(f64::INFINITY, f64::min);
    (low - high).max(0.0)
}

fn are_confident(ways: &[Estimate; 3]) -> bool {
    ways.iter().all(|way| way.confidence >= CONFIDENCE)
}

/// From where a clock scales, in one run, in nanoseconds of work between reads.
#[derive(Debug, PartialEq)]
struct Front {
    /// The most work at which threads are known to slow each other down.
    raised_ns: Option<f64>,
    /// The least from which they do not.
    flat_ns: Option<f64>,
    /// Whether they do with the most work tried.
    is_beyond: bool,
}

impl Front {
    /// None for a clock that only one thread at a time can read.
    fn of(conclusion: &Json) -> Option<Self> {
        if conclusion["threads"].as_u64()? < 2 {
            return None;
        }
        let front = &conclusion["front"];
        let [raised_ns, flat_ns] = ["raised", "flat"].map(|end| front[end]["ns"].as_f64());
        Some(Self { raised_ns, flat_ns, is_beyond: front["scales"].as_str()? == "beyond" })
    }

    /// Whether it is known from where the clock scales, or that it does not with any work tried.
    fn is_answer(&self) -> bool {
        self.flat_ns.is_some() || self.is_beyond
    }
}

/// Every clock over threads and work, as `scaling` measures them in its default time: for how many it reports the work per read
/// above which they scale.
pub(crate) fn scaling(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let mut fronts: Vec<(String, Front)> = Vec::new();
    let took_s = run.repeat("scaling", 5, 1, |_| {
        let record = document(&run.chronoscope, run.pick(&["scaling"], &["scaling", "--quick", "--no-runtimes"]))?;
        let named = |conclusion: &Json| Some((conclusion["clock"].as_str()?.to_owned(), Front::of(conclusion)?));
        fronts.extend(all(&record["content"]["scaling"]).filter_map(named));
        Ok(record["elapsed_ms"].as_f64().unwrap_or(f64::NAN) / 1e3)
    })?;
    let columns = "clock | answered | slowed by threads up to, ns of work | scales from, ns of work";
    let mut table = Table::new(1, columns);
    for (clock, fronts) in by_name(fronts) {
        // A clock that is missing in a run has no answer there.
        let answered = Count { all: took_s.len() as u64, ..Count::of(fronts.iter().map(Front::is_answer)) };
        let raised = Value::extremes(fronts.iter().filter_map(|front| front.raised_ns), 1);
        let flat = Value::extremes(fronts.iter().filter_map(|front| front.flat_ns), 1);
        table.row([clock.into(), answered.into(), raised, flat]);
    }
    section.table(table);
    section.say(format!("Medians with extremes. A run took {} s.", Value::extremes(took_s, 1).show()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn three_intervals_agree_if_they_share_a_value() {
        let way = |low: f64, high: f64, confidence: f64| Estimate { estimate: low, low, high, confidence };
        let [first, second] = [way(10.0, 12.0, 0.999), way(11.0, 13.0, 0.9995)];
        assert_eq!(apart_ns(&[first, second, way(9.0, 11.5, 0.999)]), 0.0);
        assert_eq!(apart_ns(&[first, second, way(9.0, 10.5, 0.999)]), 0.5, "each two would not do");
        assert!(are_confident(&[first, second, second]));
        assert!(!are_confident(&[first, second, way(9.0, 11.5, 0.99)]), "too little confidence");
    }

    #[test]
    fn an_answer_says_from_where_a_clock_scales() {
        let of = |front: Json| Front::of(&json!({ "clock": "x", "threads": 2, "front": front })).unwrap();
        assert!(of(json!({ "scales": "everywhere", "flat": { "ns": 0.0 } })).is_answer());
        let from = of(json!({ "scales": "from", "flat": { "ns": 9.0 }, "raised": { "ns": 4.0 } }));
        assert_eq!(from, Front { raised_ns: Some(4.0), flat_ns: Some(9.0), is_beyond: false });
        assert!(of(json!({ "scales": "beyond", "raised": { "ns": 9.0 } })).is_answer());
        assert!(of(json!({ "scales": "unresolved", "flat": { "ns": 9.0 } })).is_answer());
        let open = json!({ "scales": "unresolved", "raised": { "ns": 4.0 }, "flat": null });
        assert!(!of(open).is_answer());
        assert_eq!(Front::of(&json!({ "clock": "x", "threads": 1, "front": { "scales": "unresolved" } })), None);
    }
}
