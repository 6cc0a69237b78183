//! The figures of a pace.

use super::report::Pace;
use crate::figures::figure::{Figure, FigureKind, Figures};
use chronoscope_harness::quantity::PER_SECOND;

pub static FIGURES: Figures<Option<Pace>> = Figures { kinds: &[LATENESS, RESPONSE], of: figures, limits: &[] };

pub const LATENESS: &FigureKind =
    &FigureKind::lateness("pace_lateness", "lateness p99", "99th percentile of the lateness of a pace.");
pub const RESPONSE: &FigureKind =
    &FigureKind::lateness("pace_response", "response p99", "99th percentile of the response time of a pace.");

fn figures(pace: &Option<Pace>) -> Vec<Figure> {
    let of_pace = |pace: &Pace| {
        let subject = format!("pace of {}", PER_SECOND.value(pace.rate_per_s));
        [(LATENESS, &pace.lateness_ns), (RESPONSE, &pace.response_ns)]
            .map(|(kind, times)| Figure::bare(kind, subject.clone(), times.p99))
    };
    pace.iter().flat_map(of_pace).flatten().collect()
}
