use std::collections::BTreeMap;

use chronoscope_harness::record::study::Estimate;
use chronoscope_render::study::{OverThreads, ThreadTime, Zone};
use chronoscope_render::text::{counted, ns};

use super::report::{Conclusion, End, Rise, telling};

/// Maximum curves.
const CURVES: usize = 6;

/// By backoff in tokens: its duration, and the times by number of threads.
type Curves = BTreeMap<u64, (f64, BTreeMap<u32, ThreadTime>)>;

/// Time per operation over threads, a curve for each of a few amounts of work, with the forbidden zone and its front; None
/// with fewer than two thread counts.
pub fn chart(conclusion: &Conclusion) -> Option<OverThreads> {
    let curves = curves(conclusion);
    if curves.values().all(|(_, times)| times.len() < 2) {
        return None;
    }
    let tokens: Vec<u64> = curves.keys().copied().collect();
    let (low, high) = (conclusion.front.raised, conclusion.front.flat);
    let ends = low.into_iter().chain(high).map(|end| end.tokens);
    let curve = |tokens: u64| {
        let (work_ns, times) = &curves[&tokens];
        let name = match tokens {
            0 => "back to back".to_owned(),
            _ => format!("{} ({})", counted(tokens, "token", "tokens"), ns(*work_ns)),
        };
        (name, times.values().cloned().collect())
    };
    let zone = zone(conclusion.threads, [low, high], |tokens| Some(curves.get(&tokens)?.1.get(&1)?.time_ns.estimate));
    let title = format!("{}: time per operation by threads", conclusion.clock);
    Some(OverThreads { title, curves: telling(&tokens, ends, CURVES).into_iter().map(curve).collect(), zone })
}

/// An amount of work is drawn at the time of an operation with it on one thread.
fn zone(threads: u32, [low, high]: [Option<End>; 2], alone_ns: impl Fn(u64) -> Option<f64>) -> Option<Zone> {
    let at = |end: Option<End>| end.and_then(|end| alone_ns(end.tokens));
    let front_name = match (low, high) {
        (Some(_), Some(_)) => "the front lies between",
        (Some(_), None) => "the front lies above",
        // All that was tried scales.
        (None, Some(End { tokens: 0, .. })) | (None, None) => return None,
        (None, Some(_)) => "the front lies here or below",
    };
    let (low, high) = (at(low), at(high));
    let front_ns = low.into_iter().chain(high).collect();
    Some(Zone { threads, forbidden_ns: low, front_ns, front_name: front_name.to_owned() })
}

fn curves(conclusion: &Conclusion) -> Curves {
    let mut curves = Curves::new();
    let time = |threads: u32, time_ns: Estimate, is_raised: bool| ThreadTime { threads, time_ns, is_raised };
    for point in &conclusion.points {
        let (_, times) = curves.entry(point.backoff_tokens).or_insert_with(|| (point.work_ns, BTreeMap::new()));
        if let Some(alone) = point.alone_ns {
            times.entry(1).or_insert_with(|| time(1, alone, false));
        }
        if let Some(all) = point.all_ns {
            times.insert(point.threads, time(point.threads, all, point.rise == Rise::Raised));
        }
    }
    for oversubscribed in &conclusion.oversubscribed {
        // Only where it continues a curve.
        if let Some((_, times)) = curves.get_mut(&oversubscribed.backoff_tokens) {
            times.insert(oversubscribed.threads, time(oversubscribed.threads, oversubscribed.time_ns, false));
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use chronoscope_render::text::Text;

    use super::super::report::{Front, Point};
    use super::*;

    fn conclusion(front: Front) -> Conclusion {
        let about = |estimate: f64| Estimate { estimate, low: estimate, high: estimate, confidence: 0.999 };
        let point = |tokens: u64, threads: u32, all: f64, rise: Rise| Point {
            backoff_tokens: tokens,
            work_ns: tokens as f64,
            work_all_ns: None,
            threads,
            alone_ns: Some(about(tokens as f64 + 10.0)),
            increase_pct: None,
            all_ns: Some(about(all)),
            rise,
        };
        Conclusion {
            clock: "granular 0 ns".to_owned(),
            threads: 4,
            front,
            points: vec![
                point(1, 2, 90.0, Rise::Raised),
                point(1, 4, 300.0, Rise::Raised),
                point(256, 2, 270.0, Rise::Flat),
                point(256, 4, 280.0, Rise::Flat),
            ],
            reads: Vec::new(),
            oversubscribed: Vec::new(),
        }
    }

    fn drawn(conclusion: &Conclusion) -> String {
        let mut text = Text::new();
        text.charts(&Vec::from_iter(chart(conclusion)));
        anstream::adapter::strip_str(&text.finish()).to_string()
    }

    #[test]
    fn the_chart_marks_what_is_raised_and_shades_what_is_forbidden() {
        let bracket = drawn(&conclusion(Front::between((1, 1.0), (256, 256.0))));
        let shaded = |text: &str| text.lines().filter(|row| row.contains('░') && !row.contains("zone")).count();
        let known = drawn(&conclusion(Front::beyond(1, 1.0)));
        assert_eq!(shaded(&bracket), shaded(&known));
        assert!(shaded(&bracket) < shaded(&drawn(&conclusion(Front::beyond(256, 256.0)))));
        let open = drawn(&conclusion(Front::everywhere(1, 1.0)));
        let free = drawn(&conclusion(Front::everywhere(0, 0.0)));
        crate::tests::golden_file::assert_golden("scaling-charts.txt", &[bracket, known, open, free].join("\n"));
    }

    #[test]
    fn times_of_no_machine_do_no_harm() {
        for ns in [1e-308, 1e308, 0.0, f64::NAN] {
            let mut odd = conclusion(Front::everywhere(1, 1.0));
            odd.points[0].all_ns = Some(Estimate { estimate: ns, low: ns, high: ns, confidence: 0.999 });
            assert!(drawn(&odd).contains("granular"), "{ns}");
        }
    }

    #[test]
    fn one_number_of_threads_is_no_chart() {
        let mut lone = conclusion(Front::everywhere(1, 1.0));
        lone.points.clear();
        assert_eq!(chart(&lone), None);
    }
}
