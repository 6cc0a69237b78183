//! Two builds that take turns in one run: the same program twice, and one whose chain is two percent longer.

use std::path::{Path, PathBuf};

use bench_common::process::failed;
use bench_common::study;
use bench_common::value::{by_name, median};
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::{AgainstCell, Difference as Verdict};
use chronoscope_harness::{Study, StudyOptions};

use crate::studies;

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let columns = "build | case | interval excludes 1 | faster | slower | same | unresolved | ratio | ± %";
    let mut table = Table::new(2, columns);
    let (mut failures, mut compared) = (Vec::new(), 0);
    // The planted copy is the other build: this one takes 2 % less.
    let builds = [
        ("the same", studies::builds(), "same", 60, run.pick((25.0, 100), (4.0, 20))),
        ("2 % less", studies::planted(), studies::PLANTED, 20, run.pick((20.0, 100), (2.0, 12))),
    ];
    for (words, study, file, runs, effort) in builds {
        let (_folder, copy) = copy(file)?;
        // A failed run does not abort the others.
        let mut cells: Vec<AgainstCell> = Vec::new();
        run.repeat(&format!("builds, {words}"), runs, 1, |_| {
            match compare(&study, &copy, effort) {
                Ok(seen) => cells.extend(seen),
                Err(failure) => failures.push(failure),
            }
            Ok(())
        })?;
        compared += cells.len();
        rows(words, cells, &mut table);
    }
    section.table(table);
    section.say(format!(
        "Ratios: medians with extremes; ±: the median half of an interval. Runs that failed: {}.",
        failures.len()
    ));
    match failures.pop() {
        Some(failure) if compared == 0 => Err(failure),
        _ => Ok(()),
    }
}

/// A copy of this program's file: processes of another file have pages and addresses of their own, as those of another build.
fn copy(name: &str) -> Result<(tempfile::TempDir, PathBuf), Failure> {
    const WHAT: &str = "cannot copy this program";
    let itself = std::env::current_exe().map_err(failed(WHAT))?;
    let folder = tempfile::tempdir_in(itself.parent().unwrap_or(Path::new("."))).map_err(failed(WHAT))?;
    let to = folder.path().join(name);
    std::fs::copy(&itself, &to).map_err(failed(WHAT))?;
    Ok((folder, to))
}

fn compare(study: &Study, other: &Path, effort: (f64, u32)) -> Result<Vec<AgainstCell>, Failure> {
    let against = study.other_build(other, "copy", &|| false).map_err(failed(study.name()))?;
    let record = study::run(study, &StudyOptions { against: Some(against), ..study::options(effort) })?;
    record.content.against.map(|against| against.cells).ok_or_else(|| Failure::run("nothing was compared"))
}

fn rows(build: &str, cells: Vec<AgainstCell>, table: &mut Table) {
    for (case, seen) in by_name(cells.into_iter().map(|cell| (cell.case.clone(), cell))) {
        let count = |verdict: Verdict| Value::count(seen.iter().map(|cell| cell.verdict == verdict));
        let ratios = || seen.iter().filter_map(|cell| cell.ratio);
        let half_width = median(ratios().map(|ratio| ratio.half_width() * 100.0));
        table.row([
            build.into(),
            case.into(),
            Value::count(ratios().map(|ratio| !ratio.holds(1.0))),
            count(Verdict::Faster),
            count(Verdict::Slower),
            count(Verdict::Same),
            count(Verdict::Unresolved),
            Value::extremes(ratios().map(|ratio| ratio.estimate), 4),
            half_width.map(|pct| Value::number(pct, 2)).into(),
        ]);
    }
}
