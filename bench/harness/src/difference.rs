//! A difference of two percent, and no difference.

use bench_common::study;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference as Verdict};

use crate::studies;

/// Comparisons of what is the same, counted by what was said.
#[derive(Debug, Default)]
struct Same {
    /// Faster or slower: wrong.
    differs: Count,
    /// The interval allows for more than one conclusion; None where that is not known.
    unresolved: Option<u64>,
    /// Intervals that leave out no difference.
    excludes: u64,
    ratios: Vec<f64>,
}

impl Same {
    fn add(&mut self, point: &ComparisonPoint) {
        self.differs = self.differs + Count::of([matches!(point.verdict, Verdict::Faster | Verdict::Slower)]);
        *self.unresolved.get_or_insert(0) += u64::from(point.verdict == Verdict::Unresolved);
        self.excludes += u64::from(!point.ratio.holds(1.0));
        self.ratios.push(point.ratio.estimate);
    }

    fn row(&self, what: &str, of: &str) -> [Value; 6] {
        [
            what.into(),
            of.into(),
            self.differs.into(),
            self.unresolved.into(),
            self.excludes.into(),
            Value::extremes(self.ratios.iter().copied(), 4),
        ]
    }
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    two_percent(run, section)?;
    same(run, section)
}

fn two_percent(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::two_percent(), study::options(run.pick((19.0, 12), (2.0, 4))));
    let mut table = Table::new(2, "links | run | ratio, 102 by 100 | found | verdict | s");
    run.repeat("difference, two percent", 5, 1, |number| {
        let record = study::run(&study, &options)?;
        let point = only_point(record.comparisons.first())?;
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
    let mut copies = studies::SAME.map(|operation| (operation, Same::default()));
    let mut controls = Same::default();
    let resolvable_pct = run.repeat("difference, none", 20, 1, |_| {
        let record = study::run(&study, &options)?;
        for comparison in &record.comparisons {
            let point = only_point(Some(comparison))?;
            let of_it = |(operation, _): &&mut (&str, Same)| comparison.case.starts_with(*operation);
            copies.iter_mut().filter(of_it).for_each(|(_, same)| same.add(point));
        }
        Ok(record.control.map(|control| {
            controls.differs =
                controls.differs + Count { of: control.verdicts_wrong.into(), all: control.comparisons.into() };
            controls.excludes += u64::from(control.alarms);
            control.resolvable_pct
        }))
    })?;
    let columns = "what is the same | of | a difference | unresolved | interval excludes 1 | ratio";
    let mut table = Table::new(2, columns);
    copies.iter().for_each(|(operation, same)| table.row(same.row("copies", operation)));
    table.row(controls.row("control arms", "both"));
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
