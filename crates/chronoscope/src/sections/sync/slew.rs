//! The rate of `CLOCK_MONOTONIC` relative to `CLOCK_MONOTONIC_RAW`: declared by the kernel, and observed.

use chronoscope_sources::SourceId;
use chronoscope_sources::os::{OsClock, try_read_ns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chrony::Chrony;
use super::kernel::{Kernel, StatusFlag};
use chronoscope_harness::record::Known;

/// Attempts at reading two clocks at once: some attempt is almost always uninterrupted. About 10 µs.
const TRIES: usize = 64;

/// How much faster `CLOCK_MONOTONIC` runs than `CLOCK_MONOTONIC_RAW`. Positive: faster, so intervals come out long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slew {
    /// As declared by the kernel.
    pub declared: Known<Declared>,
    pub observed: Known<Observed>,
    /// The part that slews an offset away: it makes intervals wrong, while the rest makes them right.
    pub transient_ppm: Known<f64>,
}

/// The slew from `adjtimex`, at the start and the end of the observation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    pub at_start_ppm: f64,
    pub at_end_ppm: f64,
}

impl Declared {
    /// What was declared when the observation began, where it was another.
    pub fn earlier_ppm(&self) -> Option<f64> {
        (self.at_start_ppm != self.at_end_ppm).then_some(self.at_start_ppm)
    }
}

/// A rate between two moments. The truth is certainly between `low_ppm` and `high_ppm`: the bounds come from the order
/// of the reads and their rounding, not from statistics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    pub ppm: f64,
    pub low_ppm: f64,
    pub high_ppm: f64,
    /// From the first moment to the second, by `CLOCK_MONOTONIC_RAW`.
    pub over_ns: u64,
}

impl Observed {
    /// The rate with how far it may be off; None where zero is among what it may be.
    pub fn told_from_zero_ppm(&self) -> Option<(f64, f64)> {
        let is_told = self.low_ppm > 0.0 || self.high_ppm < 0.0;
        is_told.then_some((self.ppm, (self.high_ppm - self.low_ppm) / 2.0))
    }

    /// The most that it can be, either way.
    pub fn most_ppm(&self) -> f64 {
        self.low_ppm.abs().max(self.high_ppm.abs())
    }
}

/// One clock read between two reads of another, each in whole nanoseconds, cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    pub before_ns: u64,
    pub inner_ns: u64,
    pub after_ns: u64,
}

impl Bracket {
    /// The maximum if the outer clock went back.
    fn width_ns(&self) -> u64 {
        self.after_ns.checked_sub(self.before_ns).unwrap_or(u64::MAX)
    }

    /// # Errors
    /// Fails if the outer clock went back, so that the order of the reads implies nothing.
    pub fn checked(self) -> Result<Self, String> {
        if self.after_ns < self.before_ns {
            Err("a clock went backwards while it was read".to_owned())
        } else {
            Ok(self)
        }
    }
}

/// `inner` between two reads of `outer`: the shortest, and thus least interrupted, of several attempts.
pub fn bracket<E>(outer: impl FnMut() -> Result<u64, E>, inner: impl FnMut() -> Result<u64, E>) -> Result<Bracket, E> {
    shortest_of(TRIES, outer, inner)
}

fn shortest_of<E>(
    tries: usize,
    mut outer: impl FnMut() -> Result<u64, E>,
    mut inner: impl FnMut() -> Result<u64, E>,
) -> Result<Bracket, E> {
    let mut once = || Ok(Bracket { before_ns: outer()?, inner_ns: inner()?, after_ns: outer()? });
    let mut best = once()?;
    for _ in 1..tries {
        let next = once()?;
        if next.width_ns() < best.width_ns() {
            best = next;
        }
    }
    Ok(best)
}

/// `inner` between two reads of `outer`, now.
pub fn between(outer: OsClock, inner: OsClock) -> Result<Bracket, String> {
    between_in(TRIES, outer, inner)
}

/// The same in so many attempts, for those who read often.
pub fn between_in(tries: usize, outer: OsClock, inner: OsClock) -> Result<Bracket, String> {
    let read = |clock| move || try_read_ns(clock).map_err(|why| format!("{}: {why}", SourceId::Os(clock)));
    shortest_of(tries, read(outer), read(inner))
}

/// How much faster the inner clock ran than the outer one from `start` to `end`.
///
/// # Errors
/// Why that is unknown.
pub fn observed(start: Bracket, end: Bracket) -> Result<Observed, String> {
    let (start, end) = (start.checked()?, end.checked()?);
    let passed = |from: u64, to: u64| i128::from(to) - i128::from(from);
    // The inner clock was read at some moment between the outer reads around it; each value was truncated by up to 1
    // ns.
    let inner = passed(start.inner_ns, end.inner_ns);
    let shortest = passed(start.after_ns, end.before_ns) - 1;
    let longest = passed(start.before_ns, end.after_ns) + 1;
    if shortest <= 0 || inner <= 0 {
        return Err("the clocks hardly advanced during the observation".to_owned());
    }
    let excess_ppm = |inner: i128, outer: i128| (inner - outer) as f64 / outer as f64 * 1e6;
    let (low_ppm, high_ppm) = (excess_ppm(inner - 1, longest), excess_ppm(inner + 1, shortest));
    let over_ns = u64::try_from((shortest + longest) / 2).unwrap_or(u64::MAX);
    Ok(Observed { ppm: low_ppm.midpoint(high_ppm), low_ppm, high_ppm, over_ns })
}

/// The part of the slew that removes an offset. chronyd slews through the frequency alone, and reports which frequency
/// it considers right; the kernel's own loop keeps the two apart.
pub fn transient_ppm(kernel: &Known<Kernel>, chrony: Option<&Chrony>) -> Known<f64> {
    kernel.and_then(|kernel| match chrony {
        Some(chrony) => Known::Value(kernel.slew_ppm() - chrony.correction_ppm),
        None if kernel.has(StatusFlag::Pll) || kernel.slew_ppm() == 0.0 => Known::Value(kernel.offset_slew_ppm()),
        None => {
            Known::Unavailable("no source distinguishes a lasting correction from slewing an offset away".to_owned())
        }
    })
}
