use std::collections::BTreeMap;

use chronoscope_harness::record::study::Estimate;
use chronoscope_render::study::{OverThreads, ThreadTime};
use chronoscope_render::text::ns;

use super::report::{Conclusion, Rise};

/// Maximum curves.
const CURVES: usize = 5;

/// By backoff in tokens: its duration, and the times by number of threads.
type Curves = BTreeMap<u64, (f64, BTreeMap<u32, ThreadTime>)>;

/// Time per operation over threads, a curve for each of a few amounts of work; None with fewer than two thread counts.
/// The region known to lie below the front is shaded.
pub fn chart(conclusion: &Conclusion) -> Option<OverThreads> {
    let curves = curves(conclusion);
    if curves.values().all(|(_, times)| times.len() < 2) {
        return None;
    }
    let tokens: Vec<u64> = curves.keys().copied().collect();
    // Spread evenly, always including the least and the most work.
    let most = CURVES.min(tokens.len());
    let chosen = (0..most).map(|i| tokens[i * (tokens.len() - 1) / (most - 1).max(1)]);
    let curve = |tokens: u64| {
        let (work_ns, times) = &curves[&tokens];
        let name = if tokens == 0 { "in a row".to_owned() } else { ns(*work_ns) };
        (name, times.values().cloned().collect())
    };
    let alone_ns = |tokens: u64| Some(curves.get(&tokens)?.1.get(&1)?.time_ns.estimate);
    let shaded = conclusion.front.low().and_then(|low| Some((conclusion.threads, alone_ns(low.tokens)?)));
    let title = format!("{}: time per operation by threads", conclusion.clock);
    Some(OverThreads { title, curves: chosen.map(curve).collect(), shaded })
}

fn curves(conclusion: &Conclusion) -> Curves {
    let mut curves = Curves::new();
    let time = |threads: u32, time_ns: Estimate, is_raised: bool| ThreadTime { threads, time_ns, is_raised };
    for point in &conclusion.points {
        let (_, times) = curves.entry(point.backoff_tokens).or_insert_with(|| (point.work_ns, BTreeMap::new()));
        if let Some(alone) = point.alone_ns {
            times.entry(1).or_insert_with(|| time(1, alone, false));
        }
        if let Some(crowd) = point.crowd_ns {
            times.insert(point.threads, time(point.threads, crowd, point.rise == Rise::Raised));
        }
    }
    for crowded in &conclusion.crowded {
        // Only where it continues a curve.
        if let Some((_, times)) = curves.get_mut(&crowded.backoff_tokens) {
            times.insert(crowded.threads, time(crowded.threads, crowded.time_ns, false));
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
        let point = |tokens: u64, threads: u32, crowd: f64, rise: Rise| Point {
            backoff_tokens: tokens,
            work_ns: tokens as f64,
            threads,
            alone_ns: Some(about(tokens as f64 + 10.0)),
            increase_pct: None,
            crowd_ns: Some(about(crowd)),
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
            crowded: Vec::new(),
        }
    }

    fn drawn(conclusion: &Conclusion) -> String {
        let mut text = Text::new();
        text.charts(&Vec::from_iter(chart(conclusion)));
        anstream::adapter::strip_str(&text.finish()).to_string()
    }

    #[test]
    fn the_chart_marks_what_is_raised_and_shades_what_is_forbidden() {
        let bracket = drawn(&conclusion(Front::From { tokens: 256, ns: 256.0, raised_tokens: 1, raised_ns: 1.0 }));
        assert!(bracket.contains('▲') && bracket.contains('░'), "{bracket}");
        let shaded = |text: &str| text.lines().filter(|row| row.contains('░')).count();
        let known = drawn(&conclusion(Front::Beyond { tokens: 1, ns: 1.0 }));
        assert_eq!(shaded(&bracket), shaded(&known), "the upper end is not the front");
        assert!(shaded(&bracket) < shaded(&drawn(&conclusion(Front::Beyond { tokens: 256, ns: 256.0 }))));
        let open = drawn(&conclusion(Front::Everywhere { tokens: 1, ns: 1.0 }));
        assert!(!open.contains('░') && open.contains('▲'), "{open}");
    }

    #[test]
    fn times_of_no_machine_do_no_harm() {
        for ns in [1e-308, 1e308, 0.0, f64::NAN] {
            let mut odd = conclusion(Front::Everywhere { tokens: 1, ns: 1.0 });
            odd.points[0].crowd_ns = Some(Estimate { estimate: ns, low: ns, high: ns, confidence: 0.999 });
            assert!(drawn(&odd).contains("granular 0 ns"), "{ns}");
        }
    }

    #[test]
    fn one_number_of_threads_is_no_chart() {
        let mut lone = conclusion(Front::Everywhere { tokens: 1, ns: 1.0 });
        lone.points.clear();
        assert_eq!(chart(&lone), None);
    }
}
