//! Two builds that take turns in one run: the same program twice, and one whose chain is two percent longer.

use std::path::{Path, PathBuf};

use bench_common::failure::Failure;
use bench_common::spread::Spread;
use bench_common::study::options;
use bench_common::table;
use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::{AgainstCell, Difference as Verdict, ProcessPair};
use chronoscope_harness::{Study, StudyOptions};
use serde::Serialize;

use crate::claim::Count;
use crate::size::{Repeated, Size};
use crate::studies;

/// What the comparisons said.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Builds {
    /// The program and a copy of its file, by case.
    same: Vec<Seen>,
    /// The program and a copy whose chain is longer.
    planted: Vec<Seen>,
    /// Runs that failed, and why.
    failed: Vec<String>,
}

/// One cell of one run.
#[derive(Clone, Debug, Serialize)]
struct Seen {
    case: String,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    verdict: Verdict,
    pairs: Vec<ProcessPair>,
}

pub(crate) fn measure(size: &Size) -> Result<Builds, Failure> {
    let copies = Copies::make()?;
    let mut found = Builds::default();
    for run in 0..size.same_builds.runs {
        eprintln!("bench-harness: builds, the same, run {} of {}", run + 1, size.same_builds.runs);
        found.add(compare(&studies::builds(), &copies.same, &size.same_builds), |found| &mut found.same);
    }
    for run in 0..size.planted.runs {
        eprintln!("bench-harness: builds, two percent, run {} of {}", run + 1, size.planted.runs);
        // The copy is the other build: this one takes 2 % less.
        found.add(compare(&studies::planted(), &copies.planted, &size.planted), |found| &mut found.planted);
    }
    match (found.same.is_empty() && found.planted.is_empty(), found.failed.first()) {
        (true, Some(why)) => Err(Failure::because(why.clone())),
        _ => Ok(found),
    }
}

/// Copies of this program's file: processes of another file have pages and addresses of their own, as those of another build.
struct Copies {
    _folder: tempfile::TempDir,
    same: PathBuf,
    planted: PathBuf,
}

impl Copies {
    fn make() -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| Failure::because(format!("cannot copy this program: {error}"));
        let itself = std::env::current_exe().map_err(cannot)?;
        let folder = tempfile::tempdir_in(itself.parent().unwrap_or(Path::new("."))).map_err(cannot)?;
        let copy = |name: &str| {
            let to = folder.path().join(name);
            std::fs::copy(&itself, &to).map(|_| to).map_err(cannot)
        };
        let (same, planted) = (copy("same")?, copy(studies::PLANTED)?);
        Ok(Self { _folder: folder, same, planted })
    }
}

fn compare(study: &Study, other: &Path, size: &Repeated) -> Result<Vec<Seen>, Failure> {
    let cannot = |error: &dyn std::fmt::Display| Failure::because(format!("{}: {error}", study.name()));
    let against = study.other_build(other, "copy", &|| false).map_err(|error| cannot(&error))?;
    let wish = StudyOptions { against: Some(against), ..options(size.each) };
    let tool = Tool { name: "bench-harness".into(), version: env!("CARGO_PKG_VERSION").into() };
    let record = study.run(&wish, tool, &mut ()).map_err(|error| cannot(&error))?;
    let against = record.against.as_ref().ok_or_else(|| cannot(&"nothing was compared"))?;
    Ok(against.cells.iter().map(Seen::of).collect())
}

impl Seen {
    fn of(cell: &AgainstCell) -> Self {
        Self {
            case: cell.case.clone(),
            ratio: cell.ratio.map(|ratio| ratio.estimate),
            interval: cell.ratio.map(|ratio| (ratio.low, ratio.high)),
            verdict: cell.verdict,
            pairs: cell.pairs.clone(),
        }
    }

    fn half_width_pct(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0 * 100.0)
    }
}

impl Builds {
    /// A run that fails does not take the others along.
    fn add(&mut self, run: Result<Vec<Seen>, Failure>, to: fn(&mut Self) -> &mut Vec<Seen>) {
        match run {
            Ok(seen) => to(self).extend(seen),
            Err(failure) => self.failed.push(failure.to_string()),
        }
    }

    /// Cells of the same program that were called faster or slower.
    pub(crate) fn false_alarms(&self) -> Count {
        Count::of(self.same.iter().map(|seen| matches!(seen.verdict, Verdict::Faster | Verdict::Slower)))
    }

    /// Runs in which the two percent were found.
    pub(crate) fn found(&self) -> Count {
        Count::of(self.planted.iter().map(|seen| seen.verdict == Verdict::Faster))
    }

    pub(crate) fn show(&self) -> String {
        let mut cases: Vec<&str> = Vec::new();
        for seen in &self.same {
            if !cases.contains(&seen.case.as_str()) {
                cases.push(&seen.case);
            }
        }
        let same = |case: &str| self.same.iter().filter(|seen| seen.case == case).collect::<Vec<_>>();
        let rows = cases.iter().map(|case| row(case, &same(case)));
        let planted = row("100 of 102 links", &self.planted.iter().collect::<Vec<_>>());
        let headings = ["case", "cells", "same", "unresolved", "faster", "slower", "ratio (extremes)", "± %"];
        format!(
            "The same program, from another file:\n\n{}\n\nTwo percent less:\n\n{}\n\nProcesses of both take turns, in pairs. The \
             interval of a ratio is that of the median over pairs, at 99.9 % for\nall cells of a run at once; ± is the median half of \
             it. Runs that failed: {}.",
            table::text(&headings, rows),
            table::text(&headings, [planted]),
            self.failed.len(),
        )
    }
}

fn row(case: &str, seen: &[&Seen]) -> Vec<String> {
    let count = |verdict: Verdict| seen.iter().filter(|seen| seen.verdict == verdict).count().to_string();
    let ratios = Spread::of(seen.iter().filter_map(|seen| seen.ratio));
    let half_widths = Spread::of(seen.iter().filter_map(|seen| seen.half_width_pct()));
    vec![
        case.to_owned(),
        seen.len().to_string(),
        count(Verdict::Same),
        count(Verdict::Unresolved),
        count(Verdict::Faster),
        count(Verdict::Slower),
        table::or_dash(ratios.map(|ratio| ratio.show_extremes(4))),
        table::or_dash(half_widths.map(|pct| format!("{:.2}", pct.median))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted() {
        let seen = |verdict| Seen {
            case: "chain_100".into(),
            ratio: Some(0.98),
            interval: Some((0.975, 0.985)),
            verdict,
            pairs: Vec::new(),
        };
        let builds = Builds {
            same: vec![seen(Verdict::Same), seen(Verdict::Slower), seen(Verdict::Unresolved)],
            planted: vec![seen(Verdict::Faster), seen(Verdict::Unresolved)],
            failed: Vec::new(),
        };
        assert_eq!((builds.false_alarms(), builds.found()), (Count { of: 1, all: 3 }, Count { of: 1, all: 2 }));
        assert!(builds.show().contains("| chain_100 | 3 "), "{}", builds.show());
    }
}
