//! The time of a call in its own thread.

use crate::sections::thread_release::report::ReleaseRow;
use chronoscope_harness::record::Estimate;

/// Two intervals between stamps are each off by up to a step.
const STEPS: f64 = 2.0;

/// The time of a call in its thread, beyond the cost of the stamps around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnShare {
    /// It adds this much to them, certainly within the interval.
    Adds { median_ns: f64, low_ns: f64, high_ns: f64 },
    /// At most this; possibly nothing.
    AtMost(f64),
    /// The stamps cannot resolve it.
    Unknown,
}

/// The own share of `row`'s call, from the time between its stamps and between those of the `control`. If the stamps
/// cannot be subtracted, the time between them is an upper bound on the call.
pub fn own_share(row: &ReleaseRow, control: &ReleaseRow, step_ns: Option<f64>) -> Option<OwnShare> {
    let inside = row.inside_ns_p50?;
    let stamps = control
        .inside_ns_p50
        .filter(Estimate::has_confidence)
        .zip(step_ns.filter(|step| *step > 0.0))
        .filter(|_| inside.has_confidence());
    Some(match stamps {
        Some((stamps, step_ns)) => {
            let low_ns = inside.low - stamps.high - STEPS * step_ns;
            let high_ns = inside.high - stamps.low + STEPS * step_ns;
            match inside.estimate - stamps.estimate {
                median_ns if low_ns > 0.0 => OwnShare::Adds { median_ns, low_ns, high_ns },
                _ if high_ns > 0.0 => OwnShare::AtMost(high_ns),
                _ => OwnShare::Unknown,
            }
        }
        None if inside.high > 0.0 => OwnShare::AtMost(inside.high),
        None => OwnShare::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, estimate: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high, confidence: 0.999 }
    }

    fn row(inside: Option<Estimate>) -> ReleaseRow {
        ReleaseRow {
            call: "clock".into(),
            is_control: false,
            serial_ns: None,
            concurrent_ns: None,
            slowdown: None,
            control_share: None,
            verdict: None,
            inside_ns_p50: inside,
            inside_ns_p99: None,
            wake_ns_p50: None,
            wake_ns_max: None,
            published: None,
        }
    }

    fn own(inside: Estimate, stamps: Estimate) -> OwnShare {
        own_share(&row(Some(inside)), &row(Some(stamps)), Some(0.5)).unwrap()
    }

    #[test]
    fn what_the_stamps_cost_is_not_the_clocks() {
        // 150 ns between stamps that alone show 130 ns.
        assert_eq!(own(interval(145.0, 150.0, 155.0), interval(128.0, 130.0, 146.0)), OwnShare::AtMost(28.0));
        assert_eq!(own(interval(309.0, 309.0, 309.0), interval(309.0, 309.0, 309.0)), OwnShare::AtMost(1.0));
        assert_eq!(own(interval(90.0, 91.0, 92.0), interval(128.0, 130.0, 132.0)), OwnShare::Unknown);
        let adds = OwnShare::Adds { median_ns: 30.0, low_ns: 27.0, high_ns: 33.0 };
        assert_eq!(own(interval(49.0, 50.0, 51.0), interval(19.0, 20.0, 21.0)), adds);
    }

    #[test]
    fn a_step_of_the_stamps_is_no_share() {
        let (clock, stamps) = (row(Some(interval(83.0, 83.0, 83.0))), row(Some(interval(42.0, 42.0, 42.0))));
        // Both are whole steps: one more may be chance.
        assert_eq!(own_share(&clock, &stamps, Some(41.0)), Some(OwnShare::AtMost(123.0)));
    }

    #[test]
    fn without_its_control_all_between_the_stamps_is_the_most() {
        let clock = row(Some(interval(45.0, 50.0, 60.0)));
        let stamps = row(Some(interval(19.0, 20.0, 21.0)));
        assert_eq!(own_share(&clock, &row(None), Some(0.5)), Some(OwnShare::AtMost(60.0)));
        assert_eq!(own_share(&clock, &stamps, None), Some(OwnShare::AtMost(60.0)), "a record of an earlier version");
        let few = row(Some(Estimate { confidence: 0.5, ..interval(19.0, 20.0, 21.0) }));
        assert_eq!(own_share(&clock, &few, Some(0.5)), Some(OwnShare::AtMost(60.0)), "too few rounds");
        assert_eq!(own_share(&row(Some(interval(0.0, 0.0, 0.0))), &row(None), None), Some(OwnShare::Unknown));
        assert_eq!(own_share(&row(None), &stamps, Some(0.5)), None);
    }
}
