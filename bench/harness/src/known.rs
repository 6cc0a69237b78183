//! What is known: operations of known time, by this harness and by others; a study's own time; and nothing.

use bench_common::process::failed;
use bench_common::study::{self, Effort};
use bench_common::{Failure, Run, Section, Table, Value};
use bench_harness::operation::{OF_PEERS, RULER_LINKS};
use chronoscope_harness::record::study::StudyRecord;

use crate::claim::Claims;
use crate::peer::{self, PEERS};
use crate::ruler::{self, Ruler};
use crate::studies;

/// Ours, in tables.
pub(crate) const OURS: &str = "chronoscope";
/// Processes of a study that is given a time, as many as by default.
const PROCESSES: u32 = 24;

/// A place to leave files for as long as a section needs them.
pub(crate) fn home() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(failed("no temporary folder could be made"))
}

/// Operations of known time: whether intervals hold it.
pub(crate) fn accuracy(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, effort) = (studies::accuracy(), run.pick((3.0, 12), (1.0, 4)));
    let options = Effort { seconds: effort.0, processes: effort.1 }.options();
    let mut claims = Claims::default();
    let mut seen: Vec<(Ruler, u64)> = Vec::new();
    for number in run.times(100, 1) {
        run.now(format!("accuracy, run {}", number + 1));
        let (record, ruler) = ruler::within(|| study::run(&study, &options))?;
        claims.add(OURS, studies::claims(&record, ruler));
        seen.push((ruler, record.elapsed_ms));
    }
    let of = |value: fn(&(Ruler, u64)) -> f64, places| Value::quartiles(seen.iter().map(value), places);
    let mut rulers = Table::new(0, "runs | s | ns of a link | its error, % | interrupted, %");
    rulers.row([
        (seen.len() as u64).into(),
        of(|(_, elapsed_ms)| *elapsed_ms as f64 / 1e3, 1),
        of(|(ruler, _)| ruler.link_ns, 4),
        of(|(ruler, _)| 100.0 * ruler.error, 2),
        of(|(ruler, _)| 100.0 * ruler.interrupted, 2),
    ]);
    section.table(claims.table());
    section.table(rulers);
    section.say(format!(
        "Claims: medians with extremes. Runs: quartiles, by chains of {RULER_LINKS}. Intervals of 99.9 %."
    ));
    Ok(())
}

/// criterion, divan and zenbench on the same operations.
pub(crate) fn peers(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, effort) = (studies::beside_peers(), run.pick((3.0, 12), (1.0, 4)));
    let options = Effort { seconds: effort.0, processes: effort.1 }.options();
    let mut claims = Claims::default();
    for number in run.times(10, 1) {
        run.now(format!("peers, round {}", number + 1));
        let (record, ruler) = Ruler::around(|| study::run(&study, &options))?;
        claims.add(OURS, studies::claims(&record, ruler));
        for name in PEERS {
            // A place of its own for each run: none is to know of the one before.
            let home = home()?;
            let (mut of_peer, ruler) = Ruler::around(|| peer::run(name, peer_size(run), &OF_PEERS, home.path()))?;
            of_peer.iter_mut().for_each(|(name, claim)| claim.truth = studies::truth(name, 1, ruler));
            claims.add(name, of_peer);
        }
    }
    section.table(claims.table());
    section.say(
        "Medians with extremes. Intervals of 99.9 % (chronoscope) and 95 % (criterion, zenbench); divan gives none.",
    );
    Ok(())
}

/// How long a peer measures an operation.
pub(crate) fn peer_size(run: &Run) -> peer::Size {
    run.pick(peer::Size { milliseconds: 1_000, resamples: 100_000 }, peer::Size { milliseconds: 100, resamples: 1_000 })
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
        let (mut took_s, mut processes, mut fewest) = (Vec::new(), Vec::new(), Vec::new());
        for number in run.times(3, 1) {
            run.now(format!("duration, {words}, run {}", number + 1));
            let record = study::run(&study, &Effort { seconds, processes: PROCESSES }.options())?;
            took_s.push(record.elapsed_ms as f64 / 1e3);
            processes.push(record.forks.len() as f64);
            fewest.push(rarest(&record) as f64);
        }
        let off = took_s.iter().map(|took_s| (took_s / given_s - 1.0).abs() * 100.0).fold(0.0, f64::max);
        table.row([
            words.into(),
            Value::number(given_s, 2),
            Value::extremes(took_s, 2),
            Value::number(off, 1),
            Value::extremes(processes, 0),
            Value::extremes(fewest, 0),
        ]);
    }
    section.table(table);
    section.say("Medians with extremes. Given is --duration, or the time of one operation if that is longer.");
    Ok(())
}

/// Processes that measured the cell with the fewest of them.
fn rarest(record: &StudyRecord) -> usize {
    let measured = record.cells.iter().map(|cell| cell.forks.iter().filter(|fork| fork.time_ns.is_some()).count());
    measured.min().unwrap_or(0)
}

/// A benchmark with nothing in it.
pub(crate) fn empty(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let (study, effort) = (studies::empty(), run.pick((1.0, 12), (0.5, 4)));
    let options = Effort { seconds: effort.0, processes: effort.1 }.options();
    let mut said: Vec<[Option<f64>; 3]> = Vec::new();
    for number in run.times(10, 1) {
        run.now(format!("empty, run {}", number + 1));
        let record = study::run(&study, &options)?;
        let cell = record.cells.first().ok_or_else(|| Failure::run("the empty benchmark was not measured"))?;
        said.push([cell.below_ns, cell.time_ns.map(|ns| ns.estimate), record.empty_loop_ns.map(|ns| ns.estimate)]);
    }
    let of = |which: usize| Value::extremes(said.iter().filter_map(|said| said[which]), 3);
    let mut table = Table::new(0, "said \"< X\" | X, ns | said a number, ns | the harness's own empty loop, ns");
    let is_below = |[below, ns, _]: &[Option<f64>; 3]| ns.is_none() && below.is_some_and(|ns| ns > 0.0);
    table.row([Value::count(said.iter().map(is_below)), of(0), of(1), of(2)]);
    section.table(table);
    section.say("Medians with extremes. Results of peers are under peers.");
    Ok(())
}
