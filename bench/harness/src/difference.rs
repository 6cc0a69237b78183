//! A difference of two percent, and no difference.

use bench_common::study;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference as Verdict};

use crate::studies;

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    two_percent(run, section)?;
    same(run, section)
}

fn two_percent(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::two_percent(), study::options(run.pick((19.0, 12), (2.0, 4))));
    let mut table = Table::new(2, "links | run | ratio, 102 by 100 | found | verdict | s");
    run.repeat("difference, two percent", 5, 1, |number| {
        let record = study::run(&study, &options)?;
        let point = only_point(record.study().comparisons.first())?;
        table.row([
            "two percent".into(),
            (number + 1).to_string().into(),
            Value::estimate(point.ratio, 4),
            Value::count([point.ratio.low > 1.0]),
            format!("{:?}", point.verdict).to_lowercase().into(),
            Value::number(record.elapsed_ms as f64 / 1e3, 1),
        ]);
        Ok(())
    })?;
    section.table(table);
    Ok(())
}

/// Copies and control arms; and by how much a study's own controls say that a difference can be told from none.
fn same(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::same(), study::options(run.pick((4.0, 12), (1.0, 4))));
    let mut points: Vec<(String, ComparisonPoint)> = Vec::new();
    let (mut wrong, mut alarms) = (Count::default(), 0);
    let resolvable_pct = run.repeat("difference, none", 20, 1, |_| {
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
            (of_it().filter(|point| !point.ratio.holds(1.0)).count() as u64).into(),
            Value::extremes(of_it().map(|point| point.ratio.estimate), 4),
        ]);
    }
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
