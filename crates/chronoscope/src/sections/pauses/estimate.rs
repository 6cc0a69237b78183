use super::task::{Samples, Turn};
use crate::estimate::median_of;
use crate::sections::pauses::report::{Pause, PauseFigures, PauseMethod, PauseUnavailable, PauseWay, PublishedPause};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::stats::Distribution;

/// With fewer pauses there is no 99.9th percentile.
const FEWEST_FOR_P999: u64 = 1_000;

/// Means in microseconds for 1, 10, 100, 1 000 and 10 000 µs.
///
/// # Sources
/// The article on pauses behind row P1: Java on a laptop, before JDK 25.
const PUBLISHED: [(&str, [f64; 5]); 3] = [
    ("Thread.sleep (Java)", [1284.6, 1293.8, 1295.7, 1292.7, 11865.3]),
    ("LockSupport.parkNanos (Java)", [8.1, 28.4, 141.8, 1294.3, 11834.2]),
    ("busy wait (Java)", [1.1, 10.1, 100.2, 1000.2, 10000.2]),
];
const PUBLISHED_LENGTHS_NS: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const PUBLISHED_SOURCE: &str = "the article on pauses: Java before JDK 25, a machine that is not named";

/// The durations of pauses in `rounds`. None without pauses.
///
/// Percentiles and means cover all pauses of all rounds; the median has an interval over rounds.
pub fn pause(rounds: &[Samples], loaded: bool, disturbance: Disturbance) -> Option<Pause> {
    let turns = || rounds.iter().flat_map(|round| &round.turns);
    let mut kinds: Vec<(PauseWay, u64)> = turns().map(|turn| (turn.way, turn.requested_ns)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let methods: Vec<PauseMethod> = kinds
        .into_iter()
        .filter_map(|kind| {
            let of_kind: Vec<&Turn> = turns().filter(|turn| (turn.way, turn.requested_ns) == kind).collect();
            method(kind, &of_kind)
        })
        .collect();
    let mut unavailable: Vec<PauseUnavailable> = Vec::new();
    for (way, reason) in rounds.iter().flat_map(|round| &round.unavailable) {
        if unavailable.iter().all(|known| known.name != way.name()) {
            unavailable.push(PauseUnavailable { name: way.name().to_owned(), reason: reason.clone() });
        }
    }
    (!methods.is_empty()).then(|| Pause {
        methods,
        unavailable,
        rounds: rounds.len() as u64,
        loaded,
        published: published(),
        disturbance,
    })
}

fn method((way, requested_ns): (PauseWay, u64), turns: &[&Turn]) -> Option<PauseMethod> {
    let paused =
        turns.iter().map(|turn| Paused { taken_ns: &turn.taken_ns, cpu_ns: turn.cpu_ns, wall_ns: turn.wall_ns });
    let figures = pause_figures(way.name(), requested_ns, &paused.collect::<Vec<_>>())?;
    Some(PauseMethod { way, figures, preempted: turns.iter().map(|turn| turn.preempted).sum() })
}

/// Pauses of one method and length in one process.
pub struct Paused<'a> {
    /// Their durations, with counts.
    pub taken_ns: &'a [(u64, u64)],
    /// Their total CPU time, if known.
    pub cpu_ns: Option<u64>,
    /// The time from before the first to after the last.
    pub wall_ns: u64,
}

/// The durations of pauses in all processes. None without pauses.
pub fn pause_figures(name: &str, requested_ns: u64, rounds: &[Paused<'_>]) -> Option<PauseFigures> {
    let counts = |of: &Paused<'_>| of.taken_ns.iter().map(|(ns, count)| (*ns as f64, *count)).collect::<Vec<_>>();
    let all = Distribution::of_counts(rounds.iter().flat_map(counts));
    let medians: Vec<f64> = rounds.iter().filter_map(|of| Distribution::of_counts(counts(of)).quantile(0.5)).collect();
    let samples = all.total();
    let taken = || rounds.iter().flat_map(|of| of.taken_ns);
    let sum: f64 = taken().map(|(ns, count)| *ns as f64 * *count as f64).sum();
    let told = rounds.iter().filter_map(|of| Some((of.cpu_ns?, of.wall_ns)));
    let (cpu_ns, wall_ns) =
        told.fold((0_u64, 0_u64), |(cpu, wall), (of, whole)| (cpu.saturating_add(of), wall.saturating_add(whole)));
    Some(PauseFigures {
        name: name.to_owned(),
        requested_ns,
        samples,
        mean_ns: sum / samples.max(1) as f64,
        p50_ns: median_of(&medians)?,
        p99_ns: all.quantile(0.99)?,
        p999_ns: all.quantile(0.999).filter(|_| samples >= FEWEST_FOR_P999),
        max_over_ns: all.maximum()? - requested_ns as f64,
        cpu_share: (cpu_ns as f64 / wall_ns.max(1) as f64).min(1.0),
        early: taken().filter(|(ns, _)| *ns < requested_ns).map(|(_, count)| count).sum(),
    })
}

/// The article's figures.
pub fn published() -> Vec<PublishedPause> {
    let of = |(name, means_us): &(&str, [f64; 5])| PublishedPause {
        name: (*name).to_owned(),
        mean_ns: PUBLISHED_LENGTHS_NS.into_iter().zip(means_us.iter().map(|us| us * 1e3)).collect(),
        source: PUBLISHED_SOURCE.to_owned(),
    };
    PUBLISHED.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(way: PauseWay, taken_ns: Vec<(u64, u64)>) -> Turn {
        Turn { way, requested_ns: 1_000, taken_ns, cpu_ns: Some(300), wall_ns: 1_200, preempted: Some(1) }
    }

    #[test]
    fn rounds_are_pooled_way_by_way() {
        let rounds: Vec<Samples> = (0..11)
            .map(|round| Samples {
                turns: vec![
                    turn(PauseWay::Spin, vec![(1_010 + round, 99), (9_000, 1)]),
                    turn(PauseWay::Sleep, vec![(999, 1), (4_000, 9)]),
                ],
                unavailable: vec![(PauseWay::PauserRealTime, "no right".to_owned())],
            })
            .collect();
        let found = pause(&rounds, false, Disturbance::default()).unwrap();
        let [sleep, spin] = found.methods.as_slice() else { panic!("{:?}", found.methods) };
        assert_eq!(
            (sleep.way, sleep.figures.early, sleep.figures.samples, sleep.figures.p999_ns),
            (PauseWay::Sleep, 11, 110, None)
        );
        assert_eq!(
            (spin.figures.p50_ns.estimate, spin.figures.max_over_ns, spin.preempted),
            (1_015.0, 8_000.0, Some(11))
        );
        assert!(spin.figures.p999_ns.is_some() && (spin.figures.cpu_share - 0.25).abs() < 1e-9);
        assert_eq!(found.unavailable.len(), 1, "once, however many rounds");
    }

    #[test]
    fn nothing_seen_is_nothing_said() {
        assert_eq!(pause(&[], true, Disturbance::default()), None);
    }
}
