//! The reads that are compared.

use chronoscope_sources::arch::{self, Counter, WithProcessorId};
use std::time::Instant;

use crate::monotonic::monotonic_ns;
use crate::read::Read;

/// The names that the goals speak of.
pub(crate) const UNORDERED: &str = "Unordered";
pub(crate) const ORDERED: &str = "Clock::now";
pub(crate) const GRANULAR: &str = "Granular 1 µs";

/// The reads of the clock library called `$clock`: what all revisions have.
///
/// Each is written as a program writes it: the clock is made where it is read, and the shared ones are statics.
#[macro_export]
macro_rules! reads {
    ($clock:ident) => {{
        use ::std::time::Duration;
        use $clock::{Clock, Granular};

        static GRANULAR: Granular = Granular::new(Duration::from_micros(1));
        ::std::vec![
            $crate::Read::new("Unordered", || Clock::or_system().unordered().now().as_nanos()),
            $crate::Read::new("Clock::now", || Clock::or_system().now().as_nanos()),
            $crate::Read::new("Granular 1 µs", || GRANULAR.now().as_nanos()),
        ]
    }};
}

/// What both revisions are seen beside: bare instructions and the system's clock; what this CPU lacks is left out.
pub(crate) fn landmarks() -> Vec<Read> {
    let mut landmarks = Vec::new();
    if let Ok(counter) = Counter::new() {
        landmarks.push(Read::new(arch::NAME_UNORDERED, move || counter.unordered()));
        landmarks.push(Read::new(arch::NAME_ORDERED, move || counter.ordered()));
    }
    if let Ok(rdtscp) = WithProcessorId::new() {
        landmarks.push(Read::new(arch::NAME_WITH_PROCESSOR_ID, move || rdtscp.read()));
    }
    landmarks.push(Read::new("clock_gettime MONOTONIC", monotonic_ns));
    landmarks.push(Read::new("std Instant::now", Instant::now));
    landmarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goals_speak_of_reads_that_there_are() {
        let reads = reads!(chronoscope_clock);
        for name in [UNORDERED, ORDERED, GRANULAR] {
            assert_eq!(reads.iter().filter(|read| read.name == name).count(), 1, "{name}");
        }
    }
}
