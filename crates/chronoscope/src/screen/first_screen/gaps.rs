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
pub fn gaps(noise: &Noise) -> Row {
    let (grade, said) = match noise.lost {
        None => (Grade::Unknown, format!("not known: {}", fitted(&given(noise.reason_unmeasured.as_deref()), REASON))),
        Some(lost) => {
            let grade = if noise.advice.is_some() { Grade::Warning } else { Grade::Good };
            let (above, worst) = (ns(lost.above_ns), ns(lost.worst_ns));
            (grade, format!("> {above}: {} of time, up to {worst} each; not in errors above", share(lost.share)))
        }
    };
    Row::named("GAPS", [graded(grade, &said)])
}
