//! The lattice on which the readings of a clock lie.
//!
//! A clock that ticks every P nanoseconds and is read at time t returns ⌊t/P⌋·P, truncated to the unit it reports in. The reads may
//! take much longer than P, so that no two readings are one tick apart. A few readings in a row name a period, by [the estimator of the
//! clock's own step](longest_period); it is believed if all readings together share a phase at the frequency 1/P, which at any other they
//! do not, provided that the reads themselves came at irregular times.
//!
//! # Sources
//! The periodogram as the estimator of a period from sparse events, and its statistical efficiency: E. Fogel, M. Gavish, "Parameter
//! estimation of quasi-periodic sequences", ICASSP 1988; I. V. L. Clarkson, "Approximate maximum-likelihood period estimation from
//! sparse, noisy timing data", IEEE Transactions on Signal Processing 56(5), 2008. That every harmonic of the frequency explains the
//! readings as well, so that the lowest must be chosen: S. D. Casey, B. M. Sadler, "Modifications of the Euclidean algorithm for
//! isolating periodicities from a sparse set of noisy measurements", IEEE Transactions on Signal Processing 44(9), 1996.

use std::f64::consts::TAU;

use chronoscope_sources::longest_period;

/// Readings without which nothing is said.
const FEWEST: usize = 400;
/// The shortest period looked for, in units of the readings: truncation to a unit hides any shorter one.
const SHORTEST: f64 = 3.0;
/// The longest period looked for, as a share of the spread of the distances between reads. Distances spread over fewer periods
/// could share a phase by themselves.
const LONGEST: f64 = 1.0 / 3.0;
/// Readings in a row that name a period: so few that some groups lie on the lattice whole where a tenth of all readings do not, and so
/// many that they share none by chance where truncation leaves little of a short one and reads take many.
const IN_A_GROUP: [usize; 2] = [10, 20];
/// Groups of each size that are asked.
const GROUPS: usize = 48;
/// Periods named by two groups that are one, as a share.
const SAME: f64 = 1e-3;
/// How much of the phase that a lattice would share the readings must share: all of it but for jitter.
const SHARED: f64 = 0.85;
/// The share for distances between neighbours, which few readings named. Truncation leaves half of that of the shortest period.
const WORTH_A_LOOK: f64 = 0.35;
/// How far from a multiple of the period a reading may be, in its units: truncation moves it by half of one either way, and the line
/// through the phases is not exact.
const WITHIN: f64 = 1.0;
/// How many more readings must lie on a finer lattice, as a share of those that would not by chance.
const CLEARLY_MORE: f64 = 0.03;
/// Parts of a period that are tried: every other part has one of these as a factor, but for those beyond 7.
const PARTS: [f64; 4] = [2.0, 3.0, 5.0, 7.0];
/// Readings before and after a new phase that keep to theirs.
const LASTING: usize = 8;
/// The readings per new phase, at least: with fewer, anything would lie on a lattice.
const PER_PHASE: usize = 100;
/// Half-width of a 99.9 % interval in standard errors.
const NORMAL_999: f64 = 3.29;

/// The period of a lattice, in units of the readings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    pub(super) period: f64,
    /// Half of its 99.9 % interval.
    pub(super) half_width: f64,
    /// How much of a phase the readings share, of what truncation to whole units leaves of it.
    pub(super) coherence: f64,
    /// The share of readings within a unit of a multiple of the period.
    pub(super) share: f64,
    /// Where the lattice lies, in periods from the first reading.
    phase: f64,
}

impl Lattice {
    /// How far from a multiple of the period a value is, in units.
    fn off(&self, value: f64) -> f64 {
        wrapped(value / self.period - self.phase) * self.period
    }

    /// The share of readings on the lattice, of those that do not lie there by chance.
    fn beyond_chance(&self) -> f64 {
        let chance = (2.0 * WITHIN / self.period).min(1.0);
        if chance < 1.0 { (self.share - chance) / (1.0 - chance) } else { 0.0 }
    }
}

/// What a search for a lattice found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Search {
    /// The shortest and the longest period that the readings could show, in their units. None if they show none: too few differ, or
    /// they came at times too regular.
    pub(super) bounds: Option<(f64, f64)>,
    /// The longest period whose multiples all readings are, up to truncation to whole units. It may be longer than the bound, but is
    /// not always found then.
    pub(super) found: Option<Lattice>,
}

/// Looks for the lattice on which `readings` lie, which were taken one after the other at irregular times.
pub(super) fn search(readings: &[u64]) -> Search {
    let first = readings.first().copied().unwrap_or_default();
    let mut values: Vec<f64> = readings.iter().map(|reading| reading.wrapping_sub(first) as i64 as f64).collect();
    values.dedup();
    let Some(distances) = Distances::of(&values) else { return Search::default() };
    // Every multiple of the frequency would do as well, so the lowest comes first.
    let found = candidates(readings, &distances).find_map(|frequency| {
        let phases = new_phases(&values, frequency);
        let frequency = refined(&values, &phases, frequency);
        let values = in_one_phase(&values, &phases, frequency);
        let found = proved(&values, frequency, distances.most)?;
        let whole = of_all(&values, found, distances.most);
        // A lower one than was looked for may do, too.
        let times = common_multiple(&values, &whole);
        Some(proved(&values, whole.period.recip() / times, distances.most).unwrap_or(whole))
    });
    Search { bounds: Some((SHORTEST, distances.longest)), found }
}

/// The frequencies that groups of readings name, lowest first.
fn candidates(readings: &[u64], distances: &Distances) -> impl Iterator<Item = f64> {
    let middle = |(low, high): (f64, f64)| f64::midpoint(low, high);
    let groups = IN_A_GROUP.into_iter().flat_map(|size| readings.chunks_exact(size).take(GROUPS));
    let named = groups.filter_map(|group| longest_period(group, SHORTEST)).map(middle);
    let mut periods: Vec<f64> = named.filter(|period| *period <= distances.longest).collect();
    periods.sort_by(|a, b| b.total_cmp(a));
    periods.dedup_by(|later, earlier| *earlier - *later < SAME * *earlier);
    periods.into_iter().map(f64::recip).filter(|frequency| distances.share(*frequency) > WORTH_A_LOOK)
}

/// The lattice, or a part of its period on which clearly more readings lie: where most readings happen to be even multiples of a
/// tick, they share much of a phase at half its frequency, too.
fn of_all(values: &[f64], found: Lattice, most: f64) -> Lattice {
    let finer = |part: &f64| {
        let finer = proved(values, found.period.recip() * part, most)?;
        (finer.beyond_chance() > found.beyond_chance() + CLEARLY_MORE).then_some(finer)
    };
    PARTS.iter().find_map(finer).unwrap_or(found)
}

/// How many times as long the period could be for the readings that lie on the lattice.
fn common_multiple(values: &[f64], found: &Lattice) -> f64 {
    let on_it = values.iter().filter(|value| found.off(**value).abs() <= WITHIN);
    let mut places = on_it.map(|value| (value / found.period - found.phase).round() as i64);
    let first = places.next().unwrap_or_default();
    places.fold(0, |common, place| gcd(common, place.abs_diff(first))).max(1) as f64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The distances of neighbouring readings, without interruptions.
struct Distances {
    all: Vec<f64>,
    /// The longest.
    most: f64,
    /// The bound of the periods that they can show.
    longest: f64,
}

impl Distances {
    fn of(values: &[f64]) -> Option<Self> {
        let mut all: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).filter(|d| *d > 0.0).collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all.get((share * all.len() as f64) as usize).copied();
        let (low, high) = (at(0.1)?, at(0.9)?);
        let most = 2.0 * high;
        all.retain(|distance| *distance <= most);
        let longest = (high - low) * LONGEST;
        (all.len() >= FEWEST && longest > SHORTEST).then_some(Self { all, most, longest })
    }

    /// How much of a phase they share at this frequency.
    fn share(&self, frequency: f64) -> f64 {
        self.all.iter().map(|distance| (TAU * (frequency * distance).fract()).cos()).sum::<f64>()
            / self.all.len() as f64
    }
}

/// Where the lattice goes on in another phase: a clock of CPU time starts anew wherever the counter is when its thread gets the CPU.
fn new_phases(values: &[f64], frequency: f64) -> Vec<usize> {
    let keeps = |pair: &[f64]| wrapped(frequency * (pair[1] - pair[0])).abs() <= 2.0 * WITHIN * frequency;
    let kept: Vec<bool> = values.windows(2).map(keeps).collect();
    let is_new = |window: &[bool]| {
        let (before, after) = (&window[..LASTING], &window[LASTING + 1..]);
        !window[LASTING] && before.iter().chain(after).all(|kept| *kept)
    };
    let windows = kept.windows(2 * LASTING + 1).enumerate();
    let found: Vec<usize> = windows.filter(|(_, window)| is_new(window)).map(|(at, _)| at + LASTING + 1).collect();
    if found.len() * PER_PHASE <= values.len() { found } else { Vec::new() }
}

/// The values, each phase moved to that of the first.
fn in_one_phase(values: &[f64], phases: &[usize], frequency: f64) -> Vec<f64> {
    let starts = std::iter::once(0).chain(phases.iter().copied());
    let ends = phases.iter().copied().chain([values.len()]);
    let mut first = None;
    starts
        .zip(ends)
        .flat_map(|(from, to)| {
            let values = &values[from..to];
            let phase = shared_phase(values, frequency);
            let shift = wrapped(phase - *first.get_or_insert(phase)) / frequency;
            values.iter().map(move |value| value - shift).collect::<Vec<_>>()
        })
        .collect()
}

/// The phase that values share at this frequency, in turns.
fn shared_phase(values: &[f64], frequency: f64) -> f64 {
    let (sin, cos) = summed(values, frequency);
    f64::atan2(sin, cos) / TAU
}

/// The sum of the values' phases as vectors.
fn summed(values: &[f64], frequency: f64) -> (f64, f64) {
    values.iter().fold((0.0, 0.0), |(sin, cos), value| {
        let (s, c) = (TAU * (frequency * value).fract()).sin_cos();
        (sin + s, cos + c)
    })
}

/// The frequency near `frequency` with which ever more distant readings agree best, in one of the `phases`.
fn refined(values: &[f64], phases: &[usize], mut frequency: f64) -> f64 {
    let phase_of = |at: usize| phases.partition_point(|from| *from <= at);
    let mut lag = 1;
    while lag < values.len() {
        let windows = values.windows(lag + 1).enumerate();
        let in_one = windows.filter(|(at, _)| phase_of(*at) == phase_of(at + lag));
        let mut distances: Vec<f64> = in_one.map(|(_, window)| window[lag] - window[0]).collect();
        if distances.is_empty() {
            break;
        }
        let middle = distances.len() / 2;
        let usual = *distances.select_nth_unstable_by(middle, f64::total_cmp).1;
        // Over an interruption the phase is known to less than a turn only later.
        distances.retain(|distance| *distance > 0.0 && *distance <= 4.0 * usual);
        let weight: f64 = distances.iter().map(|d| d * d).sum();
        if weight > 0.0 {
            let turned: f64 = distances.iter().map(|d| d * wrapped(frequency * d)).sum();
            frequency -= turned / weight;
        }
        lag *= 2;
    }
    frequency
}

/// The lattice of this frequency, if all readings lie on it; none of a period longer than `most`, on which any would.
fn proved(values: &[f64], frequency: f64, most: f64) -> Option<Lattice> {
    if frequency * most < 1.0 || frequency * SHORTEST > 1.0 {
        return None;
    }
    let n = values.len() as f64;
    let (sin, cos) = summed(values, frequency);
    let coherence = f64::hypot(sin, cos) / n / truncated(frequency);
    if coherence < SHARED {
        return None;
    }
    // The line through the phases says how far off the frequency is, and how well it is known.
    let phase = f64::atan2(sin, cos) / TAU;
    let turns = |value: f64| wrapped(frequency * value - phase);
    let mean = values.iter().sum::<f64>() / n;
    let spread: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let slope = values.iter().map(|value| (value - mean) * turns(*value)).sum::<f64>() / spread;
    let left: f64 = values.iter().map(|value| (turns(*value) - slope * (value - mean)).powi(2)).sum();
    let intercept = phase + values.iter().map(|value| turns(*value) - slope * (value - mean)).sum::<f64>() / n;
    let error = (left / (n - 2.0) / spread).sqrt();
    let (frequency, intercept) = (frequency - slope, intercept - slope * mean);
    let mut found = Lattice {
        period: frequency.recip(),
        half_width: NORMAL_999 * error / (frequency * frequency),
        coherence: coherence.min(1.0),
        share: 0.0,
        phase: intercept,
    };
    found.share = values.iter().filter(|value| found.off(**value).abs() <= WITHIN).count() as f64 / n;
    (found.period > 0.0 && found.period.is_finite() && found.half_width.is_finite()).then_some(found)
}

/// What truncation to whole units leaves of a phase: its error is uniform over a unit.
fn truncated(frequency: f64) -> f64 {
    let half_turn = TAU / 2.0 * frequency;
    if half_turn > 0.0 { half_turn.sin() / half_turn } else { 1.0 }
}

fn wrapped(turns: f64) -> f64 {
    turns - turns.round()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    /// Draws between 0 and 1.
    struct Random(Xoshiro256PlusPlus);

    impl Random {
        fn unit(&mut self) -> f64 {
            (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Readings of a clock that ticks every `period`, in whole units. A read takes `read`, give or take a twentieth, and up to ten
    /// times that lie between two.
    fn readings(seed: u64, period: f64, read: f64) -> Vec<u64> {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(seed));
        let mut now = 1e6 * random.unit();
        let mut reading = || {
            now += read * (1.0 + 0.05 * random.unit()) + 10.0 * read * random.unit();
            ((now / period).floor() * period) as u64
        };
        (0..4_000).map(|_| reading()).collect()
    }

    fn period(seed: u64, period: f64, read: f64) -> Option<f64> {
        lattice(&readings(seed, period, read)).map(|found| found.period)
    }

    fn lattice(readings: &[u64]) -> Option<Lattice> {
        search(readings).found
    }

    #[test]
    fn ticks_shorter_than_a_read_are_found() {
        // ACPI PM at 3.579545 MHz, HPETs at 14.31818 and 100 MHz, Hyper-V, the generic timer of Arm at 62.5 MHz.
        for (tick, read) in [(279.365, 669.0), (69.841, 700.0), (10.0, 650.0), (100.0, 45.0), (16.0, 30.0)] {
            let found = period(1, tick, read).unwrap_or_else(|| panic!("{tick} behind {read}"));
            assert!((found / tick - 1.0).abs() < 1e-3, "{found} instead of {tick}");
        }
    }

    #[test]
    fn a_clock_without_ticks_has_none() {
        for seed in 0..50 {
            assert_eq!(period(seed, 1.0, 21.3), None);
            assert_eq!(period(seed, 0.357, 700.0), None);
        }
    }

    /// The same, and so many of a hundred are `more` later.
    fn some_later(period: f64, percent: u64, more: f64) -> Vec<u64> {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(7));
        let is_late = |random: &mut Random| random.unit() * 100.0 < percent as f64;
        readings(3, period, 700.0)
            .into_iter()
            .map(|at| if is_late(&mut random) { at + (more * random.unit().ceil()) as u64 } else { at })
            .collect()
    }

    #[test]
    fn few_odd_multiples_halve_the_tick() {
        let found = lattice(&some_later(200.0, 7, 100.0)).unwrap();
        assert!((found.period / 100.0 - 1.0).abs() < 1e-3 && found.share > 0.999, "{found:?}");
    }

    #[test]
    fn readings_beside_the_lattice_are_counted() {
        let mut random = Random(Xoshiro256PlusPlus::seed_from_u64(9));
        let mut some = readings(3, 40.0, 700.0);
        some.iter_mut().step_by(10).for_each(|at| *at += (random.unit() * 40.0) as u64);
        let found = lattice(&some).unwrap();
        assert!((found.period / 40.0 - 1.0).abs() < 1e-3 && (0.89..0.96).contains(&found.share), "{found:?}");
        assert_eq!(lattice(&readings(3, 40.0, 700.0)).unwrap().share, 1.0);
    }

    #[test]
    fn reads_of_always_the_same_length_are_no_lattice() {
        let steady: Vec<u64> = (0..4_000).map(|read| (26.3 * f64::from(read)) as u64).collect();
        assert_eq!(lattice(&steady), None);
    }

    #[test]
    fn what_was_hardly_read_has_none() {
        assert_eq!(lattice(&[]), None);
        assert_eq!(lattice(&[5; 4_000]), None);
        assert_eq!(lattice(&[u64::MAX, 0, 3]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_period_is_found_and_no_harmonic(seed: u64, tick in 3.0_f64..2_000.0, reads in 0.5_f64..20.0) {
            let found = period(seed, tick, tick * reads).unwrap_or(0.0);
            prop_assert!((found / tick - 1.0).abs() < 1e-3, "{} instead of {} behind {}", found, tick, tick * reads);
        }

        /// A unit either way is two thirds of such a period: any ten readings lie on some longer one by chance.
        #[test]
        fn the_shortest_is_found_behind_many(seed: u64, tick in 3.0_f64..3.3, reads in 10.0_f64..20.0) {
            let found = period(seed, tick, tick * reads).unwrap_or(0.0);
            prop_assert!((found / tick - 1.0).abs() < 1e-3, "{} instead of {} behind {}", found, tick, tick * reads);
        }

        #[test]
        fn of_a_tick_longer_than_all_that_is_looked_for_no_harmonic_is_claimed(
            seed: u64, tick in 200.0_f64..5_000.0, reads in 0.02_f64..0.5
        ) {
            if let Some(found) = period(seed, tick, tick * reads) {
                prop_assert!((found / tick - 1.0).abs() < 1e-3, "{} instead of {} behind {}", found, tick, tick * reads);
            }
        }

        #[test]
        fn another_phase_after_each_of_a_few_interruptions_hides_nothing(
            seed: u64, tick in 10.0_f64..300.0, at in prop::collection::vec((0_usize..250, 0.0_f64..1.0), 1..12)
        ) {
            let mut readings = readings(seed, tick, 2.5 * tick);
            for (place, (at, phase)) in at.into_iter().enumerate() {
                readings[300 * (place + 1) + at..].iter_mut().for_each(|reading| *reading += (phase * tick) as u64);
            }
            let found = lattice(&readings).map_or(0.0, |found| found.period);
            prop_assert!((found / tick - 1.0).abs() < 1e-3, "{} instead of {}", found, tick);
        }

        #[test]
        fn an_interruption_hides_nothing(seed: u64, tick in 10.0_f64..300.0, at in 1_usize..3_999, ns in 0_u64..10_000_000) {
            let mut readings = readings(seed, tick, 2.5 * tick);
            let late = (ns as f64 / tick).floor() * tick;
            readings[at..].iter_mut().for_each(|reading| *reading += late as u64);
            let found = lattice(&readings).map_or(0.0, |found| found.period);
            prop_assert!((found / tick - 1.0).abs() < 1e-3, "{} instead of {}", found, tick);
        }
    }
}
