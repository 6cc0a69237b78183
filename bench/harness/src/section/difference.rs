//! A difference of two percent, and no difference.

use std::time::Duration;

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::table;
use bench_harness::operation::Operation;
use bench_harness::orders::Orders;
use chronoscope_harness::record::study::{Comparison, ComparisonPoint, Difference as Verdict};
use serde::Serialize;

use crate::claim::Count;
use crate::peer::{Peer, criterion_sees_change};
use crate::section::peers::home;
use crate::size::Size;
use crate::studies;

/// What the comparisons said.
#[derive(Debug, Serialize)]
pub(crate) struct Differences {
    two_percent: Vec<TwoPercent>,
    /// Two copies of the same instructions, by operation.
    copies: Vec<Same>,
    /// Comparisons of an operation with a second arm of itself, run along in the same studies.
    control: Same,
    /// An operation's run compared with its last run, by criterion.
    criterion: Vec<Same>,
    /// By how much a study's own controls say that a difference can be told from none, in percent.
    resolvable_pct: Vec<f64>,
}

/// One study of two operations that differ by two percent.
#[derive(Clone, Copy, Debug, Serialize)]
struct TwoPercent {
    ratio: f64,
    interval: (f64, f64),
    verdict: Verdict,
    elapsed_ms: u64,
}

/// Comparisons of what is the same, counted by what was said.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Same {
    of: String,
    /// No difference beyond the margin.
    same: usize,
    /// The interval allows for more than one conclusion.
    unresolved: usize,
    /// Faster or slower: wrong.
    differs: usize,
    /// Intervals that leave out no difference; None where that is not known.
    excludes: Option<usize>,
    /// Ratios, where there are any.
    ratios: Vec<f64>,
}

impl Same {
    fn of(name: impl Into<String>) -> Self {
        Self { of: name.into(), ..Self::default() }
    }

    fn add(&mut self, point: &ComparisonPoint) {
        match point.verdict {
            Verdict::Same => self.same += 1,
            Verdict::Unresolved => self.unresolved += 1,
            Verdict::Faster | Verdict::Slower => self.differs += 1,
        }
        *self.excludes.get_or_insert(0) += usize::from(!point.ratio.holds(1.0));
        self.ratios.push(point.ratio.estimate);
    }

    fn all(&self) -> usize {
        self.same + self.unresolved + self.differs
    }
}

pub(crate) fn measure(size: &Size) -> Result<Differences, Failure> {
    let mut found = Differences {
        two_percent: Vec::new(),
        copies: studies::SAME.map(|operation| Same::of(operation.name())).to_vec(),
        control: Same::of("control arms of both"),
        criterion: Vec::new(),
        resolvable_pct: Vec::new(),
    };
    two_percent(size, &mut found)?;
    same(size, &mut found)?;
    criterion(size, &mut found)?;
    Ok(found)
}

fn two_percent(size: &Size, found: &mut Differences) -> Result<(), Failure> {
    let study = studies::two_percent();
    for run in 0..size.difference.runs {
        eprintln!("bench-harness: difference, two percent, run {} of {}", run + 1, size.difference.runs);
        let record = studies::run(&study, &size.difference)?;
        let point = only_point(record.comparisons.first())?;
        found.two_percent.push(TwoPercent {
            ratio: point.ratio.estimate,
            interval: (point.ratio.low, point.ratio.high),
            verdict: point.verdict,
            elapsed_ms: record.elapsed_ms,
        });
    }
    Ok(())
}

fn same(size: &Size, found: &mut Differences) -> Result<(), Failure> {
    let study = studies::same();
    for run in 0..size.same.runs {
        eprintln!("bench-harness: difference, none, run {} of {}", run + 1, size.same.runs);
        let record = studies::run(&study, &size.same)?;
        for comparison in &record.comparisons {
            let point = only_point(Some(comparison))?;
            if let Some(same) = found.copies.iter_mut().find(|same| comparison.case.starts_with(&same.of)) {
                same.add(point);
            }
        }
        if let Some(control) = record.control {
            let (all, wrong) = (control.comparisons as usize, control.verdicts_wrong as usize);
            // Of those that are not wrong the record does not say which are the same and which unresolved.
            found.control.same += all - wrong.min(all);
            found.control.differs += wrong;
            *found.control.excludes.get_or_insert(0) += control.alarms as usize;
            found.resolvable_pct.push(control.resolvable_pct);
        }
    }
    Ok(())
}

/// The comparison at no backoff, which is the only one.
fn only_point(comparison: Option<&Comparison>) -> Result<&ComparisonPoint, Failure> {
    let point = comparison.and_then(|comparison| comparison.points.first());
    point.ok_or_else(|| Failure::because("two operations were not compared: one of them has no estimate"))
}

fn criterion(size: &Size, found: &mut Differences) -> Result<(), Failure> {
    let operations = studies::SAME.map(Operation::name);
    let orders =
        Orders { measure: size.peers_measure, resamples: size.peers_resamples, operations: operations.to_vec() };
    let home = home()?;
    found.criterion = operations.iter().map(|name| Same::of(name.as_str())).collect();
    for run in 0..=size.criterion_same {
        eprintln!("bench-harness: difference, none, by criterion, run {} of {}", run + 1, size.criterion_same + 1);
        Peer::Criterion.run(&orders, home.path())?;
        for same in &mut found.criterion {
            match criterion_sees_change(&same.of, home.path())? {
                Some(true) => same.differs += 1,
                Some(false) => same.same += 1,
                // The first run has nothing to be compared with.
                None => {}
            }
        }
    }
    Ok(())
}

impl Differences {
    /// Studies whose interval of the ratio left out no difference on the right side.
    pub(crate) fn found(&self) -> Count {
        Count::of(self.two_percent.iter().map(|seen| seen.interval.0 > 1.0))
    }

    /// The longest of them.
    pub(crate) fn longest(&self) -> Option<Duration> {
        self.two_percent.iter().map(|seen| Duration::from_millis(seen.elapsed_ms)).max()
    }

    /// Comparisons of copies that did not claim a difference: the same within the margin, or unresolved.
    pub(crate) fn copies_right(&self) -> Count {
        let of = |of: fn(&Same) -> usize| self.copies.iter().map(of).sum();
        Count { of: of(|same| same.same + same.unresolved), all: of(Same::all) }
    }

    /// Control arms that called no difference.
    pub(crate) fn controls_right(&self) -> Count {
        Count { of: self.control.same, all: self.control.all() }
    }

    pub(crate) fn show(&self) -> String {
        let rows = self.two_percent.iter().enumerate().map(|(run, seen)| {
            vec![
                (run + 1).to_string(),
                format!("{:.4}", seen.ratio),
                format!("{:.4}…{:.4}", seen.interval.0, seen.interval.1),
                format!("{:?}", seen.verdict).to_lowercase(),
                format!("{:.1}", seen.elapsed_ms as f64 / 1e3),
            ]
        });
        let ratio = format!("{} / {}", studies::LONG, studies::SHORT);
        let two_percent = table::numbers(&["run", &ratio, "99.9 % interval", "verdict", "s"], rows);

        let by = |harness: &'static str, of: &str, same: &Same, unresolved: Option<usize>| {
            let ratios = Spread::of(same.ratios.iter().copied());
            vec![
                of.to_owned(),
                harness.to_owned(),
                same.all().to_string(),
                same.same.to_string(),
                table::or_dash(unresolved.map(|count| count.to_string())),
                same.differs.to_string(),
                table::or_dash(same.excludes.map(|count| count.to_string())),
                table::or_dash(ratios.map(|ratio| ratio.show_extremes(4))),
            ]
        };
        let ours = self
            .copies
            .iter()
            .map(|same| by("chronoscope", &format!("{}, copies in one study", same.of), same, Some(same.unresolved)));
        let control = by("chronoscope", &self.control.of, &self.control, None);
        let theirs =
            self.criterion.iter().map(|same| by("criterion", &format!("{}, run after run", same.of), same, None));
        let headings = [
            "what is the same",
            "harness",
            "comparisons",
            "no difference",
            "unresolved",
            "a difference",
            "interval excludes 1",
            "ratio (extremes)",
        ];
        let same = table::text(&headings, ours.chain([control]).chain(theirs));
        let resolvable = Spread::of(self.resolvable_pct.iter().copied());
        format!(
            "Two percent:\n\n{two_percent}\n\nNone:\n\n{same}\n\nCopies are the same instructions at other addresses, each compared \
             with one other. A control arm is an\noperation beside itself in the same study; of those that found no difference the \
             record does not say\nwhich are unresolved. Such an arm resolves {} % (quartiles over studies). criterion compares a run with \
             the\nlast one's files; it is said to see a difference where its interval lies beyond its threshold of 1 %.",
            table::or_dash(resolvable.map(|pct| pct.show(2))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::record::study::Estimate;

    #[test]
    fn comparisons_are_counted_by_what_they_say() {
        let around =
            |estimate: f64| Estimate { estimate, low: estimate - 0.005, high: estimate + 0.005, confidence: 0.999 };
        let point = |ratio: f64, verdict: Verdict| ComparisonPoint {
            backoff_tokens: 0,
            difference_ns: around(0.0),
            ratio: around(ratio),
            verdict,
            pairs: 9,
        };
        let mut same = Same::of("x");
        for (ratio, verdict) in [(1.0, Verdict::Same), (1.006, Verdict::Unresolved), (1.03, Verdict::Slower)] {
            same.add(&point(ratio, verdict));
        }
        assert_eq!((same.same, same.unresolved, same.differs, same.excludes), (1, 1, 1, Some(2)));
        assert_eq!(same.all(), 3);
    }
}
