//! What a thread that only reads clocks lost.

use chronoscope_harness::finding::Finding;
use chronoscope_harness::quantity::{count, ns, share};
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
    let waited =
        |finding: &Finding| finding.evidence.values.get("share").filter(|_| finding.is(NOISY_MACHINE)).copied();
    let waited = findings.iter().find_map(waited);
    let grade = if noise.advice.is_some() || waited.is_some() { Grade::Warning } else { Grade::Good };
    let (above, share, worst) = (ns(lost.above_ns), share(lost.share), ns(lost.worst_ns));
    // The share is that of one clock.
    let waited =
        waited.map_or_else(String::new, |waited| format!("; threads waited {} for a CPU", self::share(waited)));
    let of_clocks = if lost.clocks > 1 { format!(" of {} clocks", count(lost.clocks.into())) } else { String::new() };
    let said = format!("> {above}: {share} of time{waited}; longest{of_clocks} {worst}");
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
            clocks: 2,
            mostly_by: LostTo::OtherThreads,
        };
        let noise = Noise { lost: Some(lost), ..Noise::default() };
        let said = |findings: &[Finding]| gaps(&noise, findings).cells[0].line.text();
        assert_eq!(said(&[]), "✔ > 10.0 µs: 1.90 % of time; longest of 2 clocks 107 µs");
        let waited = Finding::new(NOISY_MACHINE, "measuring threads waited 436 ms of 6.50 s for their CPU")
            .value("share", 0.067);
        assert_eq!(
            said(&[waited]),
            "! > 10.0 µs: 1.90 % of time; threads waited 6.70 % for a CPU; longest of 2 clocks 107 µs"
        );
    }
}
