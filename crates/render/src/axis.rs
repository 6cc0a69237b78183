//! Axes of charts, for the terminal and for browsers.

/// Larger or non-finite numbers cannot be drawn.
const LARGEST: f64 = 1e15;
/// Maximum ticks.
const TICKS: usize = 6;
/// If the largest value exceeds the middle one by this factor, an axis of tokens uses equal steps for doublings.
const STRETCHED: f64 = 8.0;

/// How values are mapped to an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; values must be above zero.
    Log,
    /// The logarithm of one plus the value, so that zero can be drawn.
    LogFromZero,
}

impl Scale {
    /// Logarithmic where all values are above zero and the largest is more than `ratio` times the smallest, linear otherwise.
    pub fn spanning(values: impl Iterator<Item = f64>, ratio: f64) -> Self {
        match span(values) {
            Some((least, most)) if least > 0.0 && most / least > ratio => Self::Log,
            _ => Self::Linear,
        }
    }

    fn mapped(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.ln(),
            Self::LogFromZero => value.max(0.0).ln_1p(),
        }
    }
}

/// An axis from 0 to 1 with values at it.
#[derive(Clone, Debug)]
pub struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// Whether its ticks are the values themselves.
    is_swept: bool,
    /// Labelled values, equally spaced on an axis of results.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// An axis of results that begins and ends at round values; None if there is nothing to draw.
    pub fn of_results(values: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        let (least, most) = span(values.filter(|value| scale == Scale::Linear || *value > 0.0))?;
        Some(if scale == Scale::Linear { Self::linear(least, most) } else { Self::logarithmic(least, most) })
    }

    /// An axis of results with their intervals, as value, low and high, and of `more`. A few intervals far wider than the rest are
    /// cut, so that they do not flatten the curves.
    pub fn of_estimates(of: &[[f64; 3]], more: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        let finite = || of.iter().filter(|[value, ..]| value.is_finite());
        let (least, most) = span(finite().map(|[value, ..]| *value)).unwrap_or_default();
        let mut widths: Vec<f64> = finite().map(|[_, low, high]| (high - low).abs()).collect();
        widths.sort_by(f64::total_cmp);
        let room = (most - least).max(2.0 * widths.get(widths.len() / 2).copied().unwrap_or(0.0));
        let ends = finite().flat_map(|[value, low, high]| [*value, low.max(least - room), high.min(most + room)]);
        Self::of_results(ends.chain(more), scale)
    }

    fn linear(least: f64, most: f64) -> Self {
        let wanted = (most - least).max(most.abs().max(least.abs()) * 1e-6).max(1e-9);
        let step = round_step(wanted / (TICKS - 1) as f64);
        let (first, last) = ((least / step).floor(), (most / step).ceil());
        let steps = ((last - first) as usize).clamp(1, 2 * TICKS);
        let ticks: Vec<f64> = (0..=steps).map(|i| (first + i as f64) * step).collect();
        Self { scale: Scale::Linear, low: first * step, high: (first + steps as f64) * step, is_swept: false, ticks }
    }

    fn logarithmic(least: f64, most: f64) -> Self {
        let octaves = (most / least).log2().max(1.0);
        let factor = [2.0, 4.0, 10.0, 100.0, 1e4, 1e8]
            .into_iter()
            .find(|factor: &f64| octaves / factor.log2() <= (TICKS + 1) as f64)
            .unwrap_or(1e16);
        let first = (least.ln() / factor.ln() + 1e-9).floor();
        let last = (most.ln() / factor.ln() - 1e-9).ceil().max(first + 1.0);
        let steps = ((last - first) as usize).clamp(1, 2 * TICKS);
        let at = |i: f64| factor.powf(first + i);
        let ticks = (0..=steps).map(|i| at(i as f64)).collect();
        Self { scale: Scale::Log, low: at(0.0), high: at(steps as f64), is_swept: false, ticks }
    }

    /// An axis of counts up to `most`, from zero: an area that stands for a count has a beginning.
    #[cfg(feature = "html")]
    pub fn of_counts(most: u64) -> Self {
        let high = most.max(1) as f64;
        let decades = high.log10().floor() as i32;
        let step = (decades / (TICKS as i32 - 1) + 1) as usize;
        let ticks = (0..=decades).step_by(step).map(|decade| 10_f64.powi(decade));
        Self {
            scale: Scale::LogFromZero,
            low: 0.0,
            high,
            ticks: std::iter::once(0.0).chain(ticks).collect(),
            is_swept: false,
        }
    }

    /// An axis of swept values: its ticks are the values themselves, at most `limit`.
    pub fn of_sweep(values: &[f64], limit: usize, scale: Option<Scale>) -> Option<Self> {
        let mut ticks: Vec<f64> = values.iter().copied().filter(|value| value.abs() < LARGEST).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let (low, high) = (*ticks.first()?, *ticks.last()?);
        let middle = ticks[ticks.len() / 2].max(1.0);
        let stretched = if high / middle > STRETCHED { Scale::LogFromZero } else { Scale::Linear };
        let step = ticks.len().saturating_sub(1).div_ceil(limit.max(2) - 1).max(1);
        let last = ticks.len() - 1;
        let ticks =
            ticks.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, x)| x).collect();
        Some(Self { scale: scale.unwrap_or(stretched), low, high, is_swept: true, ticks })
    }

    /// A logarithmic axis from the least of these to the most, with round ticks; None unless they differ and are above zero.
    #[cfg(feature = "html")]
    pub fn of_ratios(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = span(values).filter(|(low, high)| *low > 0.0 && low < high)?;
        Some(Self { scale: Scale::Log, low, high, is_swept: false, ticks: vec![low, high] })
    }

    /// Ticks that people count by, at most so many: on an axis of ratios 1, 2 and 5 of each decade, or decades.
    #[cfg(feature = "html")]
    pub fn round_ticks(&self, most: usize) -> Vec<f64> {
        if self.scale != Scale::Log || self.is_swept {
            return self.ticks.clone();
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let within = |tick: &f64| (self.low * 0.999..=self.high * 1.001).contains(tick);
        let of = |factors: &[f64], step: usize| -> Vec<f64> {
            let decades = (first..=last).filter(|decade| decade.rem_euclid(step as i32) == 0);
            decades
                .flat_map(|decade| factors.iter().map(move |factor| factor * 10_f64.powi(decade)))
                .filter(within)
                .collect()
        };
        let coarse = (1..=20).map(|step| of(&[1.0], step));
        // On less than a decade.
        let fine = of(&[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0], 1);
        let ways = [of(&[1.0, 2.0, 5.0], 1), of(&[1.0, 3.0], 1)].into_iter().chain(coarse).chain([fine]);
        ways.into_iter().find(|ticks| ticks.len() <= most && ticks.len() > 1).unwrap_or_else(|| self.ticks.clone())
    }

    /// Whether what reaches this far is cut off at an end of the axis.
    #[cfg(feature = "html")]
    pub fn cuts(&self, value: f64) -> bool {
        let slack = 1e-9 * (self.high - self.low).abs();
        value < self.low - slack || value > self.high + slack
    }

    /// Whether steps are equal for equal ratios.
    pub fn is_log(&self) -> bool {
        self.scale != Scale::Linear
    }

    /// The position of a value between 0 and 1; clamped if outside, None if it cannot be drawn.
    pub fn place(&self, value: f64) -> Option<f64> {
        let [low, high, value] = [self.low, self.high, value].map(|value| self.scale.mapped(value));
        // The logarithm of zero is clamped to the end; that of a negative number is undefined.
        let part = if high > low { (value - low) / (high - low) } else { 0.5 };
        (!part.is_nan()).then(|| part.clamp(0.0, 1.0))
    }
}

/// The minimum and maximum of the values that can be drawn.
fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.abs() < LARGEST).fold(None, |span, value| {
        let (least, most) = span.unwrap_or((value, value));
        Some((value.min(least), value.max(most)))
    })
}

/// The smallest 1, 2 or 5 times a power of ten that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|round| *round >= step * 0.999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_scale_is_logarithmic_above_zero_and_over_a_wide_range_alone() {
        let of = |values: [f64; 3]| Scale::spanning(values.into_iter(), 10.0);
        assert_eq!(of([1.0, 5.0, 10.1]), Scale::Log);
        for values in [[1.0, 5.0, 10.0], [0.0, 5.0, 100.0], [-1.0, 5.0, 100.0], [f64::NAN; 3]] {
            assert_eq!(of(values), Scale::Linear, "{values:?}");
        }
    }

    #[test]
    fn results_get_round_ends() {
        let axis = Axis::of_results([3.5, 60.2].into_iter(), Scale::Linear).unwrap();
        assert_eq!(axis.ticks, [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!([axis.place(0.0), axis.place(40.0), axis.place(1e9)], [Some(0.0), Some(0.5), Some(1.0)]);
        let axis = Axis::of_results([5.0, 61.0].into_iter(), Scale::Log).unwrap();
        assert_eq!(axis.ticks.iter().map(|tick| tick.round()).collect::<Vec<_>>(), [4.0, 8.0, 16.0, 32.0, 64.0]);
        assert!(Axis::of_results([f64::NAN, f64::INFINITY].into_iter(), Scale::Linear).is_none());
    }

    #[test]
    fn an_interval_far_wider_than_the_rest_is_cut() {
        let of = [[1.0, 0.9, 1.1], [2.0, 1.9, 2.1], [3.0, -900.0, 900.0]];
        let axis = Axis::of_estimates(&of, [0.0].into_iter(), Scale::Linear).unwrap();
        assert!(axis.ticks.first().unwrap() >= &-2.0 && axis.ticks.last().unwrap() <= &6.0, "{axis:?}");
        assert!(Axis::of_estimates(&[[f64::NAN; 3]], std::iter::empty(), Scale::Linear).is_none());
    }

    #[test]
    fn equal_ratios_are_equal_steps_of_a_log_scale() {
        let axis = Axis::of_results([5.0, 4_000.0].into_iter(), Scale::Log).unwrap();
        let step = |value: f64| axis.place(10.0 * value).unwrap() - axis.place(value).unwrap();
        assert!((step(6.0) - step(300.0)).abs() < 1e-9 && step(6.0) > 0.0, "{} {}", step(6.0), step(300.0));
    }

    #[cfg(feature = "html")]
    #[test]
    fn an_axis_of_ratios_ends_at_its_values_and_has_round_ticks() {
        let axis = Axis::of_ratios([100.0, 5_000.0, 351_999.0].into_iter()).unwrap();
        assert_eq!(axis.round_ticks(6), [100.0, 1_000.0, 10_000.0, 100_000.0]);
        assert_eq!([axis.place(100.0), axis.place(351_999.0)], [Some(0.0), Some(1.0)]);
        assert!(Axis::of_ratios([0.0, 5.0].into_iter()).is_none() && Axis::of_ratios([5.0].into_iter()).is_none());
    }

    #[cfg(feature = "html")]
    #[test]
    fn round_ticks_are_those_people_count_by() {
        let ticks = |least: f64, most: f64| {
            let axis = Axis::of_results([least, most].into_iter(), Scale::Log).unwrap();
            axis.round_ticks(7)
                .iter()
                .map(|tick| format!("{tick:.6}").trim_end_matches('0').to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(ticks(0.012, 0.02), ["0.01", "0.02"]);
        assert_eq!(ticks(0.02, 0.02), ["0.02", "0.03"], "no powers of two");
    }

    #[cfg(feature = "html")]
    #[test]
    fn an_axis_of_counts_begins_at_none() {
        let axis = Axis::of_counts(536_352);
        assert_eq!(axis.ticks, [0.0, 1.0, 100.0, 10_000.0]);
        assert_eq!([axis.place(0.0), axis.place(536_352.0)], [Some(0.0), Some(1.0)]);
        assert!(axis.place(1.0).unwrap() > 0.05, "one of a kind can be seen");
        assert_eq!(Axis::of_counts(0).ticks, [0.0, 1.0]);
        assert!(Axis::of_counts(u64::MAX).ticks.len() <= TICKS);
    }

    #[test]
    fn a_sweep_keeps_its_values() {
        let swept: Vec<f64> = (0..=40).map(f64::from).collect();
        assert_eq!(
            Axis::of_sweep(&swept, 11, None).unwrap().ticks,
            (0..=10).map(|i| f64::from(4 * i)).collect::<Vec<_>>()
        );
        let doubled: Vec<f64> = (0..=20).map(|i| f64::from(1 << i)).collect();
        assert!(Axis::of_sweep(&doubled, 11, None).unwrap().is_log());
        assert!(!Axis::of_sweep(&swept, 11, None).unwrap().is_log());
    }

    #[cfg(feature = "html")]
    #[test]
    fn people_count_by_ones_twos_and_fives_or_by_decades() {
        let ticks =
            |least: f64, most: f64| Axis::of_results([least, most].into_iter(), Scale::Log).unwrap().round_ticks(7);
        assert_eq!(ticks(20.0, 180.0), [20.0, 50.0, 100.0, 200.0]);
        let decades = ticks(3.0, 40_000.0);
        assert!(
            decades.len() <= 7 && decades.iter().all(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9),
            "{decades:?}"
        );
        let swept = Axis::of_sweep(&[1.0, 2.0, 4.0, 8.0], 9, Some(Scale::Log)).unwrap();
        assert_eq!(swept.round_ticks(2), [1.0, 2.0, 4.0, 8.0]);
    }

    proptest! {
        #[test]
        fn no_value_panics(values in prop::collection::vec(any::<f64>(), 0..20), probe in any::<f64>()) {
            for scale in [Scale::Linear, Scale::Log] {
                let results = Axis::of_results(values.iter().copied(), scale);
                let swept = Axis::of_sweep(&values, 11, Some(scale));
                for axis in results.iter().chain(&swept) {
                    prop_assert!((1..=14).contains(&axis.ticks.len()));
                    prop_assert!(axis.place(probe).is_none_or(|part| (0.0..=1.0).contains(&part)));
                }
            }
        }
    }
}
