//! Operations that no single number describes, or only one of the two: whether the harness says so.

use std::cell::Cell as Counter;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bench_common::{Count, Failure, Run, Section, Table, cpus, study};
use chronoscope_harness::record::study::{Cell, Difference, Leading, StudyRecord};
use chronoscope_harness::{Bencher, Study, black_box};

use crate::operation::{chain_1, chain_30};
use crate::ruler::{self, Rulers};

const RARE: &str = "rare long calls";
const STATES: [&str; 2] = ["states", "states of another address"];
const ADDRESSES: &str = "address per iteration";
const GROWS: &str = "grows";

/// Every so many calls, one takes this long.
const RARE_CALLS: (u64, Duration) = (24_000, Duration::from_micros(1_350));
/// The links of the operation that each has by an address, in its two states.
const LINKS: [u64; 2] = [100, 120];
/// The bits of an address that decide, of pages, which a process has at random.
const BITS: [u32; 2] = [12, 13];
/// Calls for each of which the operation that grows gains a link.
const CALLS_PER_LINK: u64 = 2_000;

pub(crate) fn study() -> Study {
    Study::new("odd")
        .case(RARE, rare)
        .case(STATES[0], |bencher| states(bencher, BITS[0]))
        .case(STATES[1], |bencher| states(bencher, BITS[1]))
        .case(ADDRESSES, addresses)
        .case(GROWS, grows)
        .compare(STATES[1], STATES[0])
}

fn rare(bencher: &mut Bencher<'_>) {
    // Of the process: an iteration begins where the last one ended.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    ruler::sample_links();
    let calls = Counter::new(CALLS.load(Relaxed));
    bencher.iter_chained(1, |value| {
        calls.set(calls.get() + 1);
        if calls.get().is_multiple_of(RARE_CALLS.0) {
            let began = Instant::now();
            while began.elapsed() < RARE_CALLS.1 {}
        }
        chain_30(value)
    });
    CALLS.store(calls.get(), Relaxed);
}

fn states(bencher: &mut Bencher<'_>, bit: u32) {
    let address = states as fn(&mut Bencher<'_>, u32) as usize;
    let links = LINKS[address >> bit & 1];
    bencher.iter_chained(1, |value| chain(value, links));
}

fn addresses(bencher: &mut Bencher<'_>) {
    static ITERATIONS: AtomicU64 = AtomicU64::new(0);
    let lot =
        (u64::from(std::process::id()) << 32 | ITERATIONS.fetch_add(1, Relaxed)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let links = [30, 50, 80][(lot >> 40) as usize % 3];
    bencher.iter_chained(1, |value| chain(value, links));
}

fn grows(bencher: &mut Bencher<'_>) {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    bencher.iter_chained(1, |value| chain(value, LINKS[0] + CALLS.fetch_add(1, Relaxed) / CALLS_PER_LINK));
}

fn chain(value: u64, links: u64) -> u64 {
    (0..black_box(links)).fold(value, |value, _| chain_1(value))
}

/// What is so of a record, whether it says so, and whether that can be asked only of an idle machine: next to a thread that takes the
/// CPU for as long as a long call takes, nobody tells the two apart.
type Claim = (&'static str, fn(&StudyRecord, &Rulers) -> Option<bool>, bool);

const CLAIMS: [Claim; 6] = [
    (
        "rare long calls: the mean leads, and holds the truth",
        |record, rulers| {
            let (cell, link) = (cell(record, RARE)?, rulers.get(ruler::LINK)?);
            let (calls, long) = RARE_CALLS;
            let own_ns = 30.0 * link.ns;
            // What interrupts a spin is in its time already.
            let truth_ns = own_ns * (1.0 + link.interrupted) + long.as_nanos() as f64 / calls as f64;
            let error_ns = own_ns * (link.error + link.interrupted);
            let found = cell.time_ns?;
            let is_held = found.low - error_ns <= truth_ns && truth_ns <= found.high + error_ns;
            Some(cell.leads == Leading::Mean && is_held)
        },
        true,
    ),
    (
        "rare long calls: how rare, within 10 %, and how long, within 5 %",
        |record, _| {
            let found = cell(record, RARE)?.rare_calls?;
            let is_about = |value: f64, of: f64, share: f64| (value / of - 1.0).abs() <= share;
            let (calls, long) = RARE_CALLS;
            Some(is_about(found.one_in, calls as f64, 0.1) && is_about(found.ns, long.as_nanos() as f64, 0.05))
        },
        true,
    ),
    (
        "states: two, each within 1 %",
        |record, rulers| {
            let (found, link) = (&cell(record, STATES[0])?.states, rulers.get(ruler::LINK)?);
            let is_of = |at: usize| (found[at].value / (LINKS[at] as f64 * link.ns) - 1.0).abs() <= 0.01 + link.error;
            Some(found.len() == 2 && is_of(0) && is_of(1))
        },
        false,
    ),
    (
        "states: no verdict between two of them",
        |record, _| {
            let point = record.point(STATES[1], STATES[0], 0, 1)?;
            Some(point.verdict == Difference::Unresolved)
        },
        false,
    ),
    ("an address per iteration: no ageing", |record, _| Some(!cell(record, ADDRESSES)?.is_unsteady()), false),
    ("growth: no steady state", |record, _| Some(cell(record, GROWS)?.is_unsteady()), false),
];

fn cell<'r>(record: &'r StudyRecord, case: &str) -> Option<&'r Cell> {
    record.cell(case, 0, 1)
}

/// Whether each is told as what it is, on an idle machine and next to a thread that never sleeps.
pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let options = study::options(run.pick((6.0, 24), (2.0, 12)));
    let busy: Vec<u32> = cpus::allowed()?.into_iter().rev().take(1).collect();
    let mut table = Table::new(2, "machine | what is so | said");
    for (machine, hogs) in [("idle", &[][..]), ("next to a busy loop", &busy)] {
        let mut right = [Count::default(); CLAIMS.len()];
        run.repeat(&format!("odd, {machine}"), 20, 1, |_| {
            let (record, rulers) = cpus::beside_hogs(hogs, || ruler::within(|| study::run(&self::study(), &options)))?;
            for (count, (_, is_said, _)) in right.iter_mut().zip(CLAIMS) {
                *count = *count + Count::of([is_said(&record, &rulers) == Some(true)]);
            }
            Ok(())
        })?;
        let asked = CLAIMS.iter().zip(right).filter(|((.., is_of_idle), _)| hogs.is_empty() || !is_of_idle);
        for ((what, ..), right) in asked {
            table.row([machine.into(), (*what).into(), right.into()]);
        }
    }
    section.table(table);
    Ok(())
}
