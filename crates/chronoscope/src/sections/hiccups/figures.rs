//! The figures of hiccups.

use super::report::{Hiccups, HiccupsReport};
use crate::figures::figure::{Figure, FigureKind, Figures};

pub static FIGURES: Figures<Option<HiccupsReport>> = Figures { kinds: &[LATENESS], of: figures, limits: &[] };

pub const LATENESS: &FigureKind =
    &FigureKind::lateness("hiccup_lateness", "hiccups p99", "99th percentile of the lateness of looks at the clock.");

fn figures(report: &Option<HiccupsReport>) -> Vec<Figure> {
    let of_way = |way: &Hiccups| Figure::bare(LATENESS, way.way.name(), way.figures.late_ns.p99);
    report.iter().flat_map(|report| &report.all).filter_map(of_way).collect()
}
