//! The figures of the wall clock.

use super::plan::SYNC;
use super::report::SyncReport;
use super::rules::WALL_CLOCK_ERROR_LARGE;
use crate::clock_id::ClockId;
use crate::figures::figure::{Figure, FigureKind, Figures};
use crate::figures::limit::{Absent, Bounds, Limit, Takes};
use chronoscope_harness::quantity::TIME;
use chronoscope_harness::record::Known;

pub static FIGURES: Figures<Option<SyncReport>> = Figures {
    kinds: &[ERROR],
    of: figures,
    limits: &[Limit {
        option: "max-ntp-error",
        help: "The wall clock is known to be off by at most this",
        takes: Takes::Time,
        parts: &[SYNC],
        mend: WALL_CLOCK_ERROR_LARGE.mend,
        find: error,
    }],
};

const ERROR: &FigureKind = &FigureKind::extreme("clock_error", "maximum error", "Maximum error of the wall clock.");

fn figures(report: &Option<SyncReport>) -> Vec<Figure> {
    let bound = report.as_ref().and_then(|sync| sync.bound.value());
    bound.and_then(|bound| Figure::bare(ERROR, "wall clock", bound.error_ns)).into_iter().collect()
}

/// By how much the wall clock may be off. What is limited is the bound, and that is a number.
fn error(report: &Option<SyncReport>, _: Option<&ClockId>) -> Result<Bounds, Absent> {
    match report.as_ref().map(|sync| &sync.bound) {
        None => Err(Absent::NotMeasured("the wall clock was not examined".to_owned())),
        Some(Known::Unavailable(why)) => Err(Absent::Because(
            format!("no bound on the wall clock's error is known: {why}"),
            Some("see `chronoscope sync` for what disciplines the wall clock"),
        )),
        Some(Known::Value(bound)) => Ok(Bounds::between(TIME.off(bound.error_ns), bound.error_ns, bound.error_ns)),
    }
}
