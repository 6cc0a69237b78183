//! Operations whose length depends on the iteration index, and one whose length does not.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use chronoscope_harness::Study;
use chronoscope_harness::record::study::{Mode, Steadiness, StudyRecord};

use super::chain::chain;
use super::check::{Check, Judgement};
use super::judge::{self, Series};

const LINKS: u64 = 1_000;
/// Calls per batch, and batches.
const CALLS: u64 = 10;
const BATCHES: u32 = 200;
/// Batches before them: the usual cold start of any operation is not under test.
const BEFORE: u32 = 20;
/// The operation with a warm-up takes twice as long for this many calls.
const COLD_CALLS: u64 = 600;
const FLAT: &str = "always the same";
const COLD: &str = "twice as long until the 600th";
const DRIFT: &str = "0.1 % longer each time";

pub fn study() -> Study {
    let case = |study: Study, name: &str, links: fn(u64) -> u64| {
        study.case_shared(
            name,
            |_| AtomicU64::new(0),
            move |b, calls: &AtomicU64| {
                b.iter_chained(1, |x| {
                    let call = calls.load(Relaxed);
                    calls.store(call + 1, Relaxed);
                    chain(x, links(call))
                });
            },
        )
    };
    // The call count of each case continues throughout a process: one visit, of a series.
    let study = Study::new("selftest: series")
        .mode(Mode::Batch(CALLS))
        .rounds(1)
        .iterations(BEFORE, BATCHES)
        .forks(7)
        .budget(Duration::from_secs(5));
    let study = case(study, FLAT, |_| LINKS);
    let study = case(study, COLD, |call| if call < COLD_CALLS { 2 * LINKS } else { LINKS });
    case(study, DRIFT, |call| LINKS + call * LINKS / 1_000)
}

pub fn checks(record: &StudyRecord) -> Vec<Check> {
    let truths =
        [(FLAT, Series::Flat, "flat"), (COLD, Series::WarmsUp, "a warm-up"), (DRIFT, Series::Grows, "no steady state")];
    let check = |(case, truth, words): (&str, Series, &str)| {
        let found = record.cell(case, 0, 1).and_then(|cell| cell.steadiness);
        let judgement = match &found {
            Some(found) => judge::series(found, truth),
            None => Judgement::fail("the detector said nothing"),
        };
        let claim = found.map_or_else(|| "nothing".to_owned(), |found| said(&found));
        Check::of(format!("calls {case}"), claim, words, judgement)
    };
    truths.map(check).into()
}

/// The detector's classification, with the number of processes.
fn said(found: &Steadiness) -> String {
    let classes = [
        (found.flat, "flat"),
        (found.warm_up, "warm-up"),
        (found.slow_down, "slow-down"),
        (found.no_steady_state, "no steady state"),
        (found.trend, "trend"),
        (found.too_short, "too short"),
    ];
    let words = classes.iter().filter(|(count, _)| *count > 0).map(|(count, class)| format!("{count} {class}"));
    words.collect::<Vec<_>>().join(", ")
}
