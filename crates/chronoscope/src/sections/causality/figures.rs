//! The figures of the observations between CPUs.

use super::plan::OFFSETS;
use super::report::Causality;
use super::rules::CROSS_CPU_SKEW;
use crate::clock_id::ClockId;
use crate::figures::figure::{Figure, FigureKind, Figures};
use crate::figures::limit::{Absent, Bounds, Limit, Takes};
use chronoscope_harness::quantity::{TIME, count};

pub static FIGURES: Figures<Causality> = Figures {
    kinds: &[SKEW],
    of: figures,
    limits: &[Limit {
        option: "max-skew",
        help: "The clocks of two CPUs differ by at most this",
        takes: Takes::Time,
        parts: &[OFFSETS],
        mend: CROSS_CPU_SKEW.mend,
        find: skew,
    }],
};

pub const SKEW: &FigureKind = &FigureKind {
    is_bound: true,
    ..FigureKind::extreme("skew", "skew bound", "The largest skew between CPUs compatible with the observations.")
};

fn figures(report: &Causality) -> Vec<Figure> {
    most_ns(report).and_then(|ns| Figure::bare(SKEW, "between CPUs", ns)).into_iter().collect()
}

fn most_ns(report: &Causality) -> Option<f64> {
    report.pairs.iter().map(|pair| pair.skew_not_excluded_ns()).reduce(f64::max)
}

fn skew(report: &Causality, _: Option<&ClockId>) -> Result<Bounds, Absent> {
    let pairs = &report.pairs;
    let Some(most_ns) = most_ns(report) else {
        let words = "no two CPUs were compared";
        return Err(match &report.reason_unavailable {
            Some(reason) => Absent::Because(format!("{words}: {reason}"), None),
            None => Absent::NotMeasured(words.to_owned()),
        });
    };
    let least_ns = pairs.iter().map(|pair| (pair.offset_ns.abs() - pair.half_width_ns).max(0.0)).fold(0.0, f64::max);
    let all = report.pairs_tested_of_more().map_or_else(String::new, |tested| {
        format!(" in the {} of {} pairs of CPUs compared", count(tested), count(report.pairs_possible))
    });
    let between = if least_ns > 0.0 { TIME.interval(least_ns, most_ns) } else { TIME.below(most_ns) };
    let known = Bounds {
        narrow: "a bound on skew is at least half a round trip between two CPUs: name a limit above that, or measure on a \
                 quieter machine",
        ..Bounds::between(between + &all, least_ns, most_ns)
    };
    // A distance that changed may have been larger than was seen.
    if pairs.iter().all(|pair| pair.reason_not_constant.is_none()) {
        return Ok(known);
    }
    let doubt = "; it was not constant, and may have been larger".to_owned();
    Ok(Bounds { certain: (least_ns, f64::INFINITY), doubt, ..known })
}
