//! Whether the harness can be trusted here and now: it measures operations of known cost, and each claim is judged.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use chronoscope_harness::quantity::{PERCENT, RATIO, TIME};
use chronoscope_harness::record::study::{ComparisonPoint, Difference, Estimate, StudyRecord};
use chronoscope_harness::study_words::why_no_time;
use chronoscope_harness::{Bencher, Study, black_box};
use chronoscope_render::text::{ns, percent};

use crate::{Block, Conclusions, Experiment, Value};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "selftest",
    about: "Operations of known cost: whether the harness can be trusted here and now",
    study: |_, _| study(),
    conclude,
    in_runtimes: None,
};

/// An operation with what is known of it.
type Known = (&'static str, fn(&mut Bencher<'_>), Truth);

/// What is known of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    /// It takes no time that could be told from an empty loop.
    Nothing,
    /// It takes as long as so many links of the longest chain.
    Links(f64),
    /// It takes this long by the system's clock.
    Time(Duration),
    /// It takes so many times as long as [`BASE`].
    TimesBase(f64),
    /// It takes as long as [`BASE`] on average, and one call in so many this much longer.
    BaseAndRarely(u64, Duration),
    /// It takes longer with every call.
    NeverSteady,
}

const BASE: &str = "100 multiplications";
const RULER: &str = "100000 multiplications";
const RULER_LINKS: f64 = 100_000.0;
const SPIN: Duration = Duration::from_micros(100);
/// One call in so many takes so much longer.
const RARELY: (u64, Duration) = (24_000, Duration::from_micros(1_350));
const KNOWN: [Known; 10] = [
    ("nothing", |b| b.iter(|| ()), Truth::Nothing),
    ("1 multiplication", |b| b.iter_chained(1, chain_of::<1>), Truth::Links(1.0)),
    ("10 multiplications", |b| b.iter_chained(1, chain_of::<10>), Truth::Links(10.0)),
    (BASE, |b| b.iter_chained(1, chain_of::<100>), Truth::Links(100.0)),
    ("1000 multiplications", |b| b.iter_chained(1, chain_of::<1_000>), Truth::Links(1_000.0)),
    ("a spin of 100 µs", spin, Truth::Time(SPIN)),
    ("102 multiplications", |b| b.iter_chained(1, chain_of::<102>), Truth::TimesBase(1.02)),
    ("100 multiplications again", |b| b.iter_chained(1, chain_of::<100>), Truth::TimesBase(1.0)),
    ("100 multiplications, rarely a spin", rarely_a_spin, Truth::BaseAndRarely(RARELY.0, RARELY.1)),
    ("a little longer each time", |b| b.iter_chained(1, longer_each_time), Truth::NeverSteady),
];

/// Tolerated error, in percent.
const TOLERANCE_PCT: f64 = 1.0;
/// Below this length the tolerance does not shrink further: it is then 0.1 ns.
const TOLERANCE_FLOOR_NS: f64 = 10.0;
/// An interval with a larger half-width is too vague to be right, in percent.
const VAGUE_PCT: f64 = 5.0;
/// An empty loop with a larger bound than this was badly resolved.
const EMPTY_BELOW_NS: f64 = 10.0;

fn study() -> Study {
    let study = Study::new("selftest").case(RULER, |b| b.iter_chained(1, chain_of::<100_000>));
    let study = KNOWN.into_iter().fold(study, |study, (name, body, _)| study.case(name, body));
    let compared = KNOWN.into_iter().filter(|(.., truth)| matches!(truth, Truth::TimesBase(_)));
    compared.fold(study, |study, (name, ..)| study.compare(name, BASE)).rounds(8).budget(Duration::from_secs(30))
}

/// A link is a multiplication by the previous product; the black box is no instruction, and keeps the compiler from combining
/// links in advance.
#[inline(always)]
fn link(x: u64) -> u64 {
    black_box(x.wrapping_mul(0x5851_f42d_4c95_7f2d))
}

/// Links that wait for each other take their number times the latency of the CPU's multiplication: the counter adds nothing.
#[inline(always)]
fn chain(x: u64, links: u64) -> u64 {
    let tens = (0..links / 10).fold(x, |x, _| link(link(link(link(link(link(link(link(link(link(x)))))))))));
    (0..links % 10).fold(tens, |x, _| link(x))
}

#[inline(always)]
fn chain_of<const LINKS: u64>(x: u64) -> u64 {
    chain(x, LINKS)
}

/// Calls of a process are counted through all of its iterations.
fn longer_each_time(x: u64) -> u64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    chain(x, 1_000 + CALLS.fetch_add(1, Relaxed) / 4)
}

/// Calls of a process are counted through all of its iterations.
fn rarely_a_spin(b: &mut Bencher<'_>) {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let calls = Cell::new(CALLS.load(Relaxed));
    b.iter_chained(1, |x| {
        calls.set(calls.get() + 1);
        if calls.get().is_multiple_of(RARELY.0) {
            let began = Instant::now();
            while began.elapsed() < RARELY.1 {}
        }
        chain_of::<100>(x)
    });
    CALLS.store(calls.get(), Relaxed);
}

/// Operation i of a batch ends at the first reading of the system's clock at or past the batch's start + i · length. So n of
/// them take n · length and a reading, even if the thread is preempted: the others catch up.
fn spin(b: &mut Bencher<'_>) {
    let (begins, mut end) = (Cell::new(true), Instant::now());
    // Inputs are made before each batch, which marks its start.
    b.iter_batched(
        || begins.set(true),
        |()| {
            if begins.take() {
                end = Instant::now();
            }
            end += SPIN;
            while Instant::now() < end {}
        },
    );
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong,
    /// Too vague to be either.
    Vague,
}

/// A claim of the harness about one operation, with the truth, the verdict and its reason.
struct Check {
    name: &'static str,
    claim: String,
    truth: String,
    outcome: Outcome,
    why: String,
}

impl Check {
    fn of(record: &StudyRecord, (name, _, truth): &Known) -> Self {
        let cell = record.cell(name, 0, 1);
        let (time, below) = (cell.and_then(|cell| cell.time_ns), cell.and_then(|cell| cell.below_ns));
        let claimed = |time: Option<Estimate>| time.map_or_else(|| why_no_time(cell), |time| TIME.amount(&time));
        let (claim, said, (outcome, why)) = match *truth {
            Truth::Nothing => (claimed(time), "nothing".to_owned(), nothing(time, below)),
            Truth::Links(links) => {
                let ruler = record.cell(RULER, 0, 1).and_then(|cell| cell.time_ns);
                let truth = ruler.map(|ruler| ruler.times(links / RULER_LINKS));
                let said = truth.map_or_else(|| "unknown".to_owned(), |truth| TIME.amount(&truth));
                (claimed(time), said, duration(time, below, truth))
            }
            Truth::Time(length) => {
                let typical = cell.and_then(|cell| cell.typical_ns);
                let truth = Estimate::certain(length.as_nanos() as f64);
                (claimed(typical), TIME.amount(&truth), duration(typical, below, Some(truth)))
            }
            Truth::BaseAndRarely(calls, length) => {
                // Interruptions are in either mean, and may or may not meet a spin, which they do not prolong.
                let base = record.cell(BASE, 0, 1).and_then(|base| base.typical_ns.zip(base.mean_ns));
                let rare_ns = length.as_nanos() as f64 / calls as f64;
                let truth = base.map(|(typical, mean)| Estimate { high: mean.high.max(typical.high), ..typical });
                let truth = truth.map(|truth| truth.map(|ns| ns + rare_ns));
                let said = truth.map_or_else(|| "unknown".to_owned(), |truth| TIME.amount(&truth));
                (claimed(time), said, duration(time, below, truth))
            }
            Truth::TimesBase(ratio) => {
                let point = record.point(name, BASE, 0, 1);
                let claim = point.map_or_else(|| "not compared".to_owned(), |point| RATIO.amount(&point.ratio));
                (claim, format!("{ratio}×"), difference(point, ratio, record.study().plan.margin_pct))
            }
            Truth::NeverSteady => {
                let found = cell.and_then(|cell| cell.steadiness);
                let judged = found.and_then(|found| found.within_process_pct.or(found.within_iteration_pct));
                let change = found.and_then(|found| found.change_pct()).filter(|change| change.low > 0.0);
                let outcome = match judged {
                    None => Outcome::Vague,
                    Some(_) if change.is_some() => Outcome::Right,
                    Some(_) => Outcome::Wrong,
                };
                let rises =
                    |change: Estimate| format!("{} from the middle to the end", PERCENT.signed().difference(&change));
                let claim = change.map_or_else(|| "steady".to_owned(), rises);
                (claim, "rises throughout".to_owned(), (outcome, "in most processes".to_owned()))
            }
        };
        let is_made = match truth {
            Truth::TimesBase(_) => record.point(name, BASE, 0, 1).is_some(),
            _ => time.or(below.map(Estimate::certain)).is_some(),
        };
        // In a run that was stopped, what is missing was not measured.
        let outcome = if record.interrupted && !is_made { Outcome::Vague } else { outcome };
        Self { name, claim, truth: said, outcome, why }
    }
}

/// Right if no number is given.
fn nothing(time: Option<Estimate>, below_ns: Option<f64>) -> (Outcome, String) {
    match (time, below_ns) {
        (None, Some(below)) if below > 0.0 && below <= EMPTY_BELOW_NS => {
            (Outcome::Right, "no number reported for nothing".to_owned())
        }
        (None, Some(below)) => (Outcome::Wrong, format!("{} is no bound for nothing", ns(below))),
        (Some(time), _) => (Outcome::Wrong, format!("reported as taking {}", ns(time.estimate))),
        (None, None) => (Outcome::Wrong, "neither a time nor a bound reported".to_owned()),
    }
}

/// Right if its interval overlaps that of the truth and is not vague, or if it is within the tolerance. So short a truth as
/// the floor is known to the tolerance only: an operation overlaps with the loop around it.
fn duration(claim: Option<Estimate>, below_ns: Option<f64>, truth: Option<Estimate>) -> (Outcome, String) {
    let Some(truth) = truth else { return (Outcome::Vague, "the reference could not be measured".to_owned()) };
    let claim = match (claim, below_ns) {
        (Some(claim), _) => claim,
        // A bound is an interval from zero.
        (None, Some(below)) => Estimate { estimate: truth.estimate.min(below), low: 0.0, high: below, confidence: 1.0 },
        (None, None) => return (Outcome::Wrong, "no time reported".to_owned()),
    };
    let scale_ns = truth.estimate.max(TOLERANCE_FLOOR_NS);
    let error_pct = 100.0 * (claim.estimate - truth.estimate) / scale_ns;
    let [claim_half_pct, truth_half_pct] = [claim, truth].map(|of| 100.0 * of.half_width() / scale_ns);
    let is_near = error_pct.abs() <= TOLERANCE_PCT;
    let covers = claim.low <= truth.high && claim.high >= truth.low;
    let off = format!("off by {error_pct:+.2} %");
    // Written so that NaN is not right.
    match () {
        () if !claim.has_confidence() || !truth.has_confidence() => {
            (Outcome::Vague, format!("{off}, from too few processes"))
        }
        () if covers && truth_half_pct > VAGUE_PCT => {
            (Outcome::Vague, format!("the truth is itself known only to ± {}", percent(truth_half_pct)))
        }
        () if covers && is_near => (Outcome::Right, format!("{off}, covered")),
        () if covers && claim_half_pct > VAGUE_PCT => {
            (Outcome::Vague, format!("covered, but at ± {} too wide to say anything", percent(claim_half_pct)))
        }
        () if covers => (Outcome::Right, format!("covered, {off}")),
        () if is_near && truth.estimate < TOLERANCE_FLOOR_NS => (Outcome::Right, format!("{off}, not covered")),
        () => (Outcome::Wrong, format!("{off}, and the interval excludes the truth")),
    }
}

/// Right if a difference is found, with its sign and about its size, and none where there is none.
fn difference(point: Option<&ComparisonPoint>, ratio: f64, margin_pct: f64) -> (Outcome, String) {
    let Some(point) = point else { return (Outcome::Wrong, "the comparison is missing".to_owned()) };
    let (claim, is_none) = (point.ratio, ratio == 1.0);
    let error_pct = 100.0 * (claim.estimate / ratio - 1.0);
    let half = percent(100.0 * claim.half_width());
    let expected = if is_none { Difference::Same } else { Difference::Slower };
    match () {
        () if !claim.has_confidence() => (Outcome::Vague, "the ratio is from too few processes".to_owned()),
        () if point.verdict == expected && is_none => {
            (Outcome::Right, format!("the same within {}", percent(margin_pct)))
        }
        () if point.verdict == expected && (error_pct.abs() <= TOLERANCE_PCT || claim.holds(ratio)) => {
            (Outcome::Right, "found, with the right sign and size".to_owned())
        }
        () if point.verdict == Difference::Unresolved && claim.holds(1.0) && claim.holds(ratio) => {
            (Outcome::Vague, format!("the interval of ± {half} allows both a difference and none"))
        }
        () => (Outcome::Wrong, format!("off by {}", percent(error_pct))),
    }
}

fn conclude(record: &StudyRecord) -> Conclusions {
    let checks = KNOWN.each_ref().map(|known| Check::of(record, known));
    let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
    let (all, wrong, vague) = (checks.len(), count(Outcome::Wrong), count(Outcome::Vague));
    let mut verdict = Block::default();
    let row = |check: &Check| {
        let word = match check.outcome {
            Outcome::Right => "right",
            Outcome::Wrong => "WRONG",
            Outcome::Vague => "unclear",
        };
        [check.name, &check.claim, &check.truth, word, &check.why].map(Value::text).into()
    };
    verdict.table("", &["operation", "claimed", "true", "verdict", "why"], checks.iter().map(row).collect());
    let statement = verdict.conclude(if wrong > 0 {
        format!("{wrong} of {all} claims are wrong: do not trust the harness on this machine, now")
    } else if record.interrupted {
        format!("interrupted: no verdict; {} of {all} claims are right", count(Outcome::Right))
    } else if vague > 0 {
        format!("too noisy to trust: {vague} of {all} claims cannot be judged; run it longer, or on a quieter machine")
    } else {
        format!("all {all} claims are right: the harness can be trusted on this machine, now")
    });
    for (name, outcome) in [("right", Outcome::Right), ("wrong", Outcome::Wrong), ("unclear", Outcome::Vague)] {
        statement.with(name, Estimate::certain(count(outcome) as f64));
    }
    Conclusions {
        experiment: EXPERIMENT.name.to_owned(),
        // Its verdict is a table: what is true of each operation has another unit.
        charts: Vec::new(),
        question: "What does the harness claim of operations whose cost is known?".into(),
        passed: Some(record.is_whole() && count(Outcome::Right) == all),
        naive: Block::default(),
        model: verdict,
        published: Block::default(),
    }
}

#[cfg(test)]
mod tests;
