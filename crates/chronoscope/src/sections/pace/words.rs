//! How rates are written.

use chronoscope_harness::quantity::{TIME, count, ns, three_digits};

use super::report::Pace;

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
