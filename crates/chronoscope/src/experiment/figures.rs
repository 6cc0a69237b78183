//! The figures of a study.

use crate::figures::figure::{Figure, FigureKind, Figures};
use chronoscope_harness::record::study::{Cell, StudyReport};
use chronoscope_render::words::counted;

pub static FIGURES: Figures<Option<StudyReport>> = Figures { kinds: &[TIME], of: figures, limits: &[] };

pub const TIME: &FigureKind = &FigureKind::level("operation_time", "time", "Time per operation of a study.");

fn figures(study: &Option<StudyReport>) -> Vec<Figure> {
    let of_cell = |study: &StudyReport, cell: &Cell| {
        let mut words = vec![cell.case.clone()];
        words.extend(cell.role.clone());
        words.extend(cell.parameters.iter().map(|(name, value)| format!("{name} {value}")));
        words.push(format!("{} tokens", cell.backoff_tokens));
        words.push(counted(cell.threads.into(), "thread", "threads"));
        Figure::new(TIME, format!("{}: {}", study.name, words.join(", ")), cell.time_ns?)
    };
    study.iter().flat_map(|study| study.cells.iter().filter_map(move |cell| of_cell(study, cell))).collect()
}
