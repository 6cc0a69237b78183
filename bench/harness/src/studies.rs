//! The studies of this program. Every one is here, since the worker processes of each begin as this program does.

use std::time::{Duration, Instant};

use chronoscope_harness::record::study::{Cell, StudyRecord};
use chronoscope_harness::{Bencher, Study};

use crate::claim::{Claim, Truth};
use crate::operation::{chain_1, chain_10, chain_100, chain_102, chain_1000, links, side_by_side};
use crate::ruler::{self, Ruler};
use crate::spin::{late_ns, spin};

/// The parameter that names the operation.
///
/// It makes an arena of its own for each: cells that differ in their case alone run the same number of operations per
/// batch, and as many multiplications as fill a batch would be minutes of spins.
const OPERATION: &str = "operation";

const SPINS: [(&str, u64); 4] =
    [("spin_50ns", 50), ("spin_1us", 1_000), ("spin_100us", 100_000), ("spin_1ms", 1_000_000)];
const CHAINS: [&str; 4] = ["chain_1", "chain_10", "chain_100", "chain_1000"];

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
        .parameter(OPERATION, CHAINS.into_iter().chain(SPINS.map(|(name, _)| name)))
        .case("known", operation)
}

pub(crate) fn two_percent() -> Study {
    Study::new("two-percent")
        .case("100 links", |bencher| chained!(bencher, 1, chain_100))
        .case("102 links", |bencher| chained!(bencher, 1, chain_102))
        .compare("102 links", "100 links")
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
        .case("chain_1000", |bencher| chained!(bencher, 1, chain_1000))
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
    let all = [accuracy(), two_percent(), same(), builds(), planted(), empty()];
    all.into_iter().chain(timed().map(|(_, study, ..)| study)).collect()
}

/// What one run of [`accuracy`] claims for each operation, paired with the truth by `ruler`.
pub(crate) fn claims(record: &StudyRecord, ruler: Ruler) -> impl Iterator<Item = (String, Claim)> {
    record.study().cells.iter().filter_map(move |cell: &Cell| {
        let name = cell.parameters.get(OPERATION)?.clone();
        let truth = truth(&name, cell.operations_per_batch, ruler)?;
        Some((name, Claim { time_ns: cell.time_ns, below_ns: cell.below_ns, truth }))
    })
}

/// What an operation takes, where that is known, in batches of this many.
pub(crate) fn truth(operation: &str, operations_per_batch: u64, ruler: Ruler) -> Option<Truth> {
    if let Some((_, length_ns)) = SPINS.iter().find(|(name, _)| *name == operation) {
        let late_ns = late_ns(*length_ns, operations_per_batch, ruler.interrupted, ruler.residual_ns);
        return Some(Truth { ns: *length_ns as f64 + late_ns, error_ns: late_ns });
    }
    let ns = f64::from(links(operation)?) * ruler.link_ns;
    Some(Truth { ns, error_ns: ns * ruler.error })
}

fn operation(bencher: &mut Bencher<'_>) {
    ruler::sample_iteration();
    let name: String = bencher.parameter(OPERATION);
    if let Some((_, length_ns)) = SPINS.iter().find(|(spin, _)| *spin == name) {
        return spin(bencher, *length_ns);
    }
    match name.as_str() {
        "chain_1" => chained!(bencher, 1, chain_1),
        "chain_10" => chained!(bencher, 1, chain_10),
        "chain_100" => chained!(bencher, 1, chain_100),
        "chain_1000" => chained!(bencher, 1, chain_1000),
        other => panic!("there is no operation {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let ruler = Ruler { link_ns: 1.5, error: 0.01, interrupted: 0.5, residual_ns: 4_000.0 };
        assert_eq!(truth("chain_100", 1, ruler), Some(Truth { ns: 150.0, error_ns: 1.5 }));
        // Half of all batches are interrupted at their end, which is 4 µs late then; those before it made up for most.
        let spin = truth("spin_1ms", 2, ruler).unwrap();
        assert!(spin.ns == 1e6 + spin.error_ns && (1_000.0..1_010.0).contains(&spin.error_ns), "{spin:?}");
        let short = truth("spin_50ns", 2_000, ruler).unwrap();
        assert!(short.error_ns > 1.05 && short.ns == 50.0 + short.error_ns, "{short:?}");
        assert_eq!(truth("empty", 1, ruler), None);
    }
}
