//! Measurements between two threads: the one-way litmus, which tries to catch a clock going back along happens-before,
//! and forced alternation, which bounds the skew between two CPUs.
//!
//! The pieces ([`Board`], [`alternate`]) are public too, for harnesses that bind and watch their threads themselves.
//!
//! # Examples
//! ```no_run
//! use chronoscope_clock::Clock;
//! use chronoscope_sources::causality;
//! use std::time::Duration;
//!
//! let seen = causality::litmus(&Clock::or_system(), [0, 1], Duration::from_secs(1))?;
//! assert_eq!(seen.violations, 0, "by up to {} ns", seen.worst_ticks);
//! # Ok::<(), causality::CausalityError>(())
//! ```

mod alternation;
mod board;

use core::fmt;
use core::time::Duration;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

pub use alternation::{Trips, alternate};
use board::CHUNK;
pub use board::{Board, Observations};

use chronoscope_clock::{Clock, TickSource, Unavailable};

use crate::os;

/// A publisher that nobody stops ends by itself so much later.
const UNSTOPPED: Duration = Duration::from_secs(1);
/// Round trips in a measurement of skew.
const ROUNDS: u64 = 20_000;

/// Publishes `source` continuously on one CPU and observes it on another, for `duration`.
///
/// # Guarantees
/// Zero violations show that fewer than some 3 / [`Observations::fresh`] of new values are violated, with 95 % confidence; never that none
/// is.
///
/// # Errors
/// [`CausalityError`] if a thread cannot be started or bound to its CPU, or nothing published was seen.
pub fn litmus<S: TickSource + Sync>(
    source: &S,
    cpus: [u32; 2],
    duration: Duration,
) -> Result<Observations, CausalityError> {
    let board = Board::new(source.read());
    let stop = AtomicBool::new(false);
    let [writer, reader] = cpus;
    // Both sides on threads of their own, so that the caller's stays where it was.
    thread::scope(|scope| {
        let publisher = spawn(scope, || {
            let bound = os::bind_thread(writer);
            if bound.is_ok() {
                publish(&board, source, &stop, duration.saturating_add(UNSTOPPED));
            }
            bound
        })?;
        let observer = spawn(scope, || {
            os::bind_thread(reader)?;
            let clock = Clock::or_system();
            let begun = clock.now();
            let is_over = || clock.now().saturating_duration_since(begun) >= duration;
            let mut seen = Observations::default();
            if board.await_first(is_over) {
                while !is_over() {
                    board.observe(source, CHUNK, &mut seen, |_| ());
                }
            }
            Ok(seen)
        });
        let seen = observer.and_then(|observer| join(observer)?.map_err(CausalityError::not_bound));
        stop.store(true, Relaxed);
        join(publisher)?.map_err(CausalityError::not_bound)?;
        seen.and_then(|seen| if seen.fresh == 0 { Err(CausalityError(Kind::NothingSeen)) } else { Ok(seen) })
    })
}

/// Publishes until `stop` is set, but no longer than `longest`.
fn publish(board: &Board, source: &impl TickSource, stop: &AtomicBool, longest: Duration) {
    let clock = Clock::or_system();
    let begun = clock.now();
    board.publish_until(source, || stop.load(Relaxed) || clock.now().saturating_duration_since(begun) >= longest);
}

/// Bounds the skew of `source` between two CPUs by forced alternation: [`Trips::not_excluded`], and a step of the source.
///
/// # Errors
/// [`CausalityError`] if a thread cannot be started or bound to its CPU, or no message came back in time.
///
/// # Examples
/// ```no_run
/// use chronoscope_clock::Clock;
/// use chronoscope_sources::causality;
/// use std::time::Duration;
///
/// let trips = causality::skew(&Clock::or_system(), [0, 1], Duration::from_secs(1))?;
/// println!("the two differ by {} ns at most", trips.not_excluded());
/// # Ok::<(), causality::CausalityError>(())
/// ```
pub fn skew<S: TickSource + Sync>(source: &S, cpus: [u32; 2], longest: Duration) -> Result<Trips, CausalityError> {
    let clock = Clock::or_system();
    let begun = clock.now();
    let is_over = || clock.now().saturating_duration_since(begun) >= longest;
    // Both sides on threads of their own, so that the caller's stays where it was.
    let exchange =
        || alternate(source, source, ROUNDS, is_over, |side| os::bind_thread(cpus[side]), |bound| bound, |_| ());
    let outcome = thread::scope(|scope| join(spawn(scope, exchange)?));
    let (trips, bound) = outcome?.map_err(|error| CausalityError(Kind::NoThread(error)))?;
    bound.into_iter().try_for_each(|bound| bound.map_err(CausalityError::not_bound))?;
    trips.ok_or(CausalityError(Kind::NothingSeen))
}

type Handle<'scope, T> = thread::ScopedJoinHandle<'scope, T>;

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<Handle<'scope, T>, CausalityError> {
    thread::Builder::new().spawn_scoped(scope, work).map_err(|error| CausalityError(Kind::NoThread(error)))
}

fn join<T>(handle: Handle<'_, T>) -> Result<T, CausalityError> {
    handle.join().map_err(|_| CausalityError(Kind::NoThread(std::io::ErrorKind::Other.into())))
}

/// Why nothing was measured between two CPUs.
#[derive(Debug)]
pub struct CausalityError(Kind);

#[derive(Debug)]
enum Kind {
    NoThread(std::io::Error),
    NotBound(Unavailable),
    NothingSeen,
}

impl CausalityError {
    fn not_bound(unavailable: Unavailable) -> Self {
        Self(Kind::NotBound(unavailable))
    }

    /// Whether a thread could not be bound to its CPU, for example because the process may not use it.
    #[must_use]
    pub const fn is_not_bound(&self) -> bool {
        matches!(self.0, Kind::NotBound(_))
    }
}

impl fmt::Display for CausalityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::NoThread(error) => write!(f, "cannot run a second thread: {error}"),
            Kind::NotBound(reason) => write!(f, "cannot bind the threads to two CPUs: {reason}"),
            Kind::NothingSeen => f.write_str("no message crossed between the CPUs in time; try a longer time"),
        }
    }
}

impl core::error::Error for CausalityError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0 {
            Kind::NoThread(error) => Some(error),
            Kind::NotBound(reason) => Some(reason),
            Kind::NothingSeen => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore)] // makes system calls that Miri does not know
    fn a_publisher_that_nobody_stops_ends() {
        let clock = Clock::or_system();
        let (begun, longest) = (clock.now(), Duration::from_millis(2));
        publish(&Board::new(0), &clock, &AtomicBool::new(false), longest);
        assert!(clock.now() - begun >= longest);
    }
    use chronoscope_clock::Granular;

    const MOMENT: Duration = Duration::from_millis(30);

    #[cfg_attr(miri, ignore = "binds threads to CPUs")]
    #[test]
    fn causal_reads_do_not_go_back_between_two_cpus() {
        let granular = Granular::over(Clock::or_system().unordered(), Duration::from_micros(1));
        for outcome in [litmus(&Clock::or_system(), [0, 1], MOMENT), litmus(&granular, [1, 0], MOMENT)] {
            match outcome {
                Ok(seen) => assert!(seen.violations == 0 && seen.observations >= CHUNK, "{seen:?}"),
                Err(error) => println!("not tried: {error}"),
            }
        }
    }

    #[cfg_attr(miri, ignore = "binds threads to CPUs")]
    #[test]
    fn a_skew_has_a_bound_that_is_returned() {
        match skew(&Clock::or_system(), [0, 1], 10 * MOMENT) {
            Ok(trips) => assert!(trips.rounds > 0 && trips.not_excluded() > 0, "{trips:?}"),
            Err(error) => println!("not tried: {error}"),
        }
    }

    #[cfg_attr(miri, ignore = "binds threads to CPUs")]
    #[test]
    fn a_cpu_that_is_not_there_is_an_error_with_its_reason() {
        let error = litmus(&Clock::or_system(), [0, u32::MAX], MOMENT).unwrap_err();
        assert!(error.is_not_bound() && !error.to_string().is_empty());
    }
}
