//! A difference of 2 % between operations of 100 ns, and none between an operation and itself.

use std::time::Duration;

use chronoscope_harness::Study;
use chronoscope_harness::quantity::{RATIO, TIME};
use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_render::text::{counted, percent};

use super::chain::chain_of;
use super::check::{Check, Judgement};
use super::judge;

const SHORTER: &str = "100 links";
const SAME: &str = "100 links again";
const LONGER: &str = "102 links";
/// The backed-off loop is the same with 16 tokens before each operation; their cost is fitted as well.
const TOKENS: [u64; 2] = [0, 16];
/// Maximum deviation of busy work from a straight line, in percent.
const STRAIGHT_PCT: f64 = 10.0;

pub(super) fn study() -> Study {
    Study::new("selftest: pairs")
        .backoff(TOKENS)
        .case(SHORTER, |b| b.iter_chained(1, chain_of::<100>))
        .case(SAME, |b| b.iter_chained(1, chain_of::<100>))
        .case(LONGER, |b| b.iter_chained(1, chain_of::<102>))
        .compare(LONGER, SHORTER)
        .compare(SAME, SHORTER)
        .budget(Duration::from_secs(14))
}

pub(super) fn checks(record: &StudyRecord) -> Vec<Check> {
    let mut checks = Vec::new();
    let point = |case: &str| record.point(case, SHORTER, 0, 1);
    let of = |name: &str, claim: Option<Estimate>, truth: f64, judgement: Judgement| {
        let words = claim.map_or_else(|| "not compared".to_owned(), |ratio| RATIO.amount(&ratio));
        Check {
            claimed: claim,
            true_value: Some(Estimate::certain(truth)),
            ..Check::of(name, words, &format!("{truth}×"), judgement)
        }
    };
    let missing = || Judgement::fail("the comparison is missing");
    let longer = point(LONGER);
    let found = longer.map_or_else(missing, |point| judge::difference(point, 1.02));
    checks.push(of("102 links against 100", longer.map(|point| point.ratio), 1.02, found));
    let same = point(SAME);
    let found = same.map_or_else(missing, |point| judge::no_difference(point, record.plan.margin_pct));
    checks.push(of("100 links against 100", same.map(|point| point.ratio), 1.0, found));
    checks.push(control(record));
    checks.push(tokens(record));
    checks
}

fn control(record: &StudyRecord) -> Check {
    let (claim, judgement) = match &record.control {
        None => ("not run".to_owned(), Judgement::fail("the control arm is missing")),
        Some(control) => {
            let judgement = match control.verdicts_wrong {
                0 => Judgement::pass(format!(
                    "{}, {} resolvable",
                    counted(u64::from(control.alarms), "false alarm", "false alarms"),
                    percent(control.resolvable_pct)
                )),
                wrong => Judgement::fail(format!("{wrong} times reported as different from itself")),
            };
            (counted(u64::from(control.comparisons), "comparison", "comparisons"), judgement)
        }
    };
    Check::of("the control arm", claim, "no difference", judgement)
}

fn tokens(record: &StudyRecord) -> Check {
    let (claim, judgement) = match &record.tokens {
        None => ("not measured".to_owned(), Judgement::fail("the length of a token was not measured")),
        Some(tokens) => (
            format!("{} per token", TIME.amount(&tokens.ns_per_token)),
            judge::straight(tokens.largest_deviation_pct, STRAIGHT_PCT),
        ),
    };
    Check::of("busy work, 1 to 1024 tokens", claim, "a straight line", judgement)
}
