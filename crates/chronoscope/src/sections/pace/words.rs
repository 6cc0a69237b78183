//! How rates, times and causes are written.

use chronoscope_harness::quantity::{TIME, count, ns, three_digits};

use super::report::{LateCause, Pace};

/// A cause of lateness, in the words of the request.
pub const fn cause(of: LateCause, pace: &Pace) -> &'static str {
    match of {
        LateCause::Caller if pace.stall_ms.is_some() => "the stall",
        // Where no work was done; a record of an earlier version may disagree.
        LateCause::Caller => "delays between events",
        LateCause::Machine => "interruptions of the pacing thread",
        LateCause::Pacer => "late wake-ups and the pacer's own steps",
    }
}

/// A time of this pace, never finer than its clock's step.
pub fn time(value_ns: f64, pace: &Pace) -> String {
    match pace.clock_step_ns {
        Some(step) if value_ns < step => TIME.below(step),
        _ => ns(value_ns),
    }
}

pub fn rate(per_s: f64) -> String {
    format!("{} per second", three_digits_or_more(per_s))
}

pub fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { '−' } else { '+' }, three_digits(value.abs()))
}

pub fn three_digits_or_more(value: f64) -> String {
    if value >= 1_000.0 { count(value.round() as u64) } else { three_digits(value) }
}
