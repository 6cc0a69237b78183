use std::time::Duration;

/// The longest that a thread spins on one CPU before it moves to the next.
const LONGEST_TURN: Duration = Duration::from_secs(1);

/// Which of several CPUs a thread spins on when: one at a time, so that at most one is busy. On that one no other thread
/// watches, since each would see the other; a single CPU therefore has every other turn without a spinner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    places: u64,
    turn: Duration,
}

impl Rotation {
    /// Among so many CPUs, at least one, for `whole` if that is known. Each gets a fair share of a time that is too short
    /// for a second each.
    pub fn new(places: usize, whole: Option<Duration>) -> Self {
        let places = places as u64;
        let fair = whole.map_or(LONGEST_TURN, |whole| whole.div_f64(turns(places) as f64));
        Self { places, turn: fair.clamp(Duration::from_millis(1), LONGEST_TURN) }
    }

    /// The number of the turn at this time.
    pub fn turn_at(&self, elapsed: Duration) -> u64 {
        u64::try_from(elapsed.as_nanos() / self.turn.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The CPU of a turn, as an index; None for a turn without a spinner.
    pub fn place_of(&self, turn: u64) -> Option<usize> {
        let place = turn % turns(self.places);
        // Below the number of CPUs, so it fits.
        (place < self.places).then_some(place as usize)
    }

    /// When the turn at this time ends.
    pub fn end_of_turn(&self, elapsed: Duration) -> Duration {
        let ended = u32::try_from(self.turn_at(elapsed).saturating_add(1)).unwrap_or(u32::MAX);
        self.turn.saturating_mul(ended)
    }
}

/// How many turns there are until the first comes again.
fn turns(places: u64) -> u64 {
    places.max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn every_cpu_has_its_second_in_turn() {
        let rotation = Rotation::new(3, Some(Duration::from_secs(10)));
        let places = [0, 999, 1_000, 2_500, 3_000, 9_999].map(|ms| rotation.place_of(rotation.turn_at(ms * MS)));
        assert_eq!(places, [0, 0, 1, 2, 0, 0].map(Some));
        assert_eq!(rotation.end_of_turn(1_200 * MS), 2_000 * MS);
    }

    #[test]
    fn a_short_time_is_shared_fairly() {
        let rotation = Rotation::new(4, Some(300 * MS));
        let places = [0, 74, 75, 150, 299].map(|ms| rotation.place_of(rotation.turn_at(ms * MS)));
        assert_eq!(places, [0, 0, 1, 2, 3].map(Some));
        assert_eq!(Rotation::new(2, None), Rotation::new(2, Some(Duration::from_secs(3_600))), "without an end");
    }

    #[test]
    fn a_single_cpu_is_spun_on_every_other_turn() {
        let rotation = Rotation::new(1, Some(300 * MS));
        assert_eq!([0, 1, 2, 7].map(|turn| rotation.place_of(turn)), [Some(0), None, Some(0), None]);
        assert_eq!(rotation.end_of_turn(Duration::ZERO), 150 * MS);
        assert_eq!(Rotation::new(0, None).place_of(0), None);
    }
}
