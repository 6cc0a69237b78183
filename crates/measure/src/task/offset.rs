//! Forced alternation: two threads on two CPUs pass stamped messages to and fro, each answering the other.
//!
//! A message cannot arrive before it was sent, so the least apparent trip each way bounds the offset between the two
//! CPUs' views of the clock: with d₁ there and d₂ back, b − a lies between −d₂ and d₁.

use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::thread;

use chronoscope_clock::{SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use super::granularity::{self, Steps};
use super::source;
use super::timer::{Deadline, Timer};
use crate::record::Disturbance;
use crate::watch::Watch;

/// Turns of a waiting loop between two looks at the deadline.
const SPINS: u32 = 10_000;
/// Stands in a mailbox whose sender has given up.
const GIVEN_UP: u64 = u64::MAX;

/// Which clock on which CPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The clock.
    pub source: String,
    /// One CPU.
    pub a: u32,
    /// The other CPU.
    pub b: u32,
    /// Messages there and back.
    pub rounds: u64,
}

/// What the exchange showed, and how the source ticks on one CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// The exchange.
    pub trips: Trips,
    /// Changes of the source between consecutive reads, by which one sees whether it moves in steps.
    pub steps: Steps,
}

/// The least apparent trips, in ticks of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trips {
    /// Messages there and back.
    pub rounds: u64,
    /// Least difference between sending on a and receiving on b.
    pub there: i64,
    /// Least difference between sending on b and receiving on a.
    pub back: i64,
    /// Messages that arrived before they were sent.
    pub violations: u64,
}

pub(super) fn run(request: &Request, timer: Timer, budget_ms: u64) -> Result<(Samples, Disturbance), String> {
    source(&request.source)?
        .visit(PingPong { request, deadline: Deadline::after_ms(timer, budget_ms) })
        .map_err(|unavailable| unavailable.to_string())?
}

struct PingPong<'a> {
    request: &'a Request,
    deadline: Deadline,
}

impl SourceVisitor for PingPong<'_> {
    type Output = Result<(Samples, Disturbance), String>;

    fn visit<S: TickSource + Copy + Send + Sync>(self, source: S) -> Self::Output {
        let Request { a, b, rounds, .. } = *self.request;
        let (trips, mut watched, other) =
            alternate(&source, &source, rounds, || self.deadline.passed(), [Some(a), Some(b)])?;
        watched.merge(&other);
        let unbound = watched.reason_unpinned.as_ref();
        match (trips, unbound) {
            (_, Some(reason)) => Err(format!("the two threads must be on two CPUs, and {reason}")),
            (None, _) => Err(format!("CPUs {a} and {b} did not exchange one message in time")),
            (Some(trips), None) => {
                let steps = granularity::one_look(&source);
                Ok((Samples { trips, steps }, watched))
            }
        }
    }
}

/// A stamped message, alone on its cache lines.
#[repr(align(128))]
#[derive(Default)]
struct Mailbox {
    round: AtomicU64,
    stamp: AtomicU64,
}

impl Mailbox {
    fn post(&self, round: u64, stamp: u64) {
        self.stamp.store(stamp, Relaxed);
        self.round.store(round, Release);
    }

    /// Waits for the message of `round`; false if it will not come.
    fn await_round(&self, round: u64, stop: &impl Fn() -> bool) -> bool {
        loop {
            for _ in 0..SPINS {
                match self.round.load(Acquire) {
                    GIVEN_UP => return false,
                    seen if seen == round => return true,
                    _ => std::hint::spin_loop(),
                }
            }
            if stop() {
                return false;
            }
        }
    }
}

/// Least apparent trips between a thread that reads `a` and a thread that reads `b`; None if none was completed.
///
/// The two threads are bound to `cpus`. `stop` is asked while a message is long in coming.
fn alternate<A, B>(
    a: &A,
    b: &B,
    rounds: u64,
    stop: impl Fn() -> bool + Sync,
    cpus: [Option<u32>; 2],
) -> Result<(Option<Trips>, Disturbance, Disturbance), String>
where
    A: TickSource + Sync,
    B: TickSource + Sync,
{
    let (ping, pong) = (Mailbox::default(), Mailbox::default());
    let [cpu_a, cpu_b] = cpus;
    thread::scope(|scope| {
        let replier = thread::Builder::new()
            .spawn_scoped(scope, || {
                let watch = Watch::pinned(cpu_b);
                let (mut least, mut violations) = (i64::MAX, 0);
                for round in 1..=rounds {
                    if !ping.await_round(round, &stop) {
                        pong.post(GIVEN_UP, 0);
                        break;
                    }
                    let trip = b.read().wrapping_sub(ping.stamp.load(Relaxed)) as i64;
                    least = least.min(trip);
                    violations += u64::from(trip < 0);
                    pong.post(round, b.read());
                }
                (least, violations, watch.finish())
            })
            .map_err(|error| format!("no second thread could be started: {error}"))?;
        let watch = Watch::pinned(cpu_a);
        let (mut least, mut violations, mut done) = (i64::MAX, 0, 0);
        for round in 1..=rounds {
            ping.post(round, a.read());
            if !pong.await_round(round, &stop) {
                break;
            }
            let trip = a.read().wrapping_sub(pong.stamp.load(Relaxed)) as i64;
            least = least.min(trip);
            violations += u64::from(trip < 0);
            done = round;
        }
        ping.post(GIVEN_UP, 0);
        let watched = watch.finish();
        let (there, violations_there, watched_b) =
            replier.join().map_err(|_| "the answering thread panicked".to_owned())?;
        let trips = Trips { rounds: done, there, back: least, violations: violations.saturating_add(violations_there) };
        Ok(((done > 0).then_some(trips), watched, watched_b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::FakeClock;

    fn between(skew_ns: i64) -> Trips {
        let clock = FakeClock::new();
        clock.set_read_cost_ns(10);
        let (samples, _, _) = alternate(&clock.view(0), &clock.view(skew_ns), 200, || false, [None, None]).unwrap();
        samples.unwrap()
    }

    #[test]
    fn one_clock_agrees_with_itself() {
        assert_eq!(between(0), Trips { rounds: 200, there: 10, back: 10, violations: 0 });
    }

    #[test]
    fn a_skew_is_found_with_its_sign() {
        assert_eq!(between(-600), Trips { rounds: 200, there: -590, back: 610, violations: 200 });
        assert_eq!(between(600), Trips { rounds: 200, there: 610, back: -590, violations: 200 });
    }

    #[test]
    fn a_partner_that_gives_up_ends_the_exchange() {
        let clock = FakeClock::new();
        let (samples, _, _) = alternate(&clock, &clock, u64::MAX - 1, || true, [None, None]).unwrap();
        assert!(samples.is_none_or(|samples| samples.rounds < u64::MAX - 1));
    }
}
