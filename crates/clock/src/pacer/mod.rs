//! Events at a steady rate, or at random times of a known rate, against a schedule that no delay moves unseen.
//!
//! [`Pace`] is a rate, exactly; its schedule, or [`Poisson`]'s, or any iterator of times says when events are intended;
//! [`Pacer`] waits for each by a [`Pauser`](crate::pause::Pauser) and says when it could start and why it was late, a backlog
//! counting as its first cause's; [`Timetable`] does the same for those who wait by other means, in asynchronous tasks for
//! example; [`Behind`] says what becomes of those that come too late. `PaceRecord` (feature `hdrhistogram`) keeps what was seen,
//! in histograms of response time beside service time.

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

/// What a [`Pacer`] waits by: one wait in five hundred may be late, a fifth of what a [`Pauser`](crate::pause::Pauser) allows
/// by default. Events inherit lateness: one sleep that ends some periods late makes as many events late.
pub const TARGET: Target = Target::DEFAULT.late_at_most(0.002);

/// A gap between two readings of the clock that is longer than this is the machine's doing,
const GAP: Duration = Duration::from_micros(1);
/// and longer than so many times what a reading and the rest of the loop take, where the clock is a slow one.
const READINGS: u32 = 4;
/// The quickest of so many tells what they take.
const TRIES: u32 = 8;
/// A schedule that starts now begins so much later: its first event is not late already.
const LEAD: Duration = Duration::from_micros(100);

/// How long a gap is the clock's own doing, where a loop waits by reading it.
fn gap_of(read: impl Fn() -> Instant) -> Duration {
    let turn = |_| {
        let before = read();
        relax();
        read().saturating_duration_since(before)
    };
    GAP.max((0..TRIES).map(turn).min().unwrap_or_default() * READINGS)
}
