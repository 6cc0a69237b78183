//! Events at a steady rate, or at random times of a known rate, on an absolute schedule: no delay goes unreported.
//!
//! [`Pace`] is an exact rate. Its schedule, [`Poisson`]'s, or any iterator of times says when events are intended. [`Pacer`] waits for each by a [`Pauser`](crate::pause::Pauser) and reports when it could start and why it was late, charging a backlog to its first cause. [`Timetable`] does the same for callers that wait by other means, as in async tasks. [`Behind`] decides what becomes of late events. `PaceRecord` (feature `hdrhistogram`) keeps response and service times in histograms.

mod backlog;
mod behind;
mod course;
mod pace;
mod pacing;
#[cfg(feature = "std")]
mod poisson;
mod rate_fit;
#[cfg(feature = "hdrhistogram")]
mod record;
mod slot;
mod steady;
mod timetable;

pub use behind::Behind;
pub use pace::{ImpossiblePace, Pace};
pub use pacing::Pacer;
#[cfg(feature = "std")]
pub use poisson::Poisson;
pub use rate_fit::RateFit;
#[cfg(feature = "hdrhistogram")]
pub use record::PaceRecord;
pub use slot::{Late, Slot, Times};
pub use steady::Steady;
pub use timetable::{Due, Timetable};

use core::time::Duration;

use crate::Instant;
use crate::pause::{Target, relax};

/// The target of a [`Pacer`]: one wait in five hundred may be late, a fifth of what a [`Pauser`](crate::pause::Pauser)
/// allows by default. Events inherit lateness: a sleep that ends some periods late delays that many events.
pub const TARGET: Target = Target::DEFAULT.late_at_most(0.002);

/// A longer gap between two readings is the machine's doing, unless readings themselves are slow:
const GAP: Duration = Duration::from_micros(1);
/// then it must be longer than this many turns of the loop,
const READINGS: u32 = 4;
/// the quickest of this many.
const TRIES: u32 = 8;
/// The head start of a schedule that starts now, so that its first event is not late already.
const LEAD: Duration = Duration::from_micros(100);

/// The longest gap that is the clock's own doing, in a loop that waits by reading it.
fn gap_of(read: impl Fn() -> Instant) -> Duration {
    let turn = |_| {
        let before = read();
        relax();
        read().saturating_duration_since(before)
    };
    GAP.max((0..TRIES).map(turn).min().unwrap_or_default() * READINGS)
}
