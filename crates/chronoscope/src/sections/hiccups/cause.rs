//! What the kernel's counts tell of the longest stall of an interval.

use super::account::Open;
use super::report::StallCause;

/// What explains at least this share of a stall is its cause.
const MOST: f64 = 0.5;

/// What the kernel counted on a CPU in the interval of a stall.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// The least that the hypervisor took from the CPU, in milliseconds.
    pub stolen_ms: f64,
    /// How long a CPU quota stopped the process, on all CPUs.
    pub throttled_ms: f64,
}

/// What the longest stall in `open` is due to.
///
/// A thread's waits are told as a sum. All wake-ups were late by `sum` together, so all causes but waits make up no more than the sum less
/// the waits, even if all of that fell upon the longest: the rest of it was a wait.
pub fn cause(open: &Open, counted: Counted) -> StallCause {
    let longest_ms = open.late.longest.as_secs_f64() * 1e3;
    let sum_ms = (open.late.sum.as_secs_f64() * 1e3).max(longest_ms);
    let waited_ms = open.waited_ms.map_or(0.0, |waited_ms| longest_ms - (sum_ms - waited_ms).max(0.0));
    let explains = |ms: f64| ms >= MOST * longest_ms;
    // A thread that a quota stops waits, too.
    if explains(counted.throttled_ms) {
        StallCause::Quota
    } else if explains(waited_ms.max(counted.stolen_ms)) {
        if waited_ms >= counted.stolen_ms { StallCause::OtherThreads } else { StallCause::OtherGuests }
    } else {
        StallCause::Unexplained
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chronoscope_sources::hiccups::Lateness;

    use super::*;

    fn open(longest_us: u64, sum_us: u64, waited_ms: Option<f64>) -> Open {
        let [longest, sum] = [longest_us, sum_us].map(Duration::from_micros);
        Open { late: Lateness { longest, sum }, waited_ms }
    }

    #[test]
    fn a_stall_is_of_what_must_have_made_most_of_it() {
        let none = Counted::default();
        let of = |open: Open, stolen_ms, throttled_ms| cause(&open, Counted { stolen_ms, throttled_ms });
        // A thread that computes lost its CPU for 3 ms; 1 ms are interrupts of 50 µs.
        assert_eq!(cause(&open(3_000, 4_000, Some(3.0)), none), StallCause::OtherThreads);
        // A hundred wake-ups of 30 µs each, all of which the kernel counts as waits: none of them need have been the longest.
        assert_eq!(cause(&open(150, 3_120, Some(2.5)), none), StallCause::Unexplained);
        assert_eq!(cause(&open(150, 3_120, Some(3.11)), none), StallCause::OtherThreads);
        assert_eq!(cause(&open(3_000, 4_000, None), none), StallCause::Unexplained, "nothing is counted");
        assert_eq!(of(open(3_000, 3_100, Some(0.0)), 1.5, 0.0), StallCause::OtherGuests);
        assert_eq!(of(open(3_000, 3_100, Some(0.0)), 1.4, 0.0), StallCause::Unexplained);
        assert_eq!(of(open(3_000, 3_100, Some(2.9)), 2.0, 0.0), StallCause::OtherThreads);
        assert_eq!(of(open(40_000, 40_100, Some(40.0)), 0.0, 38.0), StallCause::Quota);
        assert_eq!(of(open(40_000, 40_100, Some(40.0)), 0.0, 1.0), StallCause::OtherThreads);
    }

    /// The two are read one after the other.
    #[test]
    fn a_sum_that_lacks_the_longest_is_at_least_that() {
        assert_eq!(cause(&open(3_000, 10, Some(0.0)), Counted::default()), StallCause::Unexplained);
        assert_eq!(cause(&open(3_000, 10, Some(9.0)), Counted::default()), StallCause::OtherThreads);
    }
}
