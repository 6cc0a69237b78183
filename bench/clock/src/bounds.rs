//! Whether error bounds hold: differences of two readings around constant work, and a stopwatch's intervals, with work in them and
//! without.
//!
//! No study: it is not asked what a read costs, but whether it is right.

use std::hint::black_box;

use bench_common::value::median;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_clock::{Clock, Elapsed, Now, Stopwatch};
use chronoscope_sources::arch::{Counter, NAME_ORDERED};

/// Tries that are judged by each other, few enough for the nearest cache: they share the CPU's frequency.
const BLOCK: usize = 256;
/// Tries before those of a block, which find code and data in the cache, and the branches foreseen.
const WARM_UP: usize = 16;
const MULTIPLICATIONS: usize = 100;
/// How far from the median of its block an undisturbed part of a try may be: three together less than two bounds.
const QUIET_NS: f64 = 1.0;
/// By how much the kernel may change the clock's rate against that of the counter when the bench began: NTP's limit.
const LARGEST_SLEW: f64 = 500e-6;
/// A miss of the nearest cache takes less, an interrupt or an exit to a hypervisor much more.
const INTERRUPTION_NS: f64 = 10.0;

/// One length by what is tested, with bare counters around its parts and around all of it.
struct Try {
    parts_ns: [f64; 4],
    shown_ns: f64,
    /// How far the truth may be from it, either way.
    bound_ns: f64,
    is_above_zero: bool,
}

/// How many tries of a row were beyond their bounds.
#[derive(Default)]
struct Outside {
    /// Undisturbed, of all.
    judged: Count,
    outside: Count,
    /// Blocks with one outside: few where a machine changed its pace for a while, as many as there are outside where each is alone.
    blocks: Count,
    /// Among the disturbed ones, too.
    outside_of_all: Count,
    /// Longer than what is around it, or shorter than what is within it, by more than the bounds: wrong, unless the clock was set.
    impossible: Count,
    worst_ns: f64,
    bound_ns: f64,
    /// Bounds without steps, by the median empty interval.
    by_empty: Vec<f64>,
}

struct Bare {
    counter: Counter,
    ns_per_tick: f64,
    /// Of two readings of the clock.
    steps_ns: f64,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    Clock::warm_up();
    let clock = Clock::or_system();
    let counter = Counter::new().map_err(|why| Failure::run(format!("the counter cannot be read: {why}")))?;
    let hz = clock.trust().counter_hz.ok_or_else(|| Failure::run("the clock does not read the counter"))?;
    let steps_ns = 2.0 * clock.reading().step().as_nanos() as f64;
    let bare = Bare { counter, ns_per_tick: 1e9 / hz, steps_ns };
    let wanted = run.pick(2_000_000, 20_000);
    run.now(format!("bounds, {wanted} undisturbed tries"));
    readings(&bare, wanted, section);
    stopwatches(&bare, wanted, section);
    Ok(())
}

fn readings(bare: &Bare, wanted: u64, section: &mut Section) {
    let clock = Clock::or_system();
    let mut rows = ["Clock::reading", "Unordered's reading", NAME_ORDERED].map(|name| (name, Outside::default()));
    while is_short_of(wanted, &rows) {
        // In turn, so that what disturbs the machine disturbs all alike.
        let blocks = block(|| {
            [
                around_work(bare, || clock.reading(), by_readings),
                around_work(bare, || Now::reading(&clock.unordered()), by_readings),
                around_work(bare, || bare.now(), |first, second| (bare.ns(first, second), bare.steps_ns)),
            ]
        });
        for ((_, row), tries) in rows.iter_mut().zip(&blocks) {
            let truth_ns = mean(undisturbed(tries, QUIET_NS).map(|one| one.shown_ns));
            row.judge(tries, QUIET_NS, |one| (one.shown_ns - truth_ns).abs() - one.bound_ns);
            row.impossible = row.impossible + Count::of(tries.iter().map(Try::is_impossible));
        }
    }
    let columns = "difference of two | undisturbed | outside | blocks with any | outside of all | worst, ns outside | bound, ns | impossible";
    let mut table = Table::new(1, columns);
    for (name, row) in rows {
        table.row([
            name.into(),
            row.judged.into(),
            row.outside.into(),
            row.blocks.into(),
            row.outside_of_all.into(),
            row.worst(),
            row.bound(),
            row.impossible.into(),
        ]);
    }
    section.table(table);
    section.say(format!(
        "Around {MULTIPLICATIONS} dependent multiplications. Outside: farther from the mean of the undisturbed among {BLOCK} than both bounds \
         together. Undisturbed: both reads and the work took, by bare counters around each, within {QUIET_NS} ns of their medians. The bare \
         counter is held to the clock's bounds: what is outside there is the machine's, whose work did not always take as long. Impossible, \
         of all tries: longer than the time around both readings, or shorter than the time between them, by more than both bounds."
    ));
}

fn stopwatches(bare: &Bare, wanted: u64, section: &mut Section) {
    let kinds = [("Stopwatch", "work"), ("Stopwatch", "nothing"), (NAME_ORDERED, "work"), (NAME_ORDERED, "nothing")];
    let mut rows = kinds.map(|kind| (kind, Outside::default()));
    while is_short_of(wanted, &rows) {
        let mut stopwatch = Stopwatch::start();
        let mut tries = block(|| {
            let [full, empty] = [MULTIPLICATIONS, 0].map(|length| timed(bare, &mut stopwatch, length));
            let [bare_full, bare_empty] = [MULTIPLICATIONS, 0].map(|length| timed_by(bare, length));
            [full, empty, bare_full, bare_empty]
        });
        let usual = |tries: &[Try]| median(tries.iter().map(|one| one.shown_ns)).unwrap_or(f64::NAN);
        // Wider than a stopwatch's, whose margin is a twelfth.
        let bound_ns = 1.25 * usual(&tries[3]) + bare.steps_ns;
        for one in tries[2..].iter_mut().flatten() {
            one.bound_ns = bound_ns;
            one.is_above_zero = one.shown_ns > 1.25 * bound_ns;
        }
        let bare_ns = |tries: &[Try]| mean(undisturbed(tries, QUIET_NS).map(|one| one.shown_ns));
        let truth_ns = bare_ns(&tries[2]) - bare_ns(&tries[3]);
        if truth_ns.is_nan() {
            // Two states of the machine, and the median between them.
            rows.iter_mut().for_each(|(_, row)| row.judged.all += BLOCK as u64);
            continue;
        }
        for (((_, of), row), tries) in rows.iter_mut().zip(&tries) {
            match *of {
                "work" => row.judge(tries, QUIET_NS, |one| (one.shown_ns - truth_ns).abs() - one.bound_ns),
                _ => row.judge(tries, INTERRUPTION_NS, |one| if one.is_above_zero { one.shown_ns } else { 0.0 }),
            }
        }
        rows[1].1.by_empty.push((tries[1][0].bound_ns - bare.steps_ns) / usual(&tries[1]));
    }
    let columns = "interval by | of | undisturbed | outside | blocks with any | outside of all | worst, ns outside | bound, ns | × median empty";
    let mut table = Table::new(2, columns);
    for ((name, of), row) in rows {
        let by_empty = Value::quartiles(row.by_empty.iter().copied(), 2);
        let counts = [row.judged, row.outside, row.blocks, row.outside_of_all].map(Value::from);
        table.row([&[name.into(), of.into()], &counts[..], &[row.worst(), row.bound(), by_empty]].concat());
    }
    section.table(table);
    section.say(format!(
        "Outside: the work's true length, what the bare counter shows around it less what it shows around nothing, is not \
         from at_least to at_most; an empty interval is above zero. Undisturbed: within {QUIET_NS} ns of the median around those with \
         work, {INTERRUPTION_NS} ns around empty ones, which a miss of the nearest cache does not exceed. Bare pairs are held to the \
         same rule. By the median empty one: the bound without the steps, in quartiles over {BLOCK} intervals each."
    ));
}

fn is_short_of<N>(wanted: u64, rows: &[(N, Outside)]) -> bool {
    const MOST_TRIES: u64 = 20;
    rows.iter().any(|(_, row)| row.judged.of < wanted) && rows[0].1.judged.all < MOST_TRIES * wanted
}

impl Bare {
    #[inline(always)]
    fn now(&self) -> u64 {
        self.counter.ordered()
    }

    #[inline(always)]
    fn ns(&self, from: u64, to: u64) -> f64 {
        to.wrapping_sub(from) as f64 * self.ns_per_tick
    }
}

/// Work that always takes as long: it uses no memory, which a CPU forwards now fast and now slowly.
#[inline(always)]
fn work(multiplications: usize) {
    let mut value = black_box(1_u64);
    for _ in 0..multiplications {
        value = value.wrapping_mul(value).wrapping_add(3);
    }
    black_box(value);
}

/// Tries at irregular distances, so that they begin anywhere between two steps of a counter; each of several kinds in turn.
fn block<const KINDS: usize>(mut once: impl FnMut() -> [Try; KINDS]) -> [Vec<Try>; KINDS] {
    let mut tries = [(); KINDS].map(|()| Vec::with_capacity(WARM_UP + BLOCK));
    for place in 0..WARM_UP + BLOCK {
        work(place * 7 % 13);
        tries.iter_mut().zip(once()).for_each(|(tries, one)| tries.push(one));
    }
    tries.map(|mut tries| tries.split_off(WARM_UP))
}

#[inline(always)]
fn around_work<T>(bare: &Bare, read: impl Fn() -> T, difference: impl Fn(T, T) -> (f64, f64)) -> Try {
    let begun = bare.now();
    let first = read();
    let before = bare.now();
    work(MULTIPLICATIONS);
    let after = bare.now();
    let second = read();
    let ended = bare.now();
    let (shown_ns, bound_ns) = difference(first, second);
    let parts_ns =
        [(begun, before), (before, after), (after, ended), (begun, ended)].map(|(from, to)| bare.ns(from, to));
    Try { parts_ns, shown_ns, bound_ns, is_above_zero: true }
}

fn by_readings(first: chronoscope_clock::Reading, second: chronoscope_clock::Reading) -> (f64, f64) {
    let bound = first.error_bound() + second.error_bound();
    (second.instant().signed_nanos_since(first.instant()) as f64, bound.as_nanos() as f64)
}

#[inline(always)]
fn timed(bare: &Bare, stopwatch: &mut Stopwatch, multiplications: usize) -> Try {
    let begun = bare.now();
    stopwatch.restart();
    work(multiplications);
    let elapsed = stopwatch.elapsed();
    let ended = bare.now();
    let ns =
        |part: fn(Elapsed) -> std::time::Duration| elapsed.map_or(f64::NAN, |elapsed| part(elapsed).as_nanos() as f64);
    Try {
        parts_ns: [bare.ns(begun, ended), 0.0, 0.0, 0.0],
        shown_ns: ns(Elapsed::duration),
        bound_ns: ns(Elapsed::error_bound),
        is_above_zero: elapsed.map_or(true, Elapsed::is_above_zero),
    }
}

/// By the bare counter; the bound is another's to give.
#[inline(always)]
fn timed_by(bare: &Bare, multiplications: usize) -> Try {
    let [begun, first] = [bare.now(), bare.now()];
    work(multiplications);
    let [second, ended] = [bare.now(), bare.now()];
    let parts_ns = [bare.ns(begun, ended), 0.0, 0.0, 0.0];
    Try { parts_ns, shown_ns: bare.ns(first, second), bound_ns: f64::NAN, is_above_zero: false }
}

/// Those each of whose parts took as long as the median does, give or take so much.
fn undisturbed(tries: &[Try], within_ns: f64) -> impl Iterator<Item = &Try> {
    let medians = [0, 1, 2, 3].map(|part| median(tries.iter().map(|one| one.parts_ns[part])).unwrap_or(f64::NAN));
    let is_usual =
        move |one: &&Try| one.parts_ns.iter().zip(medians).all(|(ns, usual)| (ns - usual).abs() <= within_ns);
    tries.iter().filter(is_usual)
}

fn mean(all: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = all.fold((0.0, 0), |(sum, count), ns| (sum + ns, count + 1));
    sum / f64::from(count)
}

impl Try {
    /// Of two readings: not between the time from the end of the first to the start of the second, and that around both.
    fn is_impossible(&self) -> bool {
        let [_, within_ns, _, around_ns] = self.parts_ns;
        let allowance_ns = self.bound_ns + around_ns * LARGEST_SLEW;
        let allowed_ns = within_ns - allowance_ns..=around_ns + allowance_ns;
        !allowed_ns.contains(&self.shown_ns)
    }
}

impl Outside {
    /// By how far each is beyond its bound; what is not a number is.
    fn judge(&mut self, tries: &[Try], within_ns: f64, beyond_ns: impl Fn(&Try) -> f64) {
        let is_outside = |one: &Try| {
            let ns = beyond_ns(one);
            ns > 0.0 || ns.is_nan()
        };
        let count = |all: &mut dyn Iterator<Item = &Try>| Count::of(all.map(is_outside));
        let of_these = count(&mut undisturbed(tries, within_ns));
        self.judged = self.judged + Count { of: of_these.all, all: tries.len() as u64 };
        self.outside = self.outside + of_these;
        self.blocks = self.blocks + Count { of: u64::from(of_these.of > 0), all: 1 };
        self.outside_of_all = self.outside_of_all + count(&mut tries.iter());
        self.worst_ns = undisturbed(tries, within_ns).map(beyond_ns).fold(self.worst_ns, f64::max);
        self.bound_ns = tries.iter().fold(self.bound_ns, |widest, one| widest.max(one.bound_ns));
    }

    fn worst(&self) -> Value {
        Value::number(self.worst_ns, 1)
    }

    fn bound(&self) -> Value {
        if self.bound_ns > 0.0 { Value::number(self.bound_ns, 0) } else { Value::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(all: &[(f64, f64)]) -> Vec<Try> {
        let one = |(around_ns, shown_ns): &(f64, f64)| Try {
            parts_ns: [*around_ns, 0.0, 0.0, 0.0],
            shown_ns: *shown_ns,
            bound_ns: 2.0,
            is_above_zero: false,
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn a_disturbed_try_is_outside_of_all_and_not_of_the_undisturbed() {
        let mut row = Outside::default();
        let tries = tries(&[(50.0, 10.0), (50.0, 13.0), (51.0, 9.0), (300.0, 250.0)]);
        row.judge(&tries, QUIET_NS, |one| (one.shown_ns - 10.0).abs() - one.bound_ns);
        assert_eq!(row.judged, Count { of: 3, all: 4 });
        assert_eq!(row.outside, Count { of: 1, all: 3 });
        assert_eq!(row.outside_of_all, Count { of: 2, all: 4 });
        assert_eq!((row.worst_ns, row.bound_ns), (1.0, 2.0));
    }

    #[test]
    fn two_readings_are_no_farther_apart_than_the_time_around_them_and_no_closer_than_that_between() {
        let of = |shown_ns| Try { parts_ns: [10.0, 50.0, 10.0, 70.0], shown_ns, bound_ns: 2.0, is_above_zero: true };
        let impossible = [47.9, 48.0, 60.0, 72.0, 72.1, f64::NAN].map(|shown_ns| of(shown_ns).is_impossible());
        assert_eq!(impossible, [true, false, false, false, true, true]);
    }

    #[test]
    fn what_is_not_a_number_is_outside() {
        let mut row = Outside::default();
        row.judge(&tries(&[(50.0, f64::NAN)]), QUIET_NS, |one| one.shown_ns);
        assert_eq!(row.outside, Count { of: 1, all: 1 });
    }
}
