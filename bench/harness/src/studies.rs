//! The studies of this program. Every one is here, since the worker processes of each begin as this program does.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chronoscope_harness::record::study::{Cell, StudyRecord};
use chronoscope_harness::{Bencher, Study, black_box};

use crate::claim::{Claim, Truth};
use crate::odd;
use crate::operation::{
    chain_10, chain_30, chain_100, chain_102, chain_200, chain_201, chain_1000, links, ruler as ruler_chain,
    side_by_side,
};
use crate::ruler::{self, Rulers};
use crate::spin::{off_ns, spin};

/// The parameter that names the operation.
///
/// It makes an arena of its own for each: cells that differ in their case alone run the same number of operations per
/// batch, and as many multiplications as fill a batch would be minutes of spins.
const OPERATION: &str = "operation";

const SPINS: [(&str, u64); 2] = [("spin_1us", 1_000), ("spin_10us", 10_000)];
const CHAINS: [&str; 4] = ["chain_30", "chain_100", "chain_1000", "chain_10000"];

/// Sorting 64 numbers, and the sum of 32 MiB of them: operations whose time only a ruler knows.
const SORT: &str = "sort_64";
const SUM: &str = "sum_32mib";

/// A chain in the timed loop. It is inlined there: a call would add to it what it takes to hand the value over.
macro_rules! chained {
    ($bencher:expr, $seed:expr, $chain:path) => {
        $bencher.iter_chained(
            $seed,
            #[inline(always)]
            |value| $chain(value),
        )
    };
}

pub(crate) fn accuracy() -> Study {
    Study::new("accuracy")
        .parameter(OPERATION, CHAINS.into_iter().chain(SPINS.map(|(name, _)| name)).chain([SORT, SUM]))
        .case("known", operation)
}

pub(crate) fn two_percent() -> Study {
    Study::new("two-percent")
        .case("100 links", |bencher| chained!(bencher, 1, chain_100))
        .case("102 links", |bencher| chained!(bencher, 1, chain_102))
        .compare("102 links", "100 links")
}

/// Half a percent.
pub(crate) fn half_percent() -> Study {
    Study::new("half-percent")
        .case("200 links", |bencher| chained!(bencher, 1, chain_200))
        .case("201 links", |bencher| chained!(bencher, 1, chain_201))
        .compare("201 links", "200 links")
}

/// What [`same`] compares with itself: so many pairs of the first and of the second.
pub(crate) const SAME: [&str; 2] = ["chain_100", "side_by_side"];

/// Two operations, and copies of them to be compared in pairs: the same instructions at other addresses.
pub(crate) fn same() -> Study {
    let mut study = Study::new("same");
    // Each copy has a seed of its own, which keeps the compiler from making one function of all.
    macro_rules! pairs {
        ($chain:path, $name:expr, $seed:expr, $($first:literal $second:literal)*) => {$(
            let [first, second] = [$first, $second].map(|copy: u64| format!("{} #{copy}", $name));
            study = study
                .case(first.clone(), |bencher| chained!(bencher, $seed($first), $chain))
                .case(second.clone(), |bencher| chained!(bencher, $seed($second), $chain))
                .compare(second, first);
        )*};
    }
    pairs!(chain_100, SAME[0], |copy: u64| copy, 1 2 3 4 5 6);
    pairs!(side_by_side, SAME[1], |copy: u64| [copy, 1, 2, 3], 7 8 9 10);
    study
}

/// The name of a file that is a build in which the chain of [`planted`] is two percent longer.
pub(crate) const PLANTED: &str = "planted";

/// Operations of all kinds, for two builds of the same program.
pub(crate) fn builds() -> Study {
    Study::new("builds")
        .case("chain_10", |bencher| chained!(bencher, 1, chain_10))
        .case("chain_100", |bencher| chained!(bencher, 1, chain_100))
        .case("allocation", |bencher| bencher.iter(|| vec![1_u8; 100]))
        .case("side_by_side", |bencher| chained!(bencher, [1, 2, 3, 4], side_by_side))
        .case("clock_read", |bencher| bencher.iter(Instant::now))
}

/// A chain of 100 links, or of 102 in a file called so.
pub(crate) fn planted() -> Study {
    let file = std::env::current_exe().unwrap_or_default();
    let study = Study::new("planted");
    match file.file_name().is_some_and(|name| name == PLANTED) {
        true => study.case("chain", |bencher| chained!(bencher, 1, chain_102)),
        false => study.case("chain", |bencher| chained!(bencher, 1, chain_100)),
    }
}

pub(crate) fn empty() -> Study {
    Study::new("empty").case("empty", |bencher| bencher.iter(|| ()))
}

/// Studies that have too little time for all that they measure, and one that has enough: in words, the study, the seconds that it is
/// given, and those that its longest operation takes.
pub(crate) fn timed() -> [(&'static str, Study, f64, f64); 5] {
    let chains = |name: &str, cases: u32| {
        let chain = |bencher: &mut Bencher<'_>| chained!(bencher, 1, chain_100);
        (0..cases).fold(Study::new(name), |study, case| study.case(format!("chain {case}"), chain))
    };
    let sleeps = |study: Study, ms: u64| {
        study.case("slow", move |bencher| bencher.iter(|| std::thread::sleep(Duration::from_millis(ms))))
    };
    [
        ("8 cases", chains("eight", 8), 3.0, 0.0),
        ("an operation of 1 s", sleeps(Study::new("a-second"), 1_000), 0.01, 1.0),
        ("one of 200 ms and a short one", sleeps(chains("slow-and-short", 1), 200), 5.0, 0.2),
        ("one of 200 ms alone", sleeps(Study::new("slow-alone"), 200), 5.0, 0.2),
        ("40 cases × 41 backoffs × 4 threads", chains("a-grid", 40).backoff(0..=40).threads([1, 2, 3, 4]), 42.0, 0.0),
    ]
}

pub(crate) fn all() -> Vec<Study> {
    let all = [accuracy(), odd::study(), two_percent(), half_percent(), same(), builds(), planted(), empty()];
    all.into_iter().chain(timed().map(|(_, study, ..)| study)).collect()
}

/// What one run of [`accuracy`] claims for each operation, paired with the truth by `rulers`.
pub(crate) fn claims(record: &StudyRecord, rulers: &Rulers) -> impl Iterator<Item = (String, Claim)> {
    record.study().cells.iter().filter_map(move |cell: &Cell| {
        let name = cell.parameters.get(OPERATION)?.clone();
        let truth = truth(&name, cell.operations_per_batch, rulers)?;
        Some((name, Claim { time_ns: cell.time_ns, below_ns: cell.below_ns, truth }))
    })
}

/// What an operation takes, where that is known, in batches of this many.
pub(crate) fn truth(operation: &str, operations_per_batch: u64, rulers: &Rulers) -> Option<Truth> {
    if let Some((_, length_ns)) = SPINS.iter().find(|(name, _)| *name == operation) {
        return Some(Truth { ns: *length_ns as f64, error_ns: off_ns(operations_per_batch) });
    }
    let (times, of) = links(operation).map_or((1.0, operation), |links| (f64::from(links), ruler::LINK));
    let ruler = rulers.get(of)?;
    let ns = times * ruler.ns;
    Some(Truth { ns, error_ns: ns * ruler.error })
}

fn operation(bencher: &mut Bencher<'_>) {
    let name: String = bencher.parameter(OPERATION);
    match name.as_str() {
        SORT => return sort(bencher),
        SUM => return sum(bencher),
        _ => ruler::sample_links(),
    }
    if let Some((_, length_ns)) = SPINS.iter().find(|(spin, _)| *spin == name) {
        return spin(bencher, *length_ns);
    }
    match name.as_str() {
        "chain_30" => chained!(bencher, 1, chain_30),
        "chain_100" => chained!(bencher, 1, chain_100),
        "chain_1000" => chained!(bencher, 1, chain_1000),
        "chain_10000" => bencher.iter_chained(1, ruler_chain),
        other => panic!("there is no operation {other}"),
    }
}

/// Not inlined, so that the ruler and the study run the same instructions at the same addresses: those alone are worth a percent.
#[inline(never)]
fn sorted(mut numbers: [u64; 64]) -> u64 {
    numbers.sort_unstable();
    numbers[0]
}

/// Sorts, each of an input of its own. No two iterations have the same: 400 inputs differ from 400 others by half a percent.
fn sort(bencher: &mut Bencher<'_>) {
    const SORTS: usize = 400;
    let mut random = RandomState::new().hash_one(SORTS);
    let mut input = || -> [u64; 64] {
        std::array::from_fn(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 33
        })
    };
    ruler::sample(SORT, 10, || {
        let inputs: Vec<_> = (0..SORTS).map(|_| input()).collect();
        let began = Instant::now();
        // Hiding each input from the optimiser would copy it once more.
        for numbers in black_box(inputs) {
            black_box(sorted(numbers));
        }
        began.elapsed().as_nanos() as f64 / SORTS as f64
    });
    // As many at a time as the ruler sorts: more would be farther away in the caches.
    bencher.inputs_at_most(SORTS as u64).iter_batched(input, sorted);
}

/// Sums, all of the same numbers.
fn sum(bencher: &mut Bencher<'_>) {
    static NUMBERS: LazyLock<Vec<u64>> = LazyLock::new(|| (0..4 << 20).collect());
    let all = || black_box(&*NUMBERS).iter().fold(0_u64, |sum, number| sum.wrapping_add(*number));
    // What another case left in the caches goes first.
    let mut to_warm_up = 4;
    ruler::sample(SUM, 4, || {
        while to_warm_up > 0 {
            black_box(all());
            to_warm_up -= 1;
        }
        let began = Instant::now();
        black_box(all());
        began.elapsed().as_nanos() as f64
    });
    bencher.iter(all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruler::Ruler;
    use chronoscope_harness::StudyOptions;

    #[test]
    fn every_study_makes_sense() {
        for study in all() {
            assert!(study.plan(&StudyOptions::default(), &[0, 1]).is_ok(), "{}", study.name());
        }
        assert_eq!(same().cells().len(), 10);
    }

    #[test]
    fn what_is_known_is_known() {
        let ruler = |ns: f64| Ruler { ns, error: 0.01, interrupted: 0.5 };
        let rulers = [(ruler::LINK.to_owned(), ruler(1.5)), (SORT.to_owned(), ruler(300.0))].into();
        assert_eq!(truth("chain_100", 1, &rulers), Some(Truth { ns: 150.0, error_ns: 1.5 }));
        assert_eq!(truth(SORT, 1, &rulers), Some(Truth { ns: 300.0, error_ns: 3.0 }));
        let [one, many] = [1, 2_000].map(|operations| truth("spin_10us", operations, &rulers).unwrap());
        assert!(one.ns == 1e4 && one.error_ns > many.error_ns, "{one:?} {many:?}");
        assert_eq!(truth("empty", 1, &rulers), None);
    }
}
