use chronoscope_sources::{Guarantee, Rate, SourceId};

use super::task::{Lane, Samples, Window};
use crate::clock_id::ClockId;
use crate::estimate::median_of;
use crate::sections::contention::report::{ContentionReport, ContentionRow, Knee, PublishedContention, Staleness};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::stats::Distribution;

/// A granularity scales like the bare source if within this many percent of it.
const KNEE_TOLERANCE_PCT: f64 = 10.0;

/// Millions of reads by all threads in ten seconds, for each granularity in nanoseconds, by number of threads.
///
/// # Sources
/// D. Dice, "Mitigating the Java nanoTime coherence hotspot", on a SPARC T5 under Solaris.
const PUBLISHED: [(u64, [(u32, f64); 5]); 2] = [
    (0, [(1, 11.0), (2, 14.0), (4, 25.0), (8, 29.0), (16, 29.0)]),
    (1_000, [(1, 14.0), (2, 27.0), (4, 54.0), (8, 104.0), (16, 181.0)]),
];
const PUBLISHED_MACHINE: &str = "SPARC T5, Solaris";
const PUBLISHED_SOURCE: &str = "D. Dice, \"Mitigating the Java nanoTime coherence hotspot\"";

/// The cost of causal times, from `rounds` whose windows were timed by a clock of `rate`, on a machine that gives each
/// of `cpus` threads its own CPU. None without windows.
///
/// Rates are compared only within a round, so that a temporary slowdown affects both sides of a ratio.
pub fn contention(rounds: &[Samples], rate: Rate, cpus: u32, disturbance: Disturbance) -> Option<ContentionReport> {
    let mut rows: Vec<ContentionRow> =
        combinations(rounds).into_iter().filter_map(|(lane, threads)| row(rounds, lane, threads, rate)).collect();
    // In place: clocks keep the order of the plan.
    rows.sort_by_key(|row| (order(row), row.threads));
    let knee = knee(&rows, cpus);
    (!rows.is_empty()).then_some(ContentionReport { rounds: rounds.len() as u64, rows, knee, disturbance })
}

fn combinations(rounds: &[Samples]) -> Vec<(Lane, u32)> {
    let mut found = Vec::new();
    for window in rounds.iter().flat_map(|round| &round.windows) {
        if !found.contains(&(window.lane, window.threads)) {
            found.push((window.lane, window.threads));
        }
    }
    found
}

/// The bare source, the fenced clock, and ascending granularities.
fn order(row: &ContentionRow) -> (u8, u64) {
    let place = match row.granularity_ns {
        Some(_) => 2,
        None if row.clock == clock(Lane::Unordered) => 0,
        None if row.clock == clock(Lane::Ordered) => 1,
        None => 3,
    };
    (place, row.granularity_ns.unwrap_or(0))
}

fn row(rounds: &[Samples], lane: Lane, threads: u32, rate: Rate) -> Option<ContentionRow> {
    let windows = || rounds.iter().filter_map(|round| window_of(round, lane, threads));
    let rates: Vec<f64> = windows().filter_map(|window| reads_per_s(window, rate)).collect();
    let ratio = |round: &Samples| {
        let alone = reads_per_s(window_of(round, lane, 1)?, rate).filter(|alone| *alone > 0.0)?;
        Some(reads_per_s(window_of(round, lane, threads)?, rate)? / alone)
    };
    let ratios: Vec<f64> = rounds.iter().filter_map(ratio).collect();
    let stale =
        Distribution::of_counts(windows().flat_map(|window| &window.staleness).map(|(ns, count)| (*ns as f64, *count)));
    let granularity_ns = match lane {
        Lane::Granular { granularity_ns } => Some(granularity_ns),
        Lane::Unordered | Lane::Ordered => None,
    };
    Some(ContentionRow {
        clock: clock(lane),
        granularity_ns,
        threads,
        reads_per_s: median_of(&rates)?,
        scaling: median_of(&ratios),
        staleness: staleness(&stale),
        published: granularity_ns.and_then(|ns| published(ns, threads)),
    })
}

fn clock(lane: Lane) -> ClockId {
    match lane {
        Lane::Unordered => SourceId::Clock(Guarantee::Unordered).into(),
        Lane::Ordered => SourceId::Clock(Guarantee::Ordered).into(),
        Lane::Granular { granularity_ns } => ClockId::granular(granularity_ns),
    }
}

fn window_of(round: &Samples, lane: Lane, threads: u32) -> Option<&Window> {
    round.windows.iter().find(|window| window.lane == lane && window.threads == threads)
}

fn reads_per_s(window: &Window, rate: Rate) -> Option<f64> {
    let ns = rate.ns_of_mean(window.ticks as f64);
    (ns > 0.0).then(|| window.reads as f64 / ns * 1e9)
}

fn staleness(seen: &Distribution) -> Option<Staleness> {
    Some(Staleness {
        samples: seen.total(),
        p50_ns: seen.quantile(0.5)?,
        p99_ns: seen.quantile(0.99)?,
        maximum_ns: seen.maximum()?,
    })
}

fn published(granularity_ns: u64, threads: u32) -> Option<PublishedContention> {
    let (_, figures) = PUBLISHED.iter().find(|(ns, _)| *ns == granularity_ns)?;
    let millions_in_10_s = |wanted: u32| figures.iter().find(|(threads, _)| *threads == wanted).map(|(_, m)| *m);
    let (alone, all) = (millions_in_10_s(1)?, millions_in_10_s(threads)?);
    Some(PublishedContention {
        reads_per_s: all * 1e6 / 10.0,
        scaling: all / alone,
        machine: PUBLISHED_MACHINE.to_owned(),
        source: PUBLISHED_SOURCE.to_owned(),
    })
}

/// Judged at the highest thread count with a CPU for each; None if that is one.
pub fn knee(rows: &[ContentionRow], cpus: u32) -> Option<Knee> {
    let bare = |row: &&ContentionRow| row.clock == clock(Lane::Unordered);
    let judged =
        rows.iter().filter(bare).filter(|row| (2..=cpus).contains(&row.threads)).max_by_key(|row| row.threads)?;
    let (threads, bare) = (judged.threads, judged.scaling?);
    // Rows come with ascending granularity.
    let granular = || rows.iter().filter(|row| row.threads == threads && row.granularity_ns.is_some());
    let scales = |row: &&ContentionRow| row.scales_like(&bare, KNEE_TOLERANCE_PCT);
    let worse = granular().rfind(|row| scales(row) == Some(false));
    // After the last one that does not.
    let mut behind = granular().filter(|row| row.granularity_ns > worse.and_then(|row| row.granularity_ns));
    let found = behind.find(|row| scales(row) == Some(true));
    Some(Knee {
        threads,
        bare_scaling: bare.estimate,
        granularity_ns: found.and_then(|row| row.granularity_ns),
        scaling: found.and_then(|row| Some(row.scaling?.estimate)),
        worse_at_ns: worse.and_then(|row| row.granularity_ns),
        tolerance_pct: KNEE_TOLERANCE_PCT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const G0: Lane = Lane::Granular { granularity_ns: 0 };
    const G1000: Lane = Lane::Granular { granularity_ns: 1_000 };

    fn window(lane: Lane, threads: u32, reads: u64) -> Window {
        Window { lane, threads, reads, ticks: 1_000_000, staleness: vec![(20, 98), (700, 1), (90_000, 1)] }
    }

    /// A machine that runs `speed` times as fast in this round.
    fn round(speed: u64) -> Samples {
        let windows = [
            (G1000, 2, 196_000),
            (Lane::Unordered, 1, 100_000),
            (G1000, 1, 100_000),
            (G0, 1, 50_000),
            (G0, 2, 40_000),
            (Lane::Unordered, 2, 200_000),
        ];
        Samples { windows: windows.map(|(lane, threads, reads)| window(lane, threads, reads * speed)).to_vec() }
    }

    fn found(rounds: &[Samples], cpus: u32) -> ContentionReport {
        contention(rounds, Rate::NANOSECONDS, cpus, Disturbance::default()).unwrap()
    }

    #[test]
    fn rows_stand_in_order_and_scale_within_their_round() {
        let rounds: Vec<Samples> = (1..=11).map(round).collect();
        let seen = found(&rounds, 2);
        let rows: Vec<(&str, u32)> = seen.rows.iter().map(|row| (row.clock.name(), row.threads)).collect();
        let bare = "Unordered";
        let (g0, g1000) = ("Granular 0 ns", "Granular 1 µs");
        assert_eq!(rows, [(bare, 1), (bare, 2), (g0, 1), (g0, 2), (g1000, 1), (g1000, 2)]);
        // Rounds differ elevenfold in speed, and not at all in scaling.
        let row = &seen.rows[5];
        let scaling = row.scaling.unwrap();
        assert!((scaling.low - 1.96).abs() < 1e-9 && (scaling.high - 1.96).abs() < 1e-9);
        assert!(scaling.confidence >= chronoscope_harness::stats::CONFIDENCE);
        assert_eq!(row.reads_per_s.estimate, 196e6 * 6.0);
    }

    #[test]
    fn staleness_is_over_all_rounds() {
        let stale = found(&[round(1), round(2)], 2).rows[0].staleness.unwrap();
        assert_eq!((stale.samples, stale.p50_ns, stale.p99_ns, stale.maximum_ns), (200, 20.0, 700.0, 90_000.0));
    }

    #[test]
    fn the_knee_is_the_smallest_granularity_that_is_known_to_scale() {
        let rounds: Vec<Samples> = (1..=11).map(round).collect();
        let knee = found(&rounds, 2).knee.unwrap();
        let ends = (knee.worse_at_ns, knee.granularity_ns);
        assert_eq!((knee.threads, ends, knee.bare_scaling), (2, (Some(0), Some(1_000)), 2.0));
        assert!(found(&rounds, 1).knee.is_none(), "two threads on one CPU say nothing of it");
        let mut without = rounds.clone();
        without.iter_mut().for_each(|round| round.windows.retain(|window| window.lane != G1000));
        let knee = found(&without, 2).knee.unwrap();
        assert_eq!((knee.worse_at_ns, knee.granularity_ns), (Some(0), None));
        // In every other round it scales half as well: the median is near the bare source, but the interval is not.
        let mut doubtful = rounds;
        for round in doubtful.iter_mut().step_by(3) {
            round.windows.iter_mut().filter(|w| w.lane == G1000 && w.threads == 2).for_each(|w| w.reads /= 2);
        }
        let knee = found(&doubtful, 2).knee.unwrap();
        assert_eq!((knee.worse_at_ns, knee.granularity_ns), (Some(0), None));
        let alone = found(&[round(1)], 2).knee.unwrap();
        assert_eq!((alone.worse_at_ns, alone.granularity_ns), (None, None), "one round decides nothing");
    }

    #[test]
    fn published_figures_stand_beside_their_like_alone() {
        let published = |granularity_ns, threads| published(granularity_ns, threads).map(|found| found.scaling);
        assert_eq!(published(0, 1), Some(1.0));
        assert_eq!(published(1_000, 16), Some(181.0 / 14.0));
        assert_eq!((published(0, 3), published(100, 2)), (None, None));
    }

    #[test]
    fn windows_without_their_single_thread_have_no_scaling() {
        let lone = Samples { windows: vec![window(G0, 2, 10)] };
        let seen = found(&[lone], 2);
        assert_eq!((seen.rows[0].scaling, seen.knee), (None, None));
        assert_eq!(contention(&[], Rate::NANOSECONDS, 2, Disturbance::default()), None);
    }
}
