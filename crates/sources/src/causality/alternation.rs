use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::{io, thread};

use chronoscope_clock::TickSource;

use crate::padded::CachePadded;

/// Iterations of a waiting loop between checks whether to stop.
const SPINS: u32 = 10_000;
/// Marks a mailbox whose sender has given up.
const GIVEN_UP: u64 = u64::MAX;

/// The shortest apparent trips of an exchange of messages, in ticks of the source.
///
/// # Examples
/// ```
/// use chronoscope_sources::causality::Trips;
///
/// let trips = Trips { rounds: 9, there: 110, back: 90, violations: 0 };
/// assert_eq!(trips.not_excluded(), 110); // 10 apart, ± 100
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Trips {
    /// Round trips.
    pub rounds: u64,
    /// Smallest difference between sending on a and receiving on b.
    pub there: i64,
    /// Smallest difference between sending on b and receiving on a.
    pub back: i64,
    /// Messages that arrived before they were sent.
    pub violations: u64,
}

impl Trips {
    /// The largest skew, either way, compatible with the trips.
    ///
    /// # Sources
    /// No message arrives before it is sent, so b − a lies between −back and there: the bound of D. Mills' clock filter
    /// (RFC 5905, section 8).
    #[must_use]
    pub fn not_excluded(self) -> u64 {
        self.there.unsigned_abs().max(self.back.unsigned_abs())
    }
}

/// A stamped message.
#[derive(Default)]
struct Message {
    round: AtomicU64,
    stamp: AtomicU64,
}

type Mailbox = CachePadded<Message>;

impl Mailbox {
    fn post(&self, round: u64, stamp: u64) {
        self.0.stamp.store(stamp, Relaxed);
        self.0.round.store(round, Release);
    }

    fn stamp(&self) -> u64 {
        self.0.stamp.load(Relaxed)
    }

    /// Waits for the message of `round`; false if it will not come.
    fn await_round(&self, round: u64, stop: &impl Fn() -> bool) -> bool {
        loop {
            for _ in 0..SPINS {
                match self.0.round.load(Acquire) {
                    GIVEN_UP => return false,
                    seen if seen == round => return true,
                    _ => core::hint::spin_loop(),
                }
            }
            if stop() {
                return false;
            }
        }
    }
}

/// Results of one of the two threads.
struct Side {
    least: i64,
    violations: u64,
    done: u64,
}

impl Side {
    const fn new() -> Self {
        Self { least: i64::MAX, violations: 0, done: 0 }
    }

    fn receive(&mut self, round: u64, now: u64, stamp: u64) {
        let trip = now.wrapping_sub(stamp) as i64;
        self.least = self.least.min(trip);
        self.violations += u64::from(trip < 0);
        self.done = round;
    }
}

/// Passes stamped messages to and fro between this thread, which reads `a`, and a new one, which reads `b`; each answers
/// the other. No trips if no round was completed.
///
/// `enter` is called on both threads before the first message, with 0 here and 1 there, for example to bind it to a CPU;
/// `leave` after the last, with what `enter` returned. `stop` is polled while a message is long in coming. `returned` is called on this
/// thread with what `a` counted from each message to its answer; 0 if it went backwards.
///
/// # Errors
/// If the second thread cannot be started or panicked.
///
/// # Examples
/// ```
/// use chronoscope_clock::FakeClock;
/// use chronoscope_sources::causality::alternate;
/// use std::time::Duration;
///
/// let clock = FakeClock::new();
/// clock.set_read_cost(Duration::from_nanos(10));
/// let mut longest = 0;
/// let returned = |trip: u64| longest = trip.max(longest);
/// let (trips, _) = alternate(&clock.view(0), &clock.view(600), 200, || false, |_| (), |()| (), returned)?;
/// assert_eq!((trips.unwrap().there, longest), (610, 30));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn alternate<W, R: Send>(
    a: &(impl TickSource + Sync),
    b: &(impl TickSource + Sync),
    rounds: u64,
    stop: impl Fn() -> bool + Sync,
    enter: impl Fn(usize) -> W + Sync,
    leave: impl Fn(W) -> R + Sync,
    mut returned: impl FnMut(u64),
) -> io::Result<(Option<Trips>, [R; 2])> {
    let (ping, pong) = (Mailbox::default(), Mailbox::default());
    thread::scope(|scope| {
        let replier = thread::Builder::new().spawn_scoped(scope, || {
            let watch = enter(1);
            let mut side = Side::new();
            for round in 1..=rounds {
                if !ping.await_round(round, &stop) {
                    pong.post(GIVEN_UP, 0);
                    break;
                }
                side.receive(round, b.read(), ping.stamp());
                pong.post(round, b.read());
            }
            (side, leave(watch))
        })?;
        let watch = enter(0);
        let mut here = Side::new();
        for round in 1..=rounds {
            let sent = a.read();
            ping.post(round, sent);
            if !pong.await_round(round, &stop) {
                break;
            }
            let now = a.read();
            here.receive(round, now, pong.stamp());
            returned(now.saturating_sub(sent));
        }
        ping.post(GIVEN_UP, 0);
        let left = leave(watch);
        let (there, left_there) = replier.join().map_err(|_| io::Error::other("the answering thread panicked"))?;
        let violations = here.violations.saturating_add(there.violations);
        let trips = Trips { rounds: here.done, there: there.least, back: here.least, violations };
        Ok(((here.done > 0).then_some(trips), [left, left_there]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_clock::{FakeClock, Instant};
    use std::time::Duration;

    fn between(skew_ns: i64) -> Trips {
        let clock = FakeClock::starting_at(Instant::from_nanos(1_000));
        clock.set_read_cost(Duration::from_nanos(10));
        let mut round_trips = Vec::new();
        let returned = |trip| round_trips.push(trip);
        let exchange =
            alternate(&clock.view(0), &clock.view(skew_ns), 200, || false, |side| side, |side| side, returned);
        let (trips, sides) = exchange.unwrap();
        assert_eq!(sides, [0, 1]);
        assert_eq!(round_trips, [30; 200], "three reads, whatever the skew");
        trips.unwrap()
    }

    #[test]
    fn one_clock_agrees_with_itself() {
        assert_eq!(between(0), Trips { rounds: 200, there: 10, back: 10, violations: 0 });
    }

    #[test]
    fn a_skew_is_found_with_its_sign() {
        assert_eq!(between(-600), Trips { rounds: 200, there: -590, back: 610, violations: 200 });
        assert_eq!(between(600), Trips { rounds: 200, there: 610, back: -590, violations: 200 });
        assert_eq!(between(600).not_excluded(), 610);
    }

    #[test]
    #[cfg_attr(miri, ignore = "needs a partner that is late, and under Miri none is")]
    fn a_partner_that_gives_up_ends_the_exchange() {
        let clock = FakeClock::new();
        let (trips, _) = alternate(&clock, &clock, u64::MAX - 1, || true, |_| (), |()| (), |_| ()).unwrap();
        assert!(trips.is_none_or(|trips| trips.rounds < u64::MAX - 1));
    }
}
