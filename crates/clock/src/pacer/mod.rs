//! Events at a steady rate, or at random times of a known rate, against a schedule that no delay moves unseen.
//!
//! [`Pace`] is a rate, exactly; its schedule, or [`Poisson`]'s, or any iterator of times says when events are intended;
//! [`Pacer`] waits for each by a [`Pauser`](crate::pause::Pauser) and says when it could start and why it was late, a backlog
//! counting as its first cause's;
//! [`Behind`] says what becomes of those that come too late. [`PaceRecord`] keeps what was seen, in histograms of response
//! time beside service time.

mod backlog;
mod behind;
mod pace;
mod pacing;
#[cfg(feature = "std")]
mod poisson;
#[cfg(feature = "hdrhistogram")]
mod record;
mod slot;
mod steady;

pub use behind::Behind;
pub use pace::{ImpossiblePace, Pace};
pub use pacing::{Due, Pacer};
#[cfg(feature = "std")]
pub use poisson::Poisson;
#[cfg(feature = "hdrhistogram")]
pub use record::PaceRecord;
pub use slot::{Late, Slot, Times};
pub use steady::Steady;
