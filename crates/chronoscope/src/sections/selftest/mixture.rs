//! Single operations of two lengths: the distribution is known; the mean does not describe it.

use std::time::Duration;

use chronoscope_harness::record::study::{Estimate, Latencies, Mode, StudyRecord};
use chronoscope_harness::{Study, stats};
use chronoscope_render::text;

use super::chain::{chain, chain_of};
use super::check::{Check, Judgement};
use super::judge;

const CASE: &str = "single operations";
const OF: &str = "of";
const MIXTURE: &str = "1000 or 10000 links";
const RULER: &str = "100000 links";
const RULER_LINKS: u64 = 100_000;
const SHORT: u64 = 1_000;
const LONG: u64 = 10_000;
/// Ten percent of the operations are long.
const LONG_BELOW: u64 = u64::MAX / 10;
/// The golden section of 2^64: its multiples are evenly distributed around the circle, even if only every n-th is used.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

pub(super) fn study() -> Study {
    Study::new("selftest: mixture")
        .mode(Mode::SampleTime)
        .parameter(OF, [MIXTURE, RULER])
        .case(CASE, |b| {
            let name: String = b.parameter(OF);
            if name == RULER {
                return b.iter_chained(1, chain_of::<RULER_LINKS>);
            }
            let mut place = 0_u64;
            b.iter_chained(1, |x| {
                place = place.wrapping_add(GOLDEN);
                chain(x, if place < LONG_BELOW { LONG } else { SHORT })
            });
        })
        .forks(5)
        .budget(Duration::from_secs(6))
}

pub(super) fn checks(record: &StudyRecord) -> Vec<Check> {
    let seen = |of: &str| record.cell_with(CASE, OF, of, 1).and_then(|cell| cell.latencies.as_ref());
    let link_ns = seen(RULER).map(|ruler| ruler.p50_ns / RULER_LINKS as f64);
    let (Some(mixture), Some(link_ns)) = (seen(MIXTURE), link_ns) else {
        return vec![Check::of(
            "a mixture of lengths",
            "no single operations",
            "two lengths",
            Judgement::fail("single operations are missing from the record"),
        )];
    };
    let (short, long) =
        (Estimate::without_interval(link_ns * SHORT as f64), Estimate::without_interval(link_ns * LONG as f64));
    vec![
        quantile("mixture: median", mixture.p50_ns, &short, mixture),
        quantile("mixture: 99th percentile", mixture.p99_ns, &long, mixture),
        both(mixture, &short, &long),
    ]
}

fn quantile(name: &str, claim_ns: f64, truth: &Estimate, mixture: &Latencies) -> Check {
    Check {
        claimed: Some(Estimate::without_interval(claim_ns)),
        true_value: Some(*truth),
        ..Check::of(
            name,
            text::ns(claim_ns),
            &text::ns(truth.estimate),
            judge::quantile(claim_ns, truth, mixture.resolved_from_ns),
        )
    }
}

fn both(mixture: &Latencies, short: &Estimate, long: &Estimate) -> Check {
    let found: Vec<(f64, f64)> = stats::modes(&mixture.histogram).iter().map(|mode| (mode.at_ns, mode.share)).collect();
    let said = |modes: &[(f64, f64)]| {
        let often = modes.iter().filter(|(_, share)| *share >= 0.005);
        let words = often.map(|(at, share)| format!("{:.0} % {}", share * 100.0, text::ns(*at)));
        words.collect::<Vec<_>>().join(", ")
    };
    let share = LONG_BELOW as f64 / u64::MAX as f64;
    let truth = [(short.estimate, 1.0 - share), (long.estimate, share)];
    Check::of("mixture: lengths", said(&found), &said(&truth), judge::two_modes(&found, truth))
}
