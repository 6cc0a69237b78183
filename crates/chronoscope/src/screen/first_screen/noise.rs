//! What a thread that only reads clocks lost.

use chronoscope_harness::quantity::{ns, share};
use chronoscope_render::page::fitted;
use chronoscope_render::words::given;

use super::cells::Row;
use super::trust::graded;
use crate::judgement::grade::Grade;
use crate::judgement::noise::Noise;

/// Columns of a reason, of any length.
const REASON: usize = 60;

/// The time lost; who took it is a line of attention.
pub fn noise(noise: &Noise) -> Row {
    let (grade, said) = match noise.lost {
        None => (Grade::Unknown, format!("not known: {}", fitted(&given(noise.reason_unmeasured.as_deref()), REASON))),
        Some(lost) => {
            let grade = if noise.advice.is_some() { Grade::Warning } else { Grade::Good };
            let gaps = format!("gaps > {}, up to {}", ns(lost.above_ns), ns(lost.worst_ns));
            (grade, format!("{} of time in {gaps}; not in errors above", share(lost.share)))
        }
    };
    Row::named("NOISE", [graded(grade, &said)])
}
