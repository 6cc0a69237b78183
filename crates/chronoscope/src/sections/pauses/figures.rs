//! The figures of pauses.

use std::time::Duration;

use crate::figures::figure::{Figure, FigureKind, Figures};
use chronoscope_harness::estimators::pauses::{PauseFigures, Pauses};
use chronoscope_harness::quantity::length;

pub static FIGURES: Figures<Option<Pauses>> = Figures { kinds: &[LATENESS], of: figures, limits: &[] };

pub const LATENESS: &FigureKind = &FigureKind {
    // 99.5 % of all pairs of checks were within a factor of 2.3.
    usual_noise_pct: 130.0,
    floor: FigureKind::FLOOR_OF_LATENESS,
    ..FigureKind::level("pause_lateness", "lateness p50", "How late the median pause ends.")
};

fn figures(report: &Option<Pauses>) -> Vec<Figure> {
    let of_method = |figures: &PauseFigures| {
        let requested = figures.requested_ns;
        let subject = format!("{}, {}", figures.name, length(Duration::from_nanos(requested)));
        Figure::new(LATENESS, subject, figures.p50_ns.map(|ns| ns - requested as f64))
    };
    report.iter().flat_map(|pause| &pause.methods).filter_map(of_method).collect()
}
