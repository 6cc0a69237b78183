//! The figures of a study.

use crate::figures::figure::{Figure, FigureKind, Figures};
use chronoscope_harness::record::study::{Cell, Estimate, State, StudyReport};
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
        // Of processes in several states, another run may find any in its middle.
        let hold = |time: Estimate, state: &State| Estimate {
            low: time.low.min(state.value),
            high: time.high.max(state.value),
            ..time
        };
        let time = cell.states.iter().fold(cell.time_ns?, hold);
        Figure::new(TIME, format!("{}: {}", study.name, words.join(", ")), time)
    };
    study.iter().flat_map(|study| study.cells.iter().filter_map(move |cell| of_cell(study, cell))).collect()
}
