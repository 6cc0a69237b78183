//! The studies of this program. Every one is here, since the worker processes of each begin as this program does.

use std::time::{Duration, Instant};

use bench_common::failure::Failure;
use bench_common::study;
use bench_harness::operation::{Operation, chain_1, chain_10, chain_100, chain_102, chain_1000, side_by_side};
use chronoscope_harness::record::study::{Cell, StudyRecord};
use chronoscope_harness::{Bencher, Study};

use crate::claim::{Claim, Truth};
use crate::ruler::{self, Ruler};
use crate::size::Repeated;
use crate::spin::{late_ns, spin};

/// The parameter that names the operation.
///
/// It makes an arena of its own for each: cells that differ in their case alone run the same number of operations per
/// batch, and as many multiplications as fill a batch would be minutes of spins.
const OPERATION: &str = "operation";
const KNOWN: &str = "known";

/// Spins by name and length in nanoseconds.
const SPINS: [(&str, u64); 4] =
    [("spin_50ns", 50), ("spin_1us", 1_000), ("spin_100us", 100_000), ("spin_1ms", 1_000_000)];
/// Chains whose time is known.
const CHAINS: [Operation; 4] =
    [Operation::Chain(1), Operation::Chain(10), Operation::Chain(100), Operation::Chain(1000)];

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

/// The two chains that differ by two percent.
pub(crate) const SHORT: &str = "100 links";
pub(crate) const LONG: &str = "102 links";

/// Operations of known time.
pub(crate) fn accuracy() -> Study {
    let spins = SPINS.map(|(name, _)| name.to_owned());
    let chains = CHAINS.map(Operation::name);
    let names = chains.into_iter().chain(spins);
    Study::new("accuracy").parameter(OPERATION, names).case(KNOWN, operation)
}

/// What peers are asked for.
pub(crate) fn beside_peers() -> Study {
    Study::new("peers").parameter(OPERATION, Operation::OF_PEERS.map(Operation::name)).case(KNOWN, operation)
}

/// A difference of two percent.
pub(crate) fn two_percent() -> Study {
    Study::new("two-percent")
        .case(SHORT, |bencher| chained!(bencher, 1, chain_100))
        .case(LONG, |bencher| chained!(bencher, 1, chain_102))
        .compare(LONG, SHORT)
}

/// Two operations, and copies of them to be compared in pairs: the same instructions at other addresses.
pub(crate) fn same() -> Study {
    let mut study = Study::new("same");
    // Each copy has a seed of its own, which keeps the compiler from making one function of all.
    macro_rules! pairs {
        ($chain:path, $name:expr, $($first:literal $second:literal)*) => {$(
            let names = [$first, $second].map(|copy: u64| format!("{} #{copy}", $name.name()));
            let [first, second] = names.clone();
            study = study
                .case(first, |bencher| chained!(bencher, seed::<_, $first>(), $chain))
                .case(second, |bencher| chained!(bencher, seed::<_, $second>(), $chain));
            let [first, second] = names;
            study = study.compare(second, first);
        )*};
    }
    pairs!(chain_100, SAME[0], 1 2 3 4 5 6);
    pairs!(side_by_side, SAME[1], 7 8 9 10);
    study
}

/// What [`same`] compares with itself: so many pairs of the first and of the second.
pub(crate) const SAME: [Operation; 2] = [Operation::Chain(100), Operation::SideBySide];

/// Where a chain begins, or four of them.
trait Seed {
    fn of(copy: u64) -> Self;
}

impl Seed for u64 {
    fn of(copy: u64) -> Self {
        copy
    }
}

impl Seed for [u64; 4] {
    fn of(copy: u64) -> Self {
        [copy, 1, 2, 3]
    }
}

fn seed<S: Seed, const COPY: u64>() -> S {
    S::of(COPY)
}

/// The name of a file that is a build in which the chain of [`planted`] is two percent longer.
pub(crate) const PLANTED: &str = "planted";

/// Operations of all kinds, for two builds of the same program.
pub(crate) fn builds() -> Study {
    Study::new("builds")
        .case(Operation::Chain(10).name(), |bencher| chained!(bencher, 1, chain_10))
        .case(Operation::Chain(100).name(), |bencher| chained!(bencher, 1, chain_100))
        .case(Operation::Chain(1000).name(), |bencher| chained!(bencher, 1, chain_1000))
        .case(Operation::SideBySide.name(), |bencher| chained!(bencher, [1, 2, 3, 4], side_by_side))
        .case(Operation::ClockRead.name(), |bencher| bencher.iter(Instant::now))
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

/// Nothing.
pub(crate) fn empty() -> Study {
    Study::new("empty").case(Operation::Empty.name(), |bencher| bencher.iter(|| ()))
}

/// A study, and the time that it is given.
pub(crate) struct Timed {
    pub(crate) words: &'static str,
    pub(crate) study: Study,
    pub(crate) budget: Duration,
    pub(crate) longest_operation: Duration,
}

impl Timed {
    /// Whether it is short enough for a quick run.
    pub(crate) fn is_quick(&self) -> bool {
        self.budget.max(self.longest_operation) < Duration::from_secs(5)
    }
}

/// A case that sleeps so long.
fn sleeps(study: Study, length: Duration) -> Study {
    study.case("slow", move |bencher| bencher.iter(|| std::thread::sleep(length)))
}

/// Studies that have too little time for all that they measure, and one that has enough.
pub(crate) fn timed() -> [Timed; 5] {
    let chain = |bencher: &mut Bencher<'_>| chained!(bencher, 1, chain_100);
    let chains =
        |study: Study, cases: u32| (0..cases).fold(study, |study, case| study.case(format!("chain {case}"), chain));
    let (second, fifth) = (Duration::from_secs(1), Duration::from_millis(200));
    let grid = chains(Study::new("a-grid"), 40).backoff(0..=40).threads([1, 2, 3, 4]);
    let timed = |words, study, budget, longest_operation| Timed { words, study, budget, longest_operation };
    [
        timed("8 cases", chains(Study::new("eight"), 8), Duration::from_secs(3), Duration::ZERO),
        timed("an operation of 1 s", sleeps(Study::new("a-second"), second), Duration::from_millis(10), second),
        timed(
            "one of 200 ms and a short one",
            sleeps(chains(Study::new("slow-and-short"), 1), fifth),
            Duration::from_secs(5),
            fifth,
        ),
        timed("one of 200 ms alone", sleeps(Study::new("slow-alone"), fifth), Duration::from_secs(5), fifth),
        timed("40 cases × 41 backoffs × 4 threads", grid, Duration::from_secs(42), Duration::ZERO),
    ]
}

/// Every study, so that a worker process finds its own.
pub(crate) fn serve_if_worker() {
    for study in [accuracy(), beside_peers(), two_percent(), same(), builds(), planted(), empty()] {
        study.serve_if_worker();
    }
    for timed in timed() {
        timed.study.serve_if_worker();
    }
}

/// Runs `study` once.
pub(crate) fn run(study: &Study, size: &Repeated) -> Result<StudyRecord, Failure> {
    study::run("bench-harness", study, size.each)
}

/// What one run of [`accuracy`] or [`beside_peers`] claims for each operation, paired with the truth by `ruler`.
pub(crate) fn claims(record: &StudyRecord, ruler: Ruler) -> Vec<(String, Claim)> {
    let of = |cell: &Cell| cell.parameters.get(OPERATION).cloned();
    let claim = |cell: &Cell| {
        let name = of(cell)?;
        let claim = Claim {
            ns: cell.time_ns.map(|time| time.estimate),
            interval_ns: cell.time_ns.map(|time| (time.low, time.high)),
            below_ns: cell.below_ns,
            truth: truth(&name, cell.operations_per_batch, ruler),
        };
        Some((name, claim))
    };
    record.cells.iter().filter_map(claim).collect()
}

/// What an operation takes, where that is known, in batches of this many.
pub(crate) fn truth(operation: &str, operations_per_batch: u64, ruler: Ruler) -> Option<Truth> {
    if let Some((_, length_ns)) = SPINS.iter().find(|(name, _)| *name == operation) {
        let late_ns = late_ns(*length_ns, operations_per_batch, ruler.interrupted, ruler.residual_ns);
        return Some(Truth { ns: *length_ns as f64 + late_ns, error_ns: late_ns });
    }
    let chain = CHAINS.iter().find(|chain| chain.name() == operation)?;
    let ns = chain.links()? * ruler.link_ns;
    Some(Truth { ns, error_ns: ns * ruler.error })
}

/// The operation that the parameter names.
fn operation(bencher: &mut Bencher<'_>) {
    ruler::sample_visit();
    let name: String = bencher.parameter(OPERATION);
    if let Some((_, length_ns)) = SPINS.iter().find(|(spin, _)| *spin == name) {
        return spin(bencher, *length_ns);
    }
    match name.as_str() {
        "empty" => bencher.iter(|| ()),
        "chain_1" => chained!(bencher, 1, chain_1),
        "chain_10" => chained!(bencher, 1, chain_10),
        "chain_100" => chained!(bencher, 1, chain_100),
        "chain_1000" => chained!(bencher, 1, chain_1000),
        "clock_read" => bencher.iter(Instant::now),
        other => panic!("there is no operation {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::StudyOptions;

    #[test]
    fn every_study_makes_sense() {
        for study in [accuracy(), beside_peers(), two_percent(), same(), builds(), planted(), empty()] {
            assert!(study.plan(&StudyOptions::default(), &[0]).is_ok(), "{}", study.name());
        }
        for Timed { study, words, .. } in timed() {
            assert!(study.plan(&StudyOptions::default(), &[0, 1]).is_ok(), "{words}");
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
        assert!(
            short.error_ns > 1.05 && short.ns == 50.0 + short.error_ns,
            "a read is a good part of 50 ns: {short:?}"
        );
        assert_eq!(truth("empty", 1, ruler), None);
    }
}
