//! A difference of two percent, and no difference.

use bench_common::study;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference as Verdict};

use crate::studies;

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    planted(run, section)?;
    same(run, section)
}

/// Differences of known size: whether each is told from none within 10 s.
fn planted(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let options = study::options(run.pick((9.5, 24), (2.0, 12)));
    let planted = [("two percent", studies::two_percent(), 1.02), ("half a percent", studies::half_percent(), 1.005)];
    let mut table = Table::new(1, "planted | told from 1 | interval holds it | called slower | ratio | ± % | s");
    for (words, study, truth) in planted {
        let found = run.repeat(&format!("difference, {words}"), 20, 1, |_| {
            let record = study::run(&study, &options)?;
            Ok((only_point(record.study().comparisons.first())?.clone(), record.elapsed_ms as f64 / 1e3))
        })?;
        let points = || found.iter().map(|(point, _)| point);
        table.row([
            words.into(),
            Value::count(points().map(|point| point.ratio.low > 1.0)),
            Value::count(points().map(|point| point.ratio.holds(truth))),
            Value::count(points().map(|point| point.verdict == Verdict::Slower)),
            Value::extremes(points().map(|point| point.ratio.estimate), 4),
            Value::extremes(points().map(|point| 100.0 * point.ratio.half_width()), 2),
            Value::extremes(found.iter().map(|(_, s)| *s), 1),
        ]);
    }
    section.table(table);
    Ok(())
}

/// Copies and control arms; and by how much a study's own controls say that a difference can be told from none.
fn same(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::same(), study::options(run.pick((4.0, 12), (1.0, 4))));
    let mut points: Vec<(String, ComparisonPoint)> = Vec::new();
    let (mut wrong, mut alarms) = (Count::default(), 0);
    let resolvable_pct = run.repeat("difference, none", 60, 1, |_| {
        let record = study::run(&study, &options)?;
        for comparison in &record.study().comparisons {
            points.push((comparison.case.clone(), only_point(Some(comparison))?.clone()));
        }
        Ok(record.study().control.map(|control| {
            wrong = wrong + Count { of: control.verdicts_wrong.into(), all: control.comparisons.into() };
            alarms += u64::from(control.alarms);
            control.resolvable_pct
        }))
    })?;
    let columns = "what is the same | of | a difference | unresolved | interval excludes 1 | ratio";
    let mut table = Table::new(2, columns);
    for operation in studies::SAME {
        let of_it = || points.iter().filter(|(case, _)| case.starts_with(operation)).map(|(_, point)| point);
        let differs = |point: &ComparisonPoint| matches!(point.verdict, Verdict::Faster | Verdict::Slower);
        table.row([
            "copies".into(),
            operation.into(),
            Count::of(of_it().map(differs)).into(),
            (of_it().filter(|point| point.verdict == Verdict::Unresolved).count() as u64).into(),
            Count::of(of_it().map(|point| !point.ratio.holds(1.0))).into(),
            Value::extremes(of_it().map(|point| point.ratio.estimate), 4),
        ]);
    }
    let alarms = Count { of: alarms, all: wrong.all };
    table.row(["control arms".into(), "both".into(), wrong.into(), Value::Nothing, alarms.into(), Value::Nothing]);
    section.table(table);
    let resolvable = Value::quartiles(resolvable_pct.into_iter().flatten(), 2).show();
    section.say(format!("Intervals of 99.9 %. A control arm resolves {resolvable} % (quartiles over studies)."));
    Ok(())
}

/// The comparison at no backoff, which is the only one.
fn only_point(comparison: Option<&Comparison>) -> Result<&ComparisonPoint, Failure> {
    let point = comparison.and_then(|comparison| comparison.points.first());
    point.ok_or_else(|| Failure::run("two operations were not compared: one of them has no estimate"))
}
