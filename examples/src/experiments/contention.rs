//! The cost of causal times when many threads read them: each reader of a shared word may have to write it.
//!
//! # Sources
//! D. Dice, "Mitigating the Java nanoTime coherence hotspot" (MonoTime), has the clock and the figures of a SPARC T5.

use std::time::Duration;

use chronoscope_clock::{Clock, Granular, Unordered};
use chronoscope_harness::literature::measure::READS;
use chronoscope_harness::literature::{self, Article, Figure};
use chronoscope_harness::quantity::{RATIO, count, ns};
use chronoscope_harness::record::study::{Estimate, Mode, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::{Study, study_words};

use super::monotime::MonoTime;
use crate::{Block, Chart, Conclusions, Experiment, Level, Panel, Series, Spot, Topic, Unit, Value};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "contention",
    about: "Causal clocks on many threads: reads per second and scaling by granularity",
    study,
    conclude,
    in_runtimes: None,
};

/// The source of the others, which nobody writes.
const BARE: &str = "Unordered";
const ORDERED: &str = "Clock::now";
/// Granularities in nanoseconds, ascending.
const GRANULAR: [(&str, u64); 3] = [("Granular 0 ns", 0), ("Granular 100 ns", 100), ("Granular 1 µs", 1_000)];
/// HotSpot's own clock, by its granularity in nanoseconds.
const MONOTIME: [(&str, u64); 2] = [("MonoTime 0 ns", 0), ("MonoTime 1 µs", 1_000)];
/// A granularity scales like the bare source if it does within this many percent.
const TOLERANCE_PCT: f64 = 10.0;
/// Below this share of its threads, the bare source lacked CPUs.
const SCALES_FREELY: f64 = 0.8;

fn study(cpus: u32, threads: &[u32]) -> Study {
    let study = Study::new("contention")
        .mode(Mode::Throughput)
        .threads(counts(cpus, threads))
        // Without the counter all of these read the system's clock, and the comparison is meaningless.
        .case_shared(
            BARE,
            |_| Clock::trusted().unwrap_or_else(|why| panic!("{why}")),
            |b, _| {
                b.iter(|| Unordered::or_system().now());
            },
        )
        .case(ORDERED, |b| b.iter(|| Clock::or_system().now()));
    let granular = |study: Study, (name, ns): (&str, u64)| {
        study.case_shared(name, move |_| Granular::new(Duration::from_nanos(ns)), |b, clock| b.iter(|| clock.now()))
    };
    let monotime = |study: Study, (name, ns): (&str, u64)| {
        study.case_shared(name, move |_| MonoTime::new(ns), |b, clock| b.iter(|| clock.now_ns()))
    };
    let study = GRANULAR.into_iter().fold(study, granular);
    MONOTIME.into_iter().fold(study, monotime).processes(12).budget(Duration::from_secs(20))
}

/// Those asked for with 1, the reference for the others; else powers of two up to the number of CPUs, and that.
fn counts(cpus: u32, asked: &[u32]) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |threads| threads.checked_mul(2));
    match asked {
        [] => powers.take_while(|threads| *threads < cpus).chain([cpus]).collect(),
        asked => asked.iter().copied().chain([1]).collect(),
    }
}

/// Reads per second of all threads.
fn rate(record: &StudyRecord, clock: &str, threads: u32) -> Option<Estimate> {
    record.cell(clock, 0, threads)?.throughput_per_s
}

/// The rate of `threads` threads over that of one, process by process.
fn scaling(record: &StudyRecord, clock: &str, threads: u32) -> Option<Estimate> {
    let (alone, all) = (record.cell(clock, 0, 1)?, record.cell(clock, 0, threads)?);
    let of_threads = |ns: &[f64]| f64::from(threads) * ns[0] / ns[1];
    over_processes(&[alone, all], record.study().plan.confidence, of_threads)
}

/// Whether a clock scales as well as the `bare` source, within the tolerance. None if the intervals allow both.
fn scales_like(bare: &Estimate, scaling: &Estimate) -> Option<bool> {
    let enough = |bare: f64| bare * (1.0 - TOLERANCE_PCT / 100.0);
    let known = scaling.has_confidence() && bare.has_confidence();
    match () {
        () if known && scaling.low >= enough(bare.high) => Some(true),
        () if known && scaling.high < enough(bare.low) => Some(false),
        () => None,
    }
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let model = model(record);
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        charts: charts(record, &model),
        question: "What do times cost that are causal whatever the counters do, if many threads read them?".into(),
        passed: None,
        naive: naive(record),
        model,
        published: published(record),
    }
}

/// All clocks by name.
fn clocks() -> impl Iterator<Item = &'static str> {
    [BARE, ORDERED].into_iter().chain(GRANULAR.map(|(name, _)| name)).chain(MONOTIME.map(|(name, _)| name))
}

fn naive(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let row = |(clock, threads): (&str, u32)| {
        let rate = Value::or(rate(record, clock, threads).map(Value::PerSecond), why_none(record, clock, threads));
        let scaling = Value::or(scaling(record, clock, threads).map(Value::Factor), "–");
        vec![Value::text(clock), Value::Count(threads.into()), rate, scaling]
    };
    let threads = &record.study().plan.threads;
    let rows = clocks().flat_map(|clock| threads.iter().map(move |threads| (clock, *threads))).map(row);
    block.table("", &["clock", "threads", "reads per second, all threads", "over one thread"], rows.collect());
    let most = threads.last().copied().unwrap_or(1);
    let finest = GRANULAR[0].0;
    block.conclude(match scaling(record, finest, most).filter(|_| most > 1) {
        Some(found) => {
            format!("{finest} on {} threads reads {} as often as on one", count(most.into()), RATIO.amount(&found))
        }
        None => "nothing: no clock was read by more than one thread".to_owned(),
    });
    block
}

fn why_none(record: &StudyRecord, clock: &str, threads: u32) -> String {
    study_words::why_no_time(record.cell(clock, 0, threads))
}

/// The highest number of threads with a CPU for each; None without two of them.
fn judged(record: &StudyRecord) -> Option<u32> {
    record.study().plan.threads.iter().copied().filter(|threads| (2..=record.cpus()).contains(threads)).max()
}

fn charts(record: &StudyRecord, model: &Block) -> Vec<Chart> {
    [over_threads(record, model), staleness(record)].into_iter().flatten().collect()
}

fn over_threads(record: &StudyRecord, model: &Block) -> Option<Chart> {
    let ours = |clock: &str| {
        let threads = record.study().plan.threads.iter();
        Series::of(clock, threads.map(|threads| Some(Spot::new((*threads).into(), scaling(record, clock, *threads)?))))
    };
    let published = |(clock, figures): &(&str, Vec<&Figure>)| {
        let points = figures.iter().filter_map(|figure| Some((figure.threads?.into(), over_one(figures, figure)?)));
        Series::published(&format!("{clock} on a SPARC T5, D. Dice"), points)
    };
    let series = clocks().map(ours).chain(figures().iter().map(published)).collect();
    let panel = Panel::over("threads", "reads per second of all threads, over those of one", Unit::Factor, series);
    let panel = Panel { cpus: Some(record.cpus()), ..panel };
    Chart::of(Topic::Scaling, "Reads of all threads, over those of one", model.main(), vec![panel])
}

/// What a reading that may be older is worth.
fn staleness(record: &StudyRecord) -> Option<Chart> {
    let threads = judged(record)?;
    let of = |(name, ns): (&str, u64)| Some((ns, rate(record, name, threads)?));
    let points: Vec<(u64, Estimate)> = GRANULAR.into_iter().filter_map(of).collect();
    let name = format!("{threads} threads together");
    let series = Series::of(&name, points.iter().map(|(ns, rate)| Some(Spot::new(*ns as f64, *rate))));
    let bare = rate(record, BARE, threads);
    let levels = bare.map(|bare| Level { name: format!("{BARE}, the bare source"), value: bare.estimate });
    let panel = Panel::over("granularity, ns", "reads per second", Unit::PerSecond, vec![series]);
    let panel = Panel { levels: levels.into_iter().collect(), ..panel };
    Chart::of(Topic::Staleness, "What an older reading buys", bought(&points).into_iter().collect(), vec![panel])
}

/// The rate with the coarsest granularity over that with the finest.
fn bought(points: &[(u64, Estimate)]) -> Option<String> {
    let ((finest, slow), (coarsest, fast)) = (points.first()?, points.last()?);
    let times = fast.over(slow).filter(|_| coarsest > finest)?;
    let verdict = match (times.low > 1.0, times.high < 1.0) {
        _ if !times.has_confidence() => ", from too few processes to tell",
        (true, _) => "",
        (_, true) => ": it buys nothing",
        _ => ", which allows no difference",
    };
    Some(format!(
        "with a granularity of {} the threads read {} as often as with {}{verdict}; a reading may then be that much older",
        ns(*coarsest as f64),
        RATIO.amount(&times),
        ns(*finest as f64)
    ))
}

fn model(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let bare = judged(record).and_then(|threads| Some((threads, scaling(record, BARE, threads)?)));
    let Some((threads, bare)) = bare else {
        block.conclude("no conclusion: that takes two threads with a CPU for each, and the CPU's counter");
        return block;
    };
    let granular: Vec<(&str, Option<bool>, String)> = GRANULAR
        .into_iter()
        .filter_map(|(name, _)| {
            let found = scaling(record, name, threads)?;
            Some((name, scales_like(&bare, &found), format!("{name} ({})", RATIO.value(found.estimate))))
        })
        .collect();
    // The first behind the last that does not.
    let worse = granular.iter().rposition(|(_, scales, _)| *scales == Some(false)).map_or(0, |at| at + 1);
    let good = granular[worse..].iter().find(|(_, scales, _)| *scales == Some(true));
    let like = format!("within {TOLERANCE_PCT} % of its bare source ({})", RATIO.value(bare.estimate));
    let mut text = match good {
        Some((_, _, named)) => format!("on {threads} threads {named} scales {like}"),
        None => format!("on {threads} threads no granularity is known to scale {like}"),
    };
    let worse = format!("known to fall short by more than {TOLERANCE_PCT} %");
    for (verdict, words) in [(Some(false), worse.as_str()), (None, "inconclusive")] {
        let named: Vec<&str> = granular.iter().filter(|each| each.1 == verdict).map(|each| each.2.as_str()).collect();
        if !named.is_empty() {
            text += &format!("; {words}: {}", named.join(", "));
        }
    }
    block.conclude(text).with("bare_scaling", bare);
    if bare.estimate < SCALES_FREELY * f64::from(threads) {
        let found = RATIO.value(bare.estimate);
        block.say(format!(
            "the bare source, which nobody writes, scales only {found} on {threads} threads: the CPUs were probably not free"
        ));
    }
    block.say(
        "a reader whose source is ahead of the shared word by less than the granularity writes nothing. At 0 every read takes \
         the word's cache line from the other cores",
    );
    block
}

/// The clocks that figures were published of: reads by all threads, by the number of threads.
fn figures() -> Vec<(&'static str, Vec<&'static Figure>)> {
    let of = |(name, granularity): (&'static str, u64)| {
        let is_of = |figure: &&Figure| figure.place_ns() == Some(granularity as f64);
        (name, literature::of(Article::Monotime, READS).filter(is_of).collect())
    };
    MONOTIME.into_iter().map(of).collect()
}

/// How many times as many reads as by one thread.
fn over_one(figures: &[&Figure], figure: &Figure) -> Option<f64> {
    Some(figure.number()? / figures.iter().find(|figure| figure.threads == Some(1))?.number()?)
}

fn published(record: &StudyRecord) -> Block {
    let mut block = Block::default();
    let or_none = |found: Option<Value>| Value::or(found, "–");
    let mut rows = Vec::new();
    for (clock, figures) in figures() {
        for figure in &figures {
            let threads = figure.threads.unwrap_or_default();
            rows.push(vec![
                Value::text(clock),
                Value::Count(threads.into()),
                Value::text(figure.said()),
                or_none(over_one(&figures, figure).map(Value::plain_factor)),
                or_none(rate(record, clock, threads).map(Value::PerSecond)),
                or_none(scaling(record, clock, threads).map(Value::Factor)),
            ]);
        }
    }
    block.table("", &["clock", "threads", "SPARC T5, in 10 s", "over one", "ours", "over one"], rows);
    block.say(format!(
        "MonoTime is HotSpot's own: one compare-and-swap, and what another thread stored if that fails; Granular tries again until it is \
         near, and says how stale a reading can be. SPARC T5, Solaris: {}; compare only the shape of the curve",
        Article::Monotime.cited()
    ));
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{assert_pages, cell, interval, record};

    /// Two CPUs, where the bare source scales 2×, and these granularities so; HotSpot's clock as ours of the same granularity.
    fn made_up(granular: [f64; 3]) -> StudyRecord {
        let mut made = record(&[0], &[1, 2]);
        let [finest, _, coarsest] = granular;
        let clocks = [(BARE, 2.0), (ORDERED, 2.0)]
            .into_iter()
            .chain(GRANULAR.map(|(name, _)| name).into_iter().zip(granular))
            .chain(MONOTIME.map(|(name, _)| name).into_iter().zip([finest, coarsest]));
        for (clock, scaling) in clocks {
            for (threads, ns) in [(1, 10.0), (2, 20.0 / scaling)] {
                let mut cell = cell(clock, 0, threads, [ns; 4]);
                cell.throughput_per_s = Some(interval(f64::from(threads) * 1e9 / ns, 1.0));
                made.content.study.cells.push(cell);
            }
        }
        made
    }

    #[test]
    fn every_kind_of_record_has_its_page() {
        let pages = vec![
            ("the coarsest scales", made_up([0.5, 1.2, 1.95])),
            ("a finer one counts only if every coarser one scales", made_up([1.9, 1.0, 1.9])),
            ("none scales", made_up([0.5, 0.6, 1.0])),
            ("nothing was measured", record(&[0], &[1])),
        ];
        assert_pages("contention", conclude, pages);
    }

    #[test]
    fn one_thread_is_always_the_reference() {
        assert_eq!(counts(6, &[]), [1, 2, 4, 6]);
        assert_eq!((counts(1, &[]), counts(2, &[8, 2])), (vec![1], vec![8, 2, 1]));
    }
}
