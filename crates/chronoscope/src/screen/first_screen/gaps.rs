//! What a thread that only reads clocks lost.

use chronoscope_harness::quantity::{ns, share};
use chronoscope_render::line::Line;
use chronoscope_render::page::fitted;
use chronoscope_render::palette::DIM;
use chronoscope_render::words::given;

use super::cells::Row;
use super::trust::graded;
use crate::judgement::grade::Grade;
use crate::judgement::noise::Noise;

/// Columns of a reason, of any length.
const REASON: usize = 60;

/// The time lost; who took it is a line of attention.
pub fn gaps(noise: &Noise) -> Row {
    let Some(lost) = &noise.lost else {
        let said = format!("not known: {}", fitted(&given(noise.reason_unmeasured.as_deref()), REASON));
        return Row::named("GAPS", [graded(Grade::Unknown, &said)]);
    };
    let grade = if noise.advice.is_some() { Grade::Warning } else { Grade::Good };
    let (above, share, worst) = (ns(lost.above_ns), share(lost.share), ns(lost.worst_ns));
    // The share is that of one clock.
    let said = format!("> {above}: {share} of time; longest {worst}");
    Row::named("GAPS", [graded(grade, &said), Line::styled(DIM, "not in errors above")])
}
