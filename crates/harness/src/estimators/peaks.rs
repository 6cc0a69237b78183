//! The highest of what came in each of equally long intervals.

use std::time::Duration;

/// The highest of each interval, of which there are never more than 200: two at a time become one when time goes on.
///
/// # Guarantees
/// Nothing is allocated after construction; adding one is a comparison, but for one in some hundreds of intervals.
#[derive(Clone, Debug)]
pub struct Peaks<T> {
    width_ns: u64,
    /// The height, and what it was, by interval.
    peaks: Vec<Option<(u64, T)>>,
}

impl<T> Peaks<T> {
    /// Maximum intervals.
    pub const MOST: usize = 200;

    /// Of intervals that are this long, as long as there are no more than 200; not below a nanosecond.
    #[must_use]
    pub fn every(width: Duration) -> Self {
        let width_ns = nanos(width).max(1);
        Self { width_ns, peaks: Vec::with_capacity(Self::MOST) }
    }

    /// Of `whole` in intervals that are a multiple of `least`.
    #[must_use]
    pub fn within(whole: Duration, least: Duration) -> Self {
        let least_ns = nanos(least).max(1);
        let times = nanos(whole).div_ceil(least_ns.saturating_mul(Self::MOST as u64)).max(1);
        Self::every(Duration::from_nanos(least_ns.saturating_mul(times)))
    }

    /// Adds `what`, which came `at` this time since the begin and was that high.
    pub fn add(&mut self, at: Duration, height: u64, what: T) {
        let at_ns = nanos(at);
        while at_ns / self.width_ns >= Self::MOST as u64 {
            self.join();
        }
        // Below the number of intervals, so it fits.
        let place = (at_ns / self.width_ns) as usize;
        while self.peaks.len() <= place {
            self.peaks.push(None);
        }
        let peak = &mut self.peaks[place];
        if peak.as_ref().is_none_or(|(highest, _)| height > *highest) {
            *peak = Some((height, what));
        }
    }

    /// Makes one of each two intervals.
    fn join(&mut self) {
        for place in 0..self.peaks.len().div_ceil(2) {
            let [first, second] = [2 * place, 2 * place + 1].map(|of| self.peaks.get_mut(of).and_then(Option::take));
            let is_second = second.as_ref().map(|(height, _)| *height) > first.as_ref().map(|(height, _)| *height);
            self.peaks[place] = if is_second { second } else { first };
        }
        self.peaks.truncate(self.peaks.len().div_ceil(2));
        self.width_ns = self.width_ns.saturating_mul(2);
    }

    /// Makes intervals as long as `width`, or as the next length that they can have.
    pub fn widen(&mut self, width: Duration) {
        while self.width() < width {
            self.join();
        }
    }

    /// How long each interval is.
    #[must_use]
    pub fn width(&self) -> Duration {
        Duration::from_nanos(self.width_ns)
    }

    /// When each interval began in which anything came, its height, and what it was.
    pub fn iter(&self) -> impl Iterator<Item = (Duration, u64, &T)> {
        self.peaks.iter().enumerate().filter_map(|(place, peak)| {
            let (height, what) = peak.as_ref()?;
            Some((Duration::from_nanos(self.width_ns.saturating_mul(place as u64)), *height, what))
        })
    }
}

/// At most 292 years, so that joining intervals comes to an end.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).min(u64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_interval_has_the_highest_of_all_that_came_in_it(
            came in prop::collection::vec((0_u64..5_000_000, 0_u64..1_000), 0..400),
            width_ns in 1_u64..100_000,
        ) {
            let mut peaks = Peaks::every(Duration::from_nanos(width_ns));
            for (at, height) in &came {
                peaks.add(Duration::from_nanos(*at), *height, *height);
            }
            let found: Vec<_> = peaks.iter().map(|(from, height, what)| (from, height, *what)).collect();
            let width = peaks.width().as_nanos() as u64;
            let mut naive = BTreeMap::<u64, u64>::new();
            for (at, height) in &came {
                let highest = naive.entry(at / width).or_default();
                *highest = (*highest).max(*height);
            }
            let naive: Vec<_> = naive.into_iter().map(|(at, high)| (Duration::from_nanos(at * width), high, high)).collect();
            prop_assert!(found.len() <= Peaks::<u64>::MOST && width % width_ns == 0);
            prop_assert_eq!(found, naive);
        }
    }

    #[test]
    fn intervals_are_as_long_as_a_run_needs() {
        let ms = Duration::from_millis;
        let width = |whole, least| Peaks::<()>::within(whole, least).width();
        assert_eq!(
            [10_000, 20_000, 20_001, 86_400_000].map(|whole| width(ms(whole), ms(100))),
            [100, 100, 200, 432_000].map(ms)
        );
        assert_eq!(width(Duration::MAX, Duration::ZERO).as_nanos() as u64, (u64::MAX / 2).div_ceil(200));
        let mut longest = Peaks::every(Duration::ZERO);
        longest.add(Duration::MAX, 3, ());
        longest.add(ms(1), 4, ());
        assert_eq!(longest.iter().map(|(_, height, _)| height).collect::<Vec<_>>(), [4, 3]);
    }
}
