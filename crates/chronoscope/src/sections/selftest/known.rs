//! Operations of known length: chains whose link is timed in the same run, and spins timed by the system clock.

use chronoscope_harness::quantity::TIME;
use chronoscope_harness::study_words::why_no_time;
use std::cell::Cell;
use std::time::{Duration, Instant};

use chronoscope_harness::record::study::{Estimate, StudyRecord};
use chronoscope_harness::{Bencher, Study};
use chronoscope_render::text::{self, counted};

use super::chain::{chain, chain_of};
use super::check::{Check, Judgement};
use super::judge;

const CASE: &str = "operation of known length";
const OF: &str = "of";
const EMPTY: &str = "nothing";
const RULER: &str = "100000 links";
const RULER_LINKS: u64 = 100_000;
/// A chain that is a thousand times as long once in a thousand calls: half of its mean is in calls that hardly ever happen.
const RARE: &str = "rarely long";
const RARE_LINKS: u64 = 100;
const RARE_EVERY: u64 = 1_000;
const RARE_MEAN_LINKS: f64 = RARE_LINKS as f64 * (999.0 + 1_000.0) / RARE_EVERY as f64;
const READ: &str = "a read of the system's clock";
const CHAINS: [(&str, u64); 4] = [("1 link", 1), ("10 links", 10), ("100 links", 100), ("1000 links", 1_000)];
const SPINS: [(&str, Duration); 4] = [
    ("spin of 50 ns", Duration::from_nanos(50)),
    ("spin of 1 µs", Duration::from_micros(1)),
    ("spin of 100 µs", Duration::from_micros(100)),
    ("spin of 1 ms", Duration::from_millis(1)),
];
/// Minimum length of a spin in reads of its clock, to keep its schedule: each includes at least one.
const READS_PER_SPIN: f64 = 1.5;

pub(super) fn study() -> Study {
    let chains = CHAINS.iter().map(|(name, _)| *name);
    let spins = SPINS.iter().map(|(name, _)| *name);
    Study::new("selftest: known lengths")
        .parameter(OF, [EMPTY, RULER, READ, RARE].into_iter().chain(chains).chain(spins))
        .case(CASE, |b| {
            let name: String = b.parameter(OF);
            match name.as_str() {
                EMPTY => b.iter(|| ()),
                "1 link" => b.iter_chained(1, chain_of::<1>),
                "10 links" => b.iter_chained(1, chain_of::<10>),
                "100 links" => b.iter_chained(1, chain_of::<100>),
                "1000 links" => b.iter_chained(1, chain_of::<1_000>),
                RARE => {
                    let mut left = 0_u64;
                    b.iter_chained(1, move |x| {
                        left = left.checked_sub(1).unwrap_or(RARE_EVERY - 1);
                        chain(x, if left == 0 { RARE_LINKS * 1_000 } else { RARE_LINKS })
                    });
                }
                RULER => b.iter_chained(1, chain_of::<RULER_LINKS>),
                READ => b.iter(Instant::now),
                name => match SPINS.iter().find(|(spin, _)| *spin == name) {
                    Some((_, length)) => spin(b, *length),
                    None => panic!("unknown name {name}"),
                },
            }
        })
        .budget(Duration::from_secs(18))
}

/// Operation i of a batch ends at the first reading of the system clock at or past the batch's start + i · length. So a
/// batch of n takes n · length plus a reading, even if the thread is preempted: the others catch up.
fn spin(b: &mut Bencher<'_>, length: Duration) {
    let begins = Cell::new(true);
    let mut end = Instant::now();
    // Inputs are made before each batch, which marks its start.
    b.iter_batched(
        || begins.set(true),
        |()| {
            let mut now = Instant::now();
            if begins.take() {
                end = now;
            }
            end += length;
            while now < end {
                now = Instant::now();
            }
        },
    );
}

pub(super) fn checks(record: &StudyRecord) -> Vec<Check> {
    let cell = |name: &str| record.cell_with(CASE, OF, name, 1);
    let time = |name: &str| cell(name).and_then(|cell| cell.time_ns);
    let empty = cell(EMPTY);
    let mut checks = vec![Check::of(
        "an empty loop",
        empty.and_then(|cell| cell.time_ns).map_or_else(|| why_no_time(empty), |time| TIME.amount(&time)),
        "nothing",
        judge::nothing(empty.and_then(|cell| cell.time_ns).as_ref(), empty.and_then(|cell| cell.below_ns)),
    )];
    let link = time(RULER).map(|ruler| ruler.times(1.0 / RULER_LINKS as f64));
    for (name, links) in CHAINS {
        let claim = time(name);
        let truth = link.map(|link| link.times(links as f64));
        let said = truth.map_or_else(|| "unknown".to_owned(), |truth| TIME.amount(&truth));
        let row = counted(links, "dependent multiplication", "dependent multiplications");
        let mut check = of_duration(&row, claim, truth, &said, &why_no_time(cell(name)));
        if let (None, Some(below_ns), Some(truth)) = (claim, cell(name).and_then(|cell| cell.below_ns), truth) {
            check.judge(judge::bound(below_ns, &truth));
        }
        checks.push(check);
    }
    let truth = link.map(|link| link.times(RARE_MEAN_LINKS));
    let said = truth.map_or_else(|| "unknown".to_owned(), |truth| TIME.amount(&truth));
    checks.push(of_duration(
        "one call in 1 000 a thousand times as long",
        time(RARE),
        truth,
        &said,
        &why_no_time(cell(RARE)),
    ));
    let read = time(READ);
    for (name, length) in SPINS {
        let truth = Estimate::certain(length.as_nanos() as f64);
        // The typical value: a mean includes the times that the machine stopped the spin as it ended.
        let typical = cell(name).and_then(|cell| cell.median_ns);
        let mut check = of_duration(name, typical, Some(truth), &TIME.amount(&truth), &why_no_time(cell(name)));
        if let Some(read) = read.filter(|read| read.estimate * READS_PER_SPIN > truth.estimate) {
            check.judge(Judgement::not_tried(format!(
                "a read of the system's clock takes {}: too long to keep this schedule",
                text::ns(read.estimate)
            )));
        }
        checks.push(check);
    }
    checks
}

/// A check of a duration; `why_none` is the reason if there is no claim.
pub(super) fn of_duration(
    name: &str,
    claim: Option<Estimate>,
    truth: Option<Estimate>,
    said: &str,
    why_none: &str,
) -> Check {
    let judgement = match (&claim, &truth) {
        (Some(claim), Some(truth)) => judge::duration(claim, truth),
        (None, _) => Judgement::fail(format!("no time reported: {why_none}")),
        (_, None) => Judgement::not_tried("the reference could not be measured"),
    };
    let words = claim.map_or_else(|| why_none.to_owned(), |claim| TIME.amount(&claim));
    Check { claimed: claim, true_value: truth, ..Check::of(name, words, said, judgement) }
}
