//! How rates are written.

use chronoscope_harness::quantity::{count, three_digits};

pub fn rate(per_s: f64) -> String {
    format!("{} per second", three_digits_or_more(per_s))
}

pub fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { '−' } else { '+' }, three_digits(value.abs()))
}

pub fn three_digits_or_more(value: f64) -> String {
    if value >= 1_000.0 { count(value.round() as u64) } else { three_digits(value) }
}
