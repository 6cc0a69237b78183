//! The study of identical operations: each is compared with a second copy of itself.

use std::collections::BTreeMap;

use chronoscope_harness::{Bencher, Study, black_box};

/// The study's name, by which its worker processes recognise themselves.
const NAME: &str = "noise floor";

type Operation = (&'static str, fn(&mut Bencher<'_>));

/// Operations of different lengths, and such as depend on different parts of a core.
const OPERATIONS: [Operation; 10] = [
    ("40 multiplications", chain::<40>),
    ("130 multiplications", chain::<130>),
    ("1300 multiplications", chain::<1_300>),
    ("13000 multiplications", chain::<13_000>),
    ("a walk through 1 MiB", walk),
    ("a copy of 16 KiB", copy),
    ("an allocation", allocate),
    ("a sort of 64 numbers", sort),
    ("unpredictable branches", branch),
    ("lookups in a tree", look_up),
];

/// In a worker process of the study: serves, then exits the process. Otherwise returns at once.
pub fn serve_if_worker() {
    if Study::requested().is_some_and(|name| name == NAME) {
        study().serve_if_worker();
    }
}

/// Every operation and its copy, next to each other. Both are one function, so that nothing but chance tells them apart.
pub fn study() -> Study {
    OPERATIONS.into_iter().fold(Study::new(NAME), |study, (name, body)| {
        let copy = format!("{name} again");
        study.case(name, body).case(copy.as_str(), body).compare(copy, name)
    })
}

/// A multiplier and an increment under which a number takes all values (D. Knuth's MMIX).
const STEP: (u64, u64) = (0x5851_f42d_4c95_7f2d, 0x1405_7b7e_f767_814f);

fn next(x: u64) -> u64 {
    x.wrapping_mul(STEP.0).wrapping_add(STEP.1)
}

/// Each multiplication waits for the one before.
fn chain<const LINKS: u32>(b: &mut Bencher<'_>) {
    b.iter_chained(1, |x: u64| (0..LINKS).fold(x, |x, _| black_box(x.wrapping_mul(STEP.0))));
}

/// Each load waits for the one before, anywhere in more than a first-level cache holds.
fn walk(b: &mut Bencher<'_>) {
    const WORDS: u32 = (1 << 20) / 4;
    const STEPS: u32 = 32;
    // An odd multiplier of the form 4n + 1 with an odd increment goes through all words before it comes back.
    let next: Vec<u32> = (0..WORDS).map(|at| (at.wrapping_mul(0x0001_9665).wrapping_add(0x3c6f)) % WORDS).collect();
    b.iter_chained(0_u32, |at| (0..STEPS).fold(at, |at, _| next.get(at as usize).copied().unwrap_or(0)));
}

fn copy(b: &mut Bencher<'_>) {
    let (from, mut to) = (vec![1_u8; 16 << 10], vec![0_u8; 16 << 10]);
    b.iter(|| {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    });
}

fn allocate(b: &mut Bencher<'_>) {
    b.iter(|| black_box(Vec::<u8>::with_capacity(black_box(256))));
}

fn sort(b: &mut Bencher<'_>) {
    let mut x = 1;
    let shuffled: [u64; 64] = std::array::from_fn(|_| {
        x = next(x);
        x
    });
    b.iter(|| {
        let mut numbers = *black_box(&shuffled);
        numbers.sort_unstable();
        numbers
    });
}

/// Where to go next depends on the high bits of a number that no predictor guesses.
fn branch(b: &mut Bencher<'_>) {
    const BRANCHES: u32 = 64;
    b.iter_chained(1, |x: u64| {
        (0..BRANCHES).fold(x, |x, _| match next(x) >> 62 {
            0 => black_box(next(x)),
            1 => black_box(next(x) ^ 1),
            2 => next(black_box(x)),
            _ => next(black_box(x) ^ 2),
        })
    });
}

fn look_up(b: &mut Bencher<'_>) {
    const KEYS: u64 = 1_000;
    let tree: BTreeMap<u64, u64> = (0..KEYS).map(|key| (key, key)).collect();
    b.iter_chained(1, |x: u64| {
        (0..16).fold(x, |x, _| next(x) ^ tree.get(&((next(x) >> 32) % KEYS)).copied().unwrap_or(0))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_harness::StudyOptions;

    #[test]
    fn every_operation_is_compared_with_a_copy_of_itself() {
        let plan = study().plan(&StudyOptions::default(), &[0]).unwrap();
        assert_eq!(plan.comparisons.len(), OPERATIONS.len());
        for ((copy, operation), (name, _)) in plan.comparisons.iter().zip(OPERATIONS) {
            assert_eq!((copy.as_str(), operation.as_str()), (format!("{name} again").as_str(), name));
        }
        assert_eq!(plan.cases.len(), 2 * OPERATIONS.len());
    }
}
