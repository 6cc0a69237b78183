use proptest::prelude::*;

use super::super::slew::{Bracket, bracket, observed, transient_ppm};
use super::super::step::step;
use super::*;

/// Two clocks of one counter: `outer` keeps its rate, `inner` runs `ppb` faster. Each read takes a while, and now and then
/// the thread loses its CPU in it.
struct Pair {
    now_ps: u128,
    ppb: i64,
    /// How far the inner clock is ahead at time 0.
    ahead_ps: u64,
    /// What a part of a read takes at most; 1 is no time at all, so that rounding is all there is.
    cost_ps: u64,
    random: u64,
}

fn costs_ps() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1_u64), 1..80_000_u64]
}

impl Pair {
    /// Up to 80 ns before and behind the moment of reading; in one read of sixteen up to 80 µs.
    fn passes(&mut self) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let ps = self.random % self.cost_ps;
        self.now_ps += u128::from(if self.random >> 60 == 0 { ps * 1_000 } else { ps });
    }

    fn outer(&mut self) -> u64 {
        self.passes();
        let read = (self.now_ps / 1_000) as u64;
        self.passes();
        read
    }

    fn inner(&mut self) -> u64 {
        self.passes();
        let slewed_ps = self.now_ps * u128::from((1_000_000_000 + self.ppb) as u64) / 1_000_000_000;
        let read = ((slewed_ps + u128::from(self.ahead_ps)) / 1_000) as u64;
        self.passes();
        read
    }

    fn once(&mut self) -> Bracket {
        Bracket { before_ns: self.outer(), inner_ns: self.inner(), after_ns: self.outer() }
    }
}

proptest! {
    /// Under any costs and losses, whichever reads are taken.
    #[test]
    fn the_interval_contains_the_true_slew(
        ppb in -600_000..600_000_i64,
        random in 1..u64::MAX,
        (ahead_ps, cost_ps) in (0..1_000_000_u64, costs_ps()),
        start_ps in 0..2_000_000_000_000_000_u64,
        over_ns in 1_000_000..3_000_000_000_u64,
    ) {
        let mut pair = Pair { now_ps: u128::from(start_ps), ppb, ahead_ps, cost_ps, random };
        let start = pair.once();
        pair.now_ps += u128::from(over_ns) * 1_000 + u128::from(random % 1_000);
        let end = pair.once();
        let seen = observed(start, end).unwrap();
        let truth_ppm = ppb as f64 / 1_000.0;
        prop_assert!(seen.low_ppm <= truth_ppm && truth_ppm <= seen.high_ppm, "{truth_ppm} is not in {seen:?}");
        prop_assert!(seen.low_ppm <= seen.ppm && seen.ppm <= seen.high_ppm);
        // No wider than the brackets and the rounding make it.
        let widths = (start.after_ns - start.before_ns) + (end.after_ns - end.before_ns) + 4;
        let most_ppm = widths as f64 / over_ns as f64 * 1e6 * 1.01;
        prop_assert!(seen.high_ppm - seen.low_ppm <= most_ppm, "{seen:?} is wider than {most_ppm}");
    }

    #[test]
    fn no_reads_panic(a: [u64; 3], b: [u64; 3]) {
        let of = |[before_ns, inner_ns, after_ns]: [u64; 3]| Bracket { before_ns, inner_ns, after_ns };
        if let Ok(seen) = observed(of(a), of(b)) {
            prop_assert!(seen.low_ppm <= seen.high_ppm && seen.low_ppm.is_finite() && seen.high_ppm.is_finite());
        }
        if let Ok(moved) = step(of(a), of(b)) {
            prop_assert!(moved.low_ns <= moved.high_ns);
        }
        if let Ok(ahead) = super::super::ptp::offset(of(a), Some(37)) {
            prop_assert!(ahead.low_ns <= ahead.high_ns);
        }
    }

    /// A wall clock that is slewed and not set is not found to be set, and one that is set is by as much.
    #[test]
    fn a_step_is_found_and_nothing_else(
        random in 1..u64::MAX,
        (ahead_ps, cost_ps) in (0..1_000_000_u64, costs_ps()),
        step_ps in prop_oneof![Just(0_i64), -3_000..3_000_i64, -5_000_000_000_000..5_000_000_000_000_i64],
        over_ns in 1_000_000..3_000_000_000_u64,
    ) {
        let ahead_ps = 5_000_000_000_000 + ahead_ps;
        let mut pair = Pair { now_ps: 10_000_000_000_000_000, ppb: 0, ahead_ps, cost_ps, random };
        let start = pair.once();
        pair.now_ps += u128::from(over_ns) * 1_000 + u128::from(random % 1_000);
        pair.ahead_ps = ahead_ps.checked_add_signed(step_ps).unwrap();
        let seen = step(start, pair.once()).unwrap();
        let truth_ns = step_ps as f64 / 1_000.0;
        prop_assert!(seen.low_ns as f64 <= truth_ns && truth_ns <= seen.high_ns as f64, "{truth_ns} is not in {seen:?}");
        prop_assert!(step_ps != 0 || !seen.is_step(), "{seen:?}");
        // Two interrupted brackets blur 0.7 ms at most.
        prop_assert!(step_ps.abs() < 1_000_000_000 || seen.is_step(), "{truth_ns} was missed: {seen:?}");
    }

    #[test]
    fn the_offset_of_a_ptp_clock_lies_between_its_bounds(
        random in 1..u64::MAX,
        ahead_ps in 0..100_000_000_000_000_u64,
        cost_ps in costs_ps(),
        start_ps in 0..2_000_000_000_000_000_u64,
    ) {
        let mut pair = Pair { now_ps: u128::from(start_ps), ppb: 0, ahead_ps, cost_ps, random };
        let seen = super::super::ptp::offset(pair.once(), None).unwrap();
        let truth_ns = ahead_ps as f64 / 1_000.0;
        prop_assert!(seen.low_ns as f64 <= truth_ns && truth_ns <= seen.high_ns as f64, "{truth_ns} is not in {seen:?}");
    }
}

#[test]
fn the_bracket_that_took_least_is_kept() {
    let mut pair = Pair { now_ps: 0, ppb: 0, ahead_ps: 0, cost_ps: 80_000, random: 88_172_645_463_325_252 };
    let mut reads = Vec::new();
    for _ in 0..64 {
        reads.push(pair.once());
    }
    let least = reads.iter().map(|read| read.after_ns - read.before_ns).min().unwrap();
    let outer = reads.iter().flat_map(|read| [read.before_ns, read.after_ns]);
    let (mut outer, mut inner) = (outer, reads.iter().map(|read| read.inner_ns));
    let best = bracket(|| outer.next().ok_or(()), || inner.next().ok_or(())).unwrap();
    assert_eq!(best.after_ns - best.before_ns, least);
    assert!(outer.next().is_none());
}

/// A bracket that ends before it begins is not a narrow one.
#[test]
fn a_clock_that_goes_back_is_no_reference() {
    let mut reads = [100_u64, 90].into_iter().chain(1_000..);
    let kept = bracket(|| reads.next().ok_or(()), || Ok(95)).unwrap();
    assert!(kept.before_ns >= 1_000, "{kept:?}");
    let back = Bracket { before_ns: 100, inner_ns: 95, after_ns: 90 };
    let later = Bracket { before_ns: 5_000, inner_ns: 5_001, after_ns: 5_002 };
    assert!(observed(back, later).unwrap_err().contains("back"));
    assert!(step(later, back).unwrap_err().contains("back"));
}

#[test]
fn a_clock_that_fails_gives_its_reason() {
    assert_eq!(bracket(|| Err("no such clock"), || Ok(1)), Err("no such clock"));
    assert_eq!(bracket(|| Ok(1), || Err("no such clock")), Err("no such clock"));
}

#[test]
fn clocks_that_stand_still_or_go_back_are_not_extrapolated() {
    let at = |before_ns, inner_ns, after_ns| Bracket { before_ns, inner_ns, after_ns };
    let start = at(1_000, 1_010, 1_020);
    for end in [start, at(1_021, 1_030, 1_040), at(5_000, 1_010, 5_020), at(500, 5_000, 520)] {
        assert!(observed(start, end).unwrap_err().contains("hardly"), "{end:?}");
    }
}

#[test]
fn what_removes_an_offset_is_told_from_what_corrects() {
    let plain = |status: i32, offset_ns: i64| {
        let mut told = told();
        (told.status, told.offset_ns, told.time_constant) = (status, offset_ns, 2);
        Known::Value(super::super::kernel::kernel(&told, Known::Value(1)))
    };
    // chronyd holds 12 ppm right, as the kernel has it; or 112 ppm less than it has.
    assert_eq!(transient_ppm(&plain(0, 0), Some(&chrony())), Known::Value(0.0));
    let slewing = Chrony { correction_ppm: -100.0, ..chrony() };
    assert_eq!(transient_ppm(&plain(0, 0), Some(&slewing)), Known::Value(112.0));
    // The kernel's own loop keeps them apart.
    assert_eq!(transient_ppm(&plain(1, 15_000), None), Known::Value(1.0));
    // Frequency alone, set by nobody knows whom.
    let Known::Unavailable(why) = transient_ppm(&plain(0, 0), None) else { panic!() };
    assert!(why.contains("distinguishes"));
    let mut still = told();
    still.frequency_scaled_ppm = 0;
    let still = Known::Value(super::super::kernel::kernel(&still, Known::Value(1)));
    assert_eq!(transient_ppm(&still, None), Known::Value(0.0));
    let refused = Known::Unavailable("refused".to_owned());
    assert_eq!(transient_ppm(&refused, Some(&chrony())), Known::Unavailable("refused".to_owned()));
}
