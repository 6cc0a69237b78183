use core::num::NonZeroU64;
use core::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Nanoseconds per tick as a fraction in lowest terms: how macOS and Windows state the unit of their counters.
///
/// # Guarantees
/// [`ns`](Self::ns) is exact for every number of ticks, rounded down once; so it neither drifts nor goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    numerator: u64,
    denominator: NonZeroU64,
}

impl Ratio {
    /// None where either number is 0: such a fraction is no unit of time.
    pub(crate) const fn new(numerator: u64, denominator: u64) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator, denominator);
        if numerator == 0 || divisor == 0 {
            return None;
        }
        match NonZeroU64::new(denominator / divisor) {
            Some(denominator) => Some(Self { numerator: numerator / divisor, denominator }),
            None => None,
        }
    }

    /// Of a counter with that many ticks per second.
    #[cfg(any(test, windows))]
    pub(crate) const fn with_frequency_hz(frequency_hz: u64) -> Option<Self> {
        Self::new(1_000_000_000, frequency_hz)
    }

    /// What `ticks` last, in whole nanoseconds. At most `u64::MAX`, which is 584 years.
    #[inline(always)]
    pub(crate) const fn ns(self, ticks: u64) -> u64 {
        let denominator = self.denominator.get();
        if denominator == 1 {
            return ticks.saturating_mul(self.numerator); // 10 MHz and 1 GHz
        }
        let (whole, rest) = (ticks / denominator, ticks % denominator);
        let part = match rest.checked_mul(self.numerator) {
            Some(product) => product / denominator,
            // Below the numerator, as the rest is below the denominator.
            None => (rest as u128 * self.numerator as u128 / denominator as u128) as u64,
        };
        whole.saturating_mul(self.numerator).saturating_add(part)
    }

    /// The length of one tick, rounded up to whole nanoseconds.
    pub(crate) const fn step_ns(self) -> u64 {
        self.numerator.div_ceil(self.denominator.get())
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A place for a [`Ratio`] that never changes once the system has told it.
///
/// Threads may race to fill it, as all of them write the same.
#[derive(Debug)]
pub(crate) struct RatioCell {
    /// 0 while empty. Written last.
    numerator: AtomicU64,
    denominator: AtomicU64,
}

impl RatioCell {
    pub(crate) const fn empty() -> Self {
        Self { numerator: AtomicU64::new(0), denominator: AtomicU64::new(0) }
    }

    /// The ratio, from `ask` until it is known.
    #[inline(always)]
    pub(crate) fn get_or_ask(&self, ask: impl FnOnce() -> Option<Ratio>) -> Option<Ratio> {
        let numerator = self.numerator.load(Acquire);
        match NonZeroU64::new(self.denominator.load(Relaxed)) {
            Some(denominator) if numerator != 0 => Some(Ratio { numerator, denominator }),
            _ => self.fill(ask()),
        }
    }

    #[cold]
    fn fill(&self, ratio: Option<Ratio>) -> Option<Ratio> {
        let known = ratio?;
        self.denominator.store(known.denominator.get(), Relaxed);
        self.numerator.store(known.numerator, Release);
        ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    const YEAR_S: u64 = 31_557_600;
    /// Apple silicon, Windows 10 and later, the ACPI timer, Intel Macs, and a processor's own rate.
    const FREQUENCIES_HZ: [u64; 5] = [24_000_000, 10_000_000, 3_579_545, 1_000_000_000, 2_800_000_000];

    fn truth(ticks: u64, numerator: u64, denominator: u64) -> u64 {
        let ns = BigUint::from(ticks) * numerator / denominator;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    #[test]
    fn a_zero_is_no_unit() {
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::new(0, 1), None);
        assert_eq!(Ratio::new(0, 0), None);
        assert_eq!(Ratio::with_frequency_hz(0), None);
    }

    #[test]
    fn it_is_kept_in_lowest_terms() {
        assert_eq!(Ratio::with_frequency_hz(24_000_000), Ratio::new(125, 3));
        assert_eq!(Ratio::with_frequency_hz(10_000_000), Ratio::new(100, 1));
        assert_eq!(Ratio::with_frequency_hz(3_579_545), Ratio::new(200_000_000, 715_909));
        assert_eq!(Ratio::new(7, 7), Ratio::new(1, 1));
    }

    #[test]
    fn a_step_is_rounded_up() {
        let step_ns = |hz| Ratio::with_frequency_hz(hz).unwrap().step_ns();
        assert_eq!(FREQUENCIES_HZ.map(step_ns), [42, 100, 280, 1, 1]);
    }

    #[test]
    fn a_century_neither_drifts_nor_overflows() {
        for hz in FREQUENCIES_HZ {
            let ratio = Ratio::with_frequency_hz(hz).unwrap();
            for years in 0..=100 {
                let seconds = years * YEAR_S;
                assert_eq!(ratio.ns(seconds * hz), seconds * 1_000_000_000, "{years} years, {hz}");
                let (ticks, step_ns) = (seconds * hz + 1, 1_000_000_000 / hz);
                assert_eq!(ratio.ns(ticks), seconds * 1_000_000_000 + step_ns, "{years} years, {hz}");
            }
        }
    }

    #[test]
    fn the_end_of_the_range_saturates() {
        assert_eq!(Ratio::new(125, 3).unwrap().ns(u64::MAX), u64::MAX);
        assert_eq!(Ratio::new(100, 1).unwrap().ns(u64::MAX), u64::MAX);
        assert_eq!(Ratio::new(1, 1).unwrap().ns(u64::MAX), u64::MAX);
        assert_eq!(Ratio::new(u64::MAX, u64::MAX - 1).unwrap().ns(u64::MAX), u64::MAX);
        // The last tick that does not, and the first that does.
        let last = truth(u64::MAX, 3, 125);
        assert_eq!(Ratio::new(125, 3).unwrap().ns(last), truth(last, 125, 3));
        assert!(Ratio::new(125, 3).unwrap().ns(last) < u64::MAX);
        assert_eq!(Ratio::new(125, 3).unwrap().ns(last + 1), u64::MAX);
    }

    #[test]
    fn a_cell_asks_until_it_knows_and_then_no_more() {
        let cell = RatioCell::empty();
        assert_eq!(cell.get_or_ask(|| None), None);
        assert_eq!(cell.get_or_ask(|| Ratio::new(125, 3)), Ratio::new(125, 3));
        assert_eq!(cell.get_or_ask(|| unreachable!("it is known")), Ratio::new(125, 3));
    }

    #[test]
    fn threads_may_race_to_fill_a_cell() {
        for _ in 0..if cfg!(miri) { 4 } else { 200 } {
            let cell = RatioCell::empty();
            std::thread::scope(|scope| {
                let threads = [(); 3].map(|()| scope.spawn(|| cell.get_or_ask(|| Ratio::new(125, 3))));
                for thread in threads {
                    assert_eq!(thread.join().unwrap(), Ratio::new(125, 3));
                }
            });
        }
    }

    proptest! {
        #[test]
        fn conversion_is_exact(ticks in any::<u64>(), numerator in 1_u64.., denominator in 1_u64..) {
            let ratio = Ratio::new(numerator, denominator).unwrap();
            prop_assert_eq!(ratio.ns(ticks), truth(ticks, numerator, denominator));
        }

        #[test]
        fn conversion_is_exact_at_rates_that_exist(ticks in any::<u64>(), at in 0..FREQUENCIES_HZ.len()) {
            let hz = FREQUENCIES_HZ[at];
            prop_assert_eq!(Ratio::with_frequency_hz(hz).unwrap().ns(ticks), truth(ticks, 1_000_000_000, hz));
        }

        #[test]
        fn conversion_is_exact_with_32_bit_fractions(
            ticks in any::<u64>(), numerator in 1..=u32::MAX, denominator in 1..=u32::MAX,
        ) {
            let (numerator, denominator) = (u64::from(numerator), u64::from(denominator));
            let ratio = Ratio::new(numerator, denominator).unwrap();
            prop_assert_eq!(ratio.ns(ticks), truth(ticks, numerator, denominator));
        }

        #[test]
        fn later_ticks_are_never_earlier(
            ticks in any::<u64>(), further in any::<u64>(), numerator in 1_u64.., denominator in 1_u64..,
        ) {
            let ratio = Ratio::new(numerator, denominator).unwrap();
            prop_assert!(ratio.ns(ticks) <= ratio.ns(ticks.saturating_add(1)));
            prop_assert!(ratio.ns(ticks) <= ratio.ns(ticks.saturating_add(further)));
        }
    }
}
