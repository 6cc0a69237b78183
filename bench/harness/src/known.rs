//! What is known: operations of known time, a study's own time, and nothing.

use bench_common::cpus;
use bench_common::study;
use bench_common::value::by_name;
use bench_common::{Failure, Run, Section, Table, Value};
use chronoscope_harness::record::study::Cell;

use crate::claim::{self, Claim};
use crate::operation::RULER_LINKS;
use crate::ruler::{self, Ruler};
use crate::studies;

/// Processes of a study that is given a time, as many as by default.
const PROCESSES: u32 = 24;

/// Operations of known time: whether intervals hold it, on an idle machine and next to a thread that never sleeps.
pub(crate) fn accuracy(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::accuracy(), study::options((3.0, run.pick(PROCESSES, 8))));
    let busy: Vec<u32> = cpus::allowed()?.into_iter().rev().take(1).collect();
    let mut claims: Vec<((&str, String), Claim)> = Vec::new();
    let mut rulers = Table::new(1, "machine | runs | s | ns of a link | its error, % | interrupted, %");
    for (machine, hogs) in [("idle", &[][..]), ("next to a busy loop", &busy)] {
        let seen: Vec<(Ruler, u64)> = run.repeat(&format!("accuracy, {machine}"), 250, 1, |_| {
            cpus::beside_hogs(hogs, || {
                let (record, rulers) = ruler::within(|| study::run(&study, &options))?;
                claims.extend(studies::claims(&record, &rulers).map(|(name, claim)| ((machine, name), claim)));
                let link = rulers.get(ruler::LINK).ok_or_else(|| Failure::run("no link was timed"))?;
                Ok((*link, record.elapsed_ms))
            })
        })?;
        let of = |value: fn(&(Ruler, u64)) -> f64, places| Value::quartiles(seen.iter().map(value), places);
        rulers.row([
            machine.into(),
            (seen.len() as u64).into(),
            of(|(_, elapsed_ms)| *elapsed_ms as f64 / 1e3, 1),
            of(|(ruler, _)| ruler.ns, 4),
            of(|(ruler, _)| 100.0 * ruler.error, 2),
            of(|(ruler, _)| 100.0 * ruler.interrupted, 2),
        ]);
    }
    section.table(claim::table(&by_name(claims)));
    section.table(rulers);
    section.say(format!(
        "Claims: medians with extremes. Runs: quartiles, by chains of {RULER_LINKS}. Intervals of 99.9 %."
    ));
    Ok(())
}

/// Studies that ask for more than their time allows, or for a little: whether they take as long as they were given.
pub(crate) fn duration(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let columns = "study | given, s | took, s | off by at most, % | processes | of the rarest cell";
    let mut table = Table::new(1, columns);
    for (words, study, seconds, longest) in studies::timed() {
        let given_s: f64 = f64::max(seconds, longest);
        if run.is_quick && given_s >= 5.0 {
            continue;
        }
        let seen = run.repeat(&format!("duration, {words}"), 3, 1, |_| {
            let record = study::run(&study, &study::options((seconds, PROCESSES)))?;
            let measured = |cell: &Cell| cell.processes.iter().filter(|process| process.mean_ns.is_some()).count();
            let rarest = record.study().cells.iter().map(measured).min().unwrap_or(0);
            Ok([record.elapsed_ms as f64 / 1e3, record.study().processes.len() as f64, rarest as f64])
        })?;
        let off = seen.iter().map(|[took_s, ..]| (took_s / given_s - 1.0).abs() * 100.0).fold(0.0, f64::max);
        let of = |which: usize, decimals| Value::extremes(seen.iter().map(|seen| seen[which]), decimals);
        table.row([words.into(), Value::number(given_s, 2), of(0, 2), Value::number(off, 1), of(1, 0), of(2, 0)]);
    }
    section.table(table);
    section.say("Medians with extremes. Given is --duration, or the time of one operation if that is longer.");
    Ok(())
}

/// A benchmark with nothing in it.
pub(crate) fn empty(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, options) = (studies::empty(), study::options(run.pick((1.0, 12), (0.5, 4))));
    let said: Vec<[Option<f64>; 3]> = run.repeat("empty", 10, 1, |_| {
        let record = study::run(&study, &options)?;
        let cell = record.study().cells.first().ok_or_else(|| Failure::run("the empty benchmark was not measured"))?;
        Ok([cell.below_ns, cell.time_ns.map(|ns| ns.estimate), record.study().empty_loop_ns.map(|ns| ns.estimate)])
    })?;
    let of = |which: usize| Value::extremes(said.iter().filter_map(|said| said[which]), 3);
    let mut table = Table::new(0, "said \"< X\" | X, ns | said a number, ns | the harness's own empty loop, ns");
    let is_below = |[below, ns, _]: &[Option<f64>; 3]| ns.is_none() && below.is_some_and(|ns| ns > 0.0);
    table.row([Value::count(said.iter().map(is_below)), of(0), of(1), of(2)]);
    section.table(table);
    section.say("Medians with extremes.");
    Ok(())
}
