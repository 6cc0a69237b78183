//! A leap second is announced, passes, or is called off.

use chronoscope_harness::finding::{Finding, Kind, Meaning};

use super::shown_in::SHOWN_IN;
use crate::sections::sync::kernel::{ClockState, Kernel, StatusFlag};
use crate::watch::sample::Sample;

pub const LEAP_CHANGED: Kind = Kind::notice(
    "leap_changed",
    Meaning {
        about: "a leap second was announced, passes, or was called off",
        evidence: "the state of the kernel's clock",
        mend: "order events across it by CLOCK_MONOTONIC or CLOCK_TAI",
    },
)
.shown_in(SHOWN_IN);

/// Where the kernel is with a leap second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Leap {
    #[default]
    None,
    Insert,
    Delete,
    Now,
}

fn leap(kernel: &Kernel) -> Leap {
    match kernel.state {
        ClockState::InLeapSecond => Leap::Now,
        ClockState::Insert => Leap::Insert,
        ClockState::Delete => Leap::Delete,
        ClockState::LeapSecondOver => Leap::None,
        // Of an unsynchronised clock the state says nothing, and the flags do.
        _ if kernel.has(StatusFlag::InsertLeap) => Leap::Insert,
        _ if kernel.has(StatusFlag::DeleteLeap) => Leap::Delete,
        _ => Leap::None,
    }
}

#[derive(Debug, Default)]
pub struct Detector {
    last: Option<Leap>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = leap(sample.kernel.value()?);
        let last = self.last.replace(now)?;
        if last == now {
            return None;
        }
        let said = match now {
            Leap::Insert => "a second will be inserted at the end of this UTC day",
            Leap::Delete => "a second will be left out at the end of this UTC day",
            Leap::Now => "an inserted second is in progress",
            Leap::None if last == Leap::Now => "the leap second is over",
            Leap::None => "no leap second is announced any more",
        };
        let advice =
            "across it CLOCK_REALTIME repeats or skips a second: order events by CLOCK_MONOTONIC, or by CLOCK_TAI";
        Some(Finding::new(LEAP_CHANGED, said).about("CLOCK_REALTIME").advice(advice))
    }
}
