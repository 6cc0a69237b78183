use super::task::{Samples, Turn};
use crate::plan::ascending;
use crate::sections::pauses::report::PauseWay;
use chronoscope_harness::estimators::pauses::{
    PauseFigures, PauseUnavailable, Paused, Pauses, pause_figures, unavailable_once,
};

/// The durations of pauses in `rounds`. None without pauses.
///
/// Percentiles and means cover all pauses of all rounds; the median has an interval over rounds.
pub fn pause(rounds: &[Samples]) -> Option<Pauses> {
    let turns = || rounds.iter().flat_map(|round| &round.turns);
    let kinds = ascending(turns().map(|turn| (turn.way, turn.requested_ns)));
    let methods: Vec<PauseFigures> = kinds
        .into_iter()
        .filter_map(|kind| {
            let of_kind: Vec<&Turn> = turns().filter(|turn| (turn.way, turn.requested_ns) == kind).collect();
            method(kind, &of_kind)
        })
        .collect();
    let missing = rounds.iter().flat_map(|round| &round.unavailable);
    let missing = missing.map(|(way, reason)| PauseUnavailable { name: way.name().to_owned(), reason: reason.clone() });
    let unavailable = unavailable_once(missing);
    (!methods.is_empty()).then_some(Pauses { methods, unavailable, rounds: rounds.len() as u64 })
}

fn method((way, requested_ns): (PauseWay, u64), turns: &[&Turn]) -> Option<PauseFigures> {
    let paused = turns.iter().map(|turn| Paused {
        taken_ns: &turn.taken_ns,
        cpu_ns: turn.cpu_ns,
        wall_ns: turn.wall_ns,
        preempted: turn.preempted,
    });
    pause_figures(way.name(), requested_ns, &paused.collect::<Vec<_>>())
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
        let found = pause(&rounds).unwrap();
        let [sleep, spin] = found.methods.as_slice() else { panic!("{:?}", found.methods) };
        assert_eq!((sleep.name.as_str(), sleep.early, sleep.samples, sleep.p999_ns), ("pause::sleep", 11, 110, None));
        assert_eq!((spin.p50_ns.estimate, spin.max_over_ns, spin.preempted), (1_015.0, 8_000.0, Some(11)));
        assert_eq!((sleep.histogram.count(), spin.histogram.count()), (110, 1_100));
        assert!(spin.p999_ns.is_some() && (spin.cpu_share - 0.25).abs() < 1e-9);
        assert_eq!(found.unavailable.len(), 1);
    }

    #[test]
    fn nothing_seen_is_nothing_said() {
        assert_eq!(pause(&[]), None);
    }
}
