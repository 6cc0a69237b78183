//! What a thread that only reads clocks lost.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::quantity::{ns, share};
use chronoscope_harness::study_rules::NOISY_MACHINE;
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
pub fn gaps(noise: &Noise, findings: &[Finding]) -> Row {
    let Some(lost) = &noise.lost else {
        let said = format!("not known: {}", fitted(&given(noise.reason_unmeasured.as_deref()), REASON));
        return Row::named("GAPS", [graded(Grade::Unknown, &said)]);
    };
    // A thread that waited for its CPU in other parts did so whatever these reads met.
    let is_noisy = findings.iter().any(|finding| finding.is(NOISY_MACHINE));
    let grade = if noise.advice.is_some() || is_noisy { Grade::Warning } else { Grade::Good };
    let (above, share, worst) = (ns(lost.above_ns), share(lost.share), ns(lost.worst_ns));
    // The share is that of one clock.
    let said = format!("> {above}: {share} of time; longest of any clock {worst}");
    Row::named("GAPS", [graded(grade, &said), Line::styled(DIM, "not in errors")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::noise::{Lost, LostTo};

    #[test]
    fn a_thread_that_waited_elsewhere_earns_no_tick() {
        let lost = Lost {
            clock: None,
            above_ns: 10_000.0,
            share: 0.019,
            worst_ns: 107_000.0,
            mostly_by: LostTo::OtherThreads,
        };
        let noise = Noise { lost: Some(lost), ..Noise::default() };
        let said = |findings: &[Finding]| gaps(&noise, findings).cells[0].line.text();
        assert_eq!(said(&[]), "✔ > 10.0 µs: 1.90 % of time; longest of any clock 107 µs");
        let waited = Finding::new(NOISY_MACHINE, "measuring threads waited 436 ms of 6.50 s for their CPU");
        assert!(said(&[waited]).starts_with("! "));
    }
}
