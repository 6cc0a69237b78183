//! A difference of two percent, and no difference.

use bench_common::study::{self, Effort};
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference as Verdict};

use crate::known::{OURS, home, peer_size};
use crate::peer::{self, criterion_sees_change};
use crate::studies;

/// Comparisons of what is the same, counted by what was said.
#[derive(Debug, Default)]
struct Same {
    /// Faster or slower: wrong.
    differs: Count,
    /// The interval allows for more than one conclusion; None where that is not known.
    unresolved: Option<u64>,
    /// Intervals that leave out no difference; None where that is not known.
    excludes: Option<u64>,
    ratios: Vec<f64>,
}

impl Same {
    fn add(&mut self, point: &ComparisonPoint) {
        self.differs = self.differs + Count::of([matches!(point.verdict, Verdict::Faster | Verdict::Slower)]);
        *self.unresolved.get_or_insert(0) += u64::from(point.verdict == Verdict::Unresolved);
        *self.excludes.get_or_insert(0) += u64::from(!point.ratio.holds(1.0));
        self.ratios.push(point.ratio.estimate);
    }

    fn row(&self, what: &str, of: &str, harness: &str) -> [Value; 7] {
        [
            what.into(),
            of.into(),
            harness.into(),
            self.differs.into(),
            self.unresolved.into(),
            self.excludes.into(),
            Value::extremes(self.ratios.iter().copied(), 4),
        ]
    }
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    section.table(two_percent(run)?);
    let columns = "what is the same | of | harness | a difference | unresolved | interval excludes 1 | ratio";
    let mut table = Table::new(3, columns);
    let resolvable = same(run, &mut table)?;
    criterion(run, &mut table)?;
    section.table(table);
    section
        .say(format!("Intervals of 99.9 %. A control arm resolves {} % (quartiles over studies).", resolvable.show()));
    Ok(())
}

fn two_percent(run: &Run) -> Result<Table, Failure> {
    let (study, effort) = (studies::two_percent(), run.pick((19.0, 12), (2.0, 4)));
    let options = Effort { seconds: effort.0, processes: effort.1 }.options();
    let mut table = Table::new(2, "links | run | ratio, 102 by 100 | found | verdict | s");
    for number in run.times(5, 1) {
        run.now(format!("difference, two percent, run {}", number + 1));
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
    }
    Ok(table)
}

/// Copies and control arms; returns by how much a study's own controls say that a difference can be told from none, in percent.
fn same(run: &Run, table: &mut Table) -> Result<Value, Failure> {
    let (study, effort) = (studies::same(), run.pick((4.0, 12), (1.0, 4)));
    let options = Effort { seconds: effort.0, processes: effort.1 }.options();
    let mut copies = studies::SAME.map(|operation| (operation, Same::default()));
    let mut controls = Same::default();
    let mut resolvable_pct = Vec::new();
    for number in run.times(20, 1) {
        run.now(format!("difference, none, run {}", number + 1));
        let record = study::run(&study, &options)?;
        for comparison in &record.comparisons {
            let point = only_point(Some(comparison))?;
            let of_it = |(operation, _): &&mut (&str, Same)| comparison.case.starts_with(*operation);
            copies.iter_mut().filter(of_it).for_each(|(_, same)| same.add(point));
        }
        if let Some(control) = record.control {
            controls.differs =
                controls.differs + Count { of: control.verdicts_wrong.into(), all: control.comparisons.into() };
            *controls.excludes.get_or_insert(0) += u64::from(control.alarms);
            resolvable_pct.push(control.resolvable_pct);
        }
    }
    copies.iter().for_each(|(operation, same)| table.row(same.row("copies", operation, OURS)));
    table.row(controls.row("control arms", "both", OURS));
    Ok(Value::quartiles(resolvable_pct, 2))
}

/// The comparison at no backoff, which is the only one.
fn only_point(comparison: Option<&Comparison>) -> Result<&ComparisonPoint, Failure> {
    let point = comparison.and_then(|comparison| comparison.points.first());
    point.ok_or_else(|| Failure::run("two operations were not compared: one of them has no estimate"))
}

fn criterion(run: &Run, table: &mut Table) -> Result<(), Failure> {
    let home = home()?;
    let mut found = studies::SAME.map(|operation| (operation, Same::default()));
    let runs = run.times(10, 1);
    // The first run has nothing to be compared with.
    for number in 0..=runs.end {
        run.now(format!("difference, none, by criterion, run {} of {}", number + 1, runs.end + 1));
        peer::run("criterion", peer_size(run), &studies::SAME, home.path())?;
        for (operation, same) in &mut found {
            same.differs = same.differs + Count::of(criterion_sees_change(operation, home.path())?);
        }
    }
    found.iter().for_each(|(operation, same)| table.row(same.row("run after run", operation, "criterion")));
    Ok(())
}
