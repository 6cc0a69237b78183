//! A short exchange of messages between two CPUs, which bounds how far apart they read `CLOCK_MONOTONIC`.

use std::time::{Duration, Instant};

use chronoscope_clock::TickSource;
use chronoscope_clock::raw::{id, read_ns};
use chronoscope_harness::pin;
use chronoscope_sources::Rate;
use chronoscope_sources::causality::{Trips, alternate};
use chronoscope_sources::os::{OsClock, try_read_ns};

use super::sample::Skew;
use crate::engine::steps::one_look;
use chronoscope_harness::estimators::steps::{Steps, step_ns};

/// Round trips: the shortest of so many is hardly ever interrupted.
const ROUNDS: u64 = 500;
/// A partner that does not get to run for so long is not waited for: both spin meanwhile.
const LONGEST: Duration = Duration::from_millis(20);

/// Bounds on how far CPU `b` is ahead of CPU `a`.
///
/// # Errors
/// Why there are none.
pub fn between(a: u32, b: u32) -> Result<Skew, String> {
    // The threads of an exchange are bound to CPUs; this one must stay as it is.
    let exchange = std::thread::Builder::new().spawn(move || exchange(a, b));
    let exchange = exchange.map_err(|error| format!("could not start a thread: {error}"))?;
    let (trips, steps) = exchange.join().map_err(|_| "the exchange panicked".to_owned())??;
    Ok(skew(a, b, trips, step_ns(&steps, Rate::NANOSECONDS)))
}

/// No message arrives before it is sent; a clock that moves in steps reads up to one step too early.
fn skew(a: u32, b: u32, trips: Trips, step_ns: f64) -> Skew {
    let step_ns = step_ns.ceil() as i64;
    let (low_ns, high_ns) = (trips.back.saturating_neg(), trips.there);
    Skew {
        a,
        b,
        // A clock without a constant distance has its bounds the wrong way round.
        low_ns: low_ns.min(high_ns).saturating_sub(step_ns),
        high_ns: high_ns.max(low_ns).saturating_add(step_ns),
    }
}

/// The one clock that messages are stamped with.
struct Monotonic;

impl TickSource for Monotonic {
    #[inline(always)]
    fn read(&self) -> u64 {
        read_ns::<{ id(OsClock::Monotonic) }>()
    }
}

fn exchange(a: u32, b: u32) -> Result<(Trips, Steps), String> {
    try_read_ns(OsClock::Monotonic).map_err(|unavailable| unavailable.to_string())?;
    let until = Instant::now() + LONGEST;
    let enter = |side: usize| pin(&[[a, b][side]]).err();
    let (trips, refused) =
        alternate(&Monotonic, &Monotonic, ROUNDS, || Instant::now() > until, enter, |refused| refused, |_| ())
            .map_err(|error| format!("could not start a thread: {error}"))?;
    if let Some(why) = refused.into_iter().flatten().next() {
        return Err(why);
    }
    let trips =
        trips.ok_or_else(|| format!("CPUs {a} and {b} were too busy to exchange messages; tried again later"))?;
    Ok((trips, one_look(&Monotonic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_shortest_trips() {
        let trips = Trips { rounds: 9, there: 110, back: 90, violations: 0 };
        assert_eq!(skew(0, 3, trips, 0.0), Skew { a: 0, b: 3, low_ns: -90, high_ns: 110 });
        assert_eq!(skew(0, 3, trips, 69.8), Skew { a: 0, b: 3, low_ns: -160, high_ns: 180 });
        let trips = Trips { rounds: 9, there: -600, back: -500, violations: 9 };
        assert_eq!(skew(0, 3, trips, 0.0), Skew { a: 0, b: 3, low_ns: -600, high_ns: 500 });
    }

    /// On this machine, if it lets a program choose its CPUs.
    #[test]
    fn a_machine_has_bounds_in_order_or_a_reason() {
        let cpus = chronoscope_harness::Start::of_this_process().allowed_cpus().to_vec();
        let [a, b, ..] = cpus[..] else { return };
        match between(a, b) {
            Ok(found) => assert!(found.low_ns <= found.high_ns, "{found:?}"),
            Err(why) => assert!(!why.is_empty()),
        }
        assert_eq!(chronoscope_harness::Start::of_this_process().allowed_cpus(), cpus);
    }

    #[test]
    fn a_cpu_that_is_not_there_is_a_reason() {
        assert!(between(0, 1_023).is_err());
    }
}
