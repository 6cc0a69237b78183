//! The kernel slews `CLOCK_MONOTONIC`, at another rate than before.

use chronoscope_harness::finding::{Finding, Kind, Meaning};
use chronoscope_harness::quantity::PPM;

use super::shown_in::SHOWN_IN;
use crate::sections::sync::slew::{Bracket, Observed, observed};
use crate::watch::sample::Sample;

pub const SLEW_CHANGED: Kind = Kind::notice(
    "slew_changed",
    Meaning {
        about: "the kernel slews `CLOCK_MONOTONIC` at another rate than before",
        evidence: "the rate against `CLOCK_MONOTONIC_RAW` and its error (`slew_ppm` ± `error_ppm`), and the change (`change_ppm`)",
        mend: "`chronoscope sync` says who steers it; and which part of it makes intervals wrong",
    },
)
.shown_in(SHOWN_IN);

/// A rate is known once its bounds are no further apart than this either way.
const KNOWN_WITHIN_PPM: f64 = 1.0;
/// A change by less is the usual work of a daemon.
const CHANGE_PPM: f64 = 5.0;
/// A first rate beyond this corrects more than the frequency of any crystal.
const FIRST_PPM: f64 = 100.0;

/// Measures the rate from one look to a later one, as far apart as its bounds require.
#[derive(Debug, Default)]
pub struct Detector {
    start: Option<Bracket>,
    told_ppm: Option<f64>,
}

impl Detector {
    pub fn look(&mut self, sample: &Sample) -> Option<Finding> {
        let now = sample.rate.value().copied().and_then(|bracket| bracket.checked().ok())?;
        let Some(start) = self.start else {
            self.start = Some(now);
            return None;
        };
        let rate = observed(start, now).ok()?;
        if (rate.high_ppm - rate.low_ppm) / 2.0 > KNOWN_WITHIN_PPM {
            // The interval goes on until it is long enough.
            return None;
        }
        self.start = Some(now);
        let Some(told) = self.told_ppm else {
            self.told_ppm = Some(rate.ppm);
            let is_much = rate.low_ppm > FIRST_PPM || rate.high_ppm < -FIRST_PPM;
            return is_much.then(|| found(rate, None, sample));
        };
        let is_other = rate.low_ppm > told + CHANGE_PPM || rate.high_ppm < told - CHANGE_PPM;
        is_other.then(|| {
            self.told_ppm = Some(rate.ppm);
            found(rate, Some(told), sample)
        })
    }
}

fn found(rate: Observed, before_ppm: Option<f64>, sample: &Sample) -> Finding {
    let error_ppm = (rate.high_ppm - rate.low_ppm) / 2.0;
    let against = "against CLOCK_MONOTONIC_RAW";
    let is = PPM.plus_minus(rate.ppm, error_ppm);
    let said = match before_ppm {
        Some(before) => format!("it runs at {is} {against}, {} before", PPM.value(before)),
        None => format!("it runs at {is} {against}"),
    };
    let declared = sample.kernel.value().map(|kernel| kernel.slew_ppm());
    let finding = Finding::new(SLEW_CHANGED, said)
        .about("CLOCK_MONOTONIC")
        .value("slew_ppm", rate.ppm)
        .value("error_ppm", error_ppm)
        .value("change_ppm", before_ppm.map_or(f64::NAN, |before| rate.ppm - before))
        .value("declared_ppm", declared.unwrap_or(f64::NAN));
    finding.advice("`chronoscope sync` says who steers it, and which part of it makes intervals wrong")
}
