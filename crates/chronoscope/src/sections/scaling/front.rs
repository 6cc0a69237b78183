//! How much work between reads it takes for threads reading a clock not to slow each other down. Pure functions of the
//! record: sentences, tables and charts take every judgement from here.

use chronoscope_harness::record::study::{Cell, Comparison, Estimate, StudyRecord};
use chronoscope_harness::stats::over_processes;
use chronoscope_harness::study_rules::is_apart;

use super::clock::{NOTHING, ticks_of};
use super::report::{Conclusion, Front, Oversubscribed, Point, Read, Rise, Scales, worst_by_backoff};

/// The increase that more threads may cause before it counts as a rise, in percent of the time on one thread.
pub const TOLERANCE_PCT: f64 = 10.0;

/// The conclusions for each clock in the record.
pub fn conclude(record: &StudyRecord) -> Vec<Conclusion> {
    let mut clocks: Vec<&str> = Vec::new();
    let study = record.study();
    for cell in &study.cells {
        let is_work = cell.case == NOTHING || study.plan.comparisons.iter().any(|(_, work)| *work == cell.case);
        let is_clock = !is_work && !cell.case.starts_with(&ticks_of(""));
        if is_clock && !clocks.contains(&cell.case.as_str()) {
            clocks.push(&cell.case);
        }
    }
    clocks.into_iter().map(|clock| of_clock(record, clock)).collect()
}

/// The case with only the work of this clock's loop: a runtime has its own.
pub fn work_of<'a>(record: &'a StudyRecord, clock: &str) -> &'a str {
    let compared = record.study().plan.comparisons.iter().find(|(case, _)| case == clock);
    compared.map_or(NOTHING, |(_, work)| work)
}

fn of_clock(record: &StudyRecord, clock: &str) -> Conclusion {
    let work = work_of(record, clock);
    let mut cells: Vec<&Cell> = record.study().cells.iter().filter(|cell| cell.case == clock).collect();
    cells.sort_by_key(|cell| (cell.backoff_tokens, cell.threads));
    let cells = of_one_pass_each(cells);
    let points: Vec<Point> = cells
        .iter()
        .filter(|cell| cell.threads > 1 && !cell.oversubscribed)
        .filter_map(|all| {
            let alone = cells.iter().find(|cell| cell.threads == 1 && cell.backoff_tokens == all.backoff_tokens)?;
            let tokens = all.backoff_tokens;
            let (alone_ns, all_ns, threads) = (alone.time_ns, all.time_ns, all.threads);
            // A failed combination was still tried, and is not left out of the front.
            let increase = increase(record, work, alone, all);
            let ran_together = did_run_together(record, work, alone, all);
            let rise = increase.filter(|_| ran_together).map_or(Rise::Unresolved, |increase| rise(&increase));
            let increase_pct = increase.map(|increase| increase.times(100.0));
            Some(Point {
                backoff_tokens: tokens,
                work_ns: work_ns(record, work, tokens)?,
                work_all_ns: work_all_ns(record, work, all),
                threads,
                alone_ns,
                all_ns,
                increase_pct,
                rise,
            })
        })
        .collect();
    let oversubscribed = cells.iter().filter(|cell| cell.oversubscribed).filter_map(|cell| {
        Some(Oversubscribed { backoff_tokens: cell.backoff_tokens, threads: cell.threads, time_ns: cell.time_ns? })
    });
    Conclusion {
        clock: clock.to_owned(),
        threads: points.iter().map(|point| point.threads).max().unwrap_or(1),
        front: front(&points),
        oversubscribed: oversubscribed.collect(),
        reads: reads(record, clock, &cells),
        points,
    }
}

/// For each amount of work the cells of one pass, since only those have processes in common: of the pass that measured it on the most
/// numbers of threads, the first of such.
fn of_one_pass_each(cells: Vec<&Cell>) -> Vec<&Cell> {
    let numbers = |one: &Cell| {
        cells.iter().filter(|cell| cell.backoff_tokens == one.backoff_tokens && pass(cell) == pass(one)).count()
    };
    let is_chosen = |cell: &&Cell| {
        let same_work = cells.iter().filter(|other| other.backoff_tokens == cell.backoff_tokens);
        let best = same_work.max_by_key(|other| (numbers(other), std::cmp::Reverse(pass(other))));
        best.is_some_and(|best| pass(best) == pass(cell))
    };
    cells.iter().copied().filter(is_chosen).collect()
}

/// What tells the pass in which a cell was measured: passes number their processes on.
fn pass(cell: &Cell) -> Option<u32> {
    cell.processes.first().map(|process| process.process)
}

/// The cell with only the work of `cell`, from the same pass: several passes measure it.
fn work_of_cell<'a>(record: &'a StudyRecord, work: &str, cell: &Cell) -> Option<&'a Cell> {
    let is_it = |other: &&Cell| {
        other.case == work
            && (other.backoff_tokens, other.threads) == (cell.backoff_tokens, cell.threads)
            && pass(other) == pass(cell)
    };
    record.study().cells.iter().find(is_it)
}

/// The duration of this many tokens: as measured for the work alone among the clocks, else as calibrated. None in another
/// runtime, whose tokens are not those of the calibration.
fn work_ns(record: &StudyRecord, work: &str, tokens: u64) -> Option<f64> {
    if tokens == 0 {
        return Some(0.0);
    }
    let measured = record.cell(work, tokens, 1).and_then(|cell| cell.time_ns).filter(|time| time.low > 0.0);
    let calibrated = || record.study().tokens.as_ref().map_or(tokens as f64, |cost| cost.ns(tokens as f64));
    measured.map(|time| time.estimate).or_else(|| (work == NOTHING).then(calibrated))
}

/// The duration of a cell's work on all of its threads, as measured for the work alone.
fn work_all_ns(record: &StudyRecord, work: &str, all: &Cell) -> Option<f64> {
    if all.backoff_tokens == 0 {
        return Some(0.0);
    }
    Some(work_of_cell(record, work, all)?.time_ns?.estimate)
}

/// The clock's addition to the work alone, from pairs of the same round.
pub fn difference(record: &StudyRecord, clock: &str, tokens: u64, threads: u32) -> Option<Estimate> {
    let of_clock = |comparison: &&Comparison| comparison.case == clock && comparison.threads == threads;
    let mut points = record.study().comparisons.iter().filter(of_clock).flat_map(|comparison| &comparison.points);
    points.find(|point| point.backoff_tokens == tokens).map(|point| point.difference_ns)
}

/// What threads add to an operation's time, as a share of its time on one thread: process by process, from cells that were
/// measured in the same rounds, so that what moves both sides cancels. None if no process measured both.
///
/// If the work alone was measured on both, what the threads add to it is not counted: slower work on a core shared by two
/// CPUs is not contention for the clock.
fn increase(record: &StudyRecord, work: &str, alone: &Cell, all: &Cell) -> Option<Estimate> {
    let confidence = record.study().plan.confidence;
    let work = |cell: &Cell| work_of_cell(record, work, cell);
    let own = work(alone).zip(work(all)).and_then(|(work_alone, work_all)| {
        over_processes(&[alone, all, work_alone, work_all], confidence, |ns| {
            ((ns[1] - ns[3]) - (ns[0] - ns[2])) / ns[0]
        })
    });
    let found = own.or_else(|| over_processes(&[alone, all], confidence, |ns| ns[1] / ns[0] - 1.0))?;
    Some(found.at_least((alone.clock_share_pct + all.clock_share_pct) / 100.0))
}

/// Whether the threads of `all`, and those of the work alone, ran at the same time for at least half of a typical iteration: times are
/// of that part only, which says little about many threads where it is short. An iteration without such a part is not among a cell's,
/// whose number then falls behind that of the iterations of one thread in the same rounds.
fn did_run_together(record: &StudyRecord, work: &str, alone: &Cell, all: &Cell) -> bool {
    let of_work = |cell: &Cell| work_of_cell(record, work, cell);
    let pairs = [Some((alone, all)), of_work(alone).zip(of_work(all))];
    pairs.into_iter().flatten().all(|(alone, all)| !is_apart(all) && 2 * all.iterations >= alone.iterations)
}

/// Whether an increase is more than [`TOLERANCE_PCT`].
fn rise(increase: &Estimate) -> Rise {
    let tolerated = TOLERANCE_PCT / 100.0;
    if !increase.has_confidence() {
        Rise::Unresolved
    } else if increase.low > tolerated {
        Rise::Raised
    } else if increase.high <= tolerated && increase.low >= -tolerated {
        // Other threads make no read much cheaper: where they seem to, something else changed.
        Rise::Flat
    } else {
        Rise::Unresolved
    }
}

/// What is known about the front from `points`, which have ascending backoff.
fn front(points: &[Point]) -> Front {
    let backoffs = worst_by_backoff(points);
    let flat = backoffs.iter().rev().take_while(|(_, rise)| *rise == Rise::Flat).last().map(|(end, _)| *end);
    let raised = backoffs.iter().rev().find(|(_, rise)| *rise == Rise::Raised).map(|(end, _)| *end);
    let all_are_flat = backoffs.iter().all(|(_, rise)| *rise == Rise::Flat);
    let scales = match (flat, raised) {
        (Some(_), None) if all_are_flat => Scales::Everywhere,
        (Some(_), Some(_)) => Scales::From,
        (None, Some(_)) if backoffs.last().is_some_and(|(_, rise)| *rise == Rise::Raised) => Scales::Beyond,
        _ => Scales::Unresolved,
    };
    Front { scales, raised, flat, tolerance_pct: Some(TOLERANCE_PCT) }
}

fn reads(record: &StudyRecord, clock: &str, cells: &[&Cell]) -> Vec<Read> {
    let ticks = ticks_of(clock);
    let step = |threads: u32| {
        let mut steps = record.study().cells.iter().filter(|cell| cell.case == ticks && cell.threads == threads);
        steps.find(|cell| cell.backoff_tokens == 0)
    };
    let in_a_row = cells.iter().filter(|cell| cell.backoff_tokens == 0 && !cell.oversubscribed);
    in_a_row
        .map(|cell| {
            let step = step(cell.threads);
            Read {
                threads: cell.threads,
                latency_ns: cell.time_ns,
                latency_below_ns: cell.below_ns,
                step_ns: step.and_then(|step| step.time_ns),
                step_below_ns: step.and_then(|step| step.below_ns),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::report::End;
    use super::*;
    use chronoscope_harness::record::study::CellProcess;
    use proptest::prelude::*;

    fn about(estimate: f64, half: f64) -> Estimate {
        Estimate { estimate, low: estimate - half, high: estimate + half, confidence: 0.999 }
    }

    fn point(tokens: u64, threads: u32, rise: Rise) -> Point {
        let ns = tokens as f64 * 1.5;
        Point {
            backoff_tokens: tokens,
            work_ns: ns,
            work_all_ns: None,
            threads,
            alone_ns: Some(about(ns + 10.0, 1.0)),
            all_ns: Some(about(ns + 30.0, 1.0)),
            increase_pct: None,
            rise,
        }
    }

    /// A cell of `case` whose twelve processes take so long, each by its own level.
    fn cell(case: &str, threads: u32, ns: f64) -> Cell {
        let mut record =
            chronoscope_harness::record::parse_study(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let process = |process: u32| {
            // Processes differ by half, which moves all of their cells alike; what is left is a percent.
            let level = 1.0 + 0.05 * f64::from(process % 10);
            let own = 1.0 + 0.001 * f64::from((process * 7 + threads) % 10);
            CellProcess::alike(process, ns * level * own)
        };
        Cell {
            case: case.to_owned(),
            threads,
            backoff_tokens: 16,
            clock_share_pct: 0.01,
            processes: (0..12).map(process).collect(),
            ..record.content.study.cells.remove(0)
        }
    }

    fn rise_of(alone_ns: f64, all_ns: f64, work: Option<(f64, f64)>) -> Rise {
        let mut record =
            chronoscope_harness::record::parse_study(include_str!("../../../tests/fixtures/study.json")).unwrap();
        record.content.study.cells.clear();
        if let Some((alone, all)) = work {
            record.content.study.cells.extend([cell(NOTHING, 1, alone), cell(NOTHING, 2, all)]);
        }
        rise(&increase(&record, NOTHING, &cell("a", 1, alone_ns), &cell("a", 2, all_ns)).unwrap())
    }

    #[test]
    fn one_and_many_threads_are_compared_within_processes() {
        // The intervals over processes, half as wide as the times, would leave all of these open.
        assert_eq!(rise_of(100.0, 105.0, None), Rise::Flat);
        assert_eq!(rise_of(100.0, 150.0, None), Rise::Raised);
        assert_eq!(rise_of(100.0, 110.0, None), Rise::Unresolved);
        assert_eq!(rise_of(100.0, 50.0, None), Rise::Unresolved, "no read gets cheaper because others read");
        let few = Estimate { confidence: 0.75, ..about(0.5, 0.01) };
        assert_eq!(rise(&few), Rise::Unresolved, "three processes decide nothing");
    }

    #[test]
    fn work_that_slows_down_by_itself_is_no_contention() {
        assert_eq!(rise_of(100.0, 150.0, Some((80.0, 129.0))), Rise::Flat);
        assert_eq!(rise_of(100.0, 150.0, Some((80.0, 80.0))), Rise::Raised);
    }

    /// A cell measured in a later pass, whose processes are numbered on.
    fn later(cell: Cell) -> Cell {
        let processes =
            cell.processes.into_iter().map(|process| CellProcess { process: process.process + 12, ..process });
        Cell { processes: processes.collect(), ..cell }
    }

    #[test]
    fn each_clock_is_compared_with_the_work_of_its_own_pass() {
        let mut record =
            chronoscope_harness::record::parse_study(include_str!("../../../tests/fixtures/study.json")).unwrap();
        let work = [cell(NOTHING, 1, 80.0), cell(NOTHING, 2, 80.0)];
        let slower = [cell(NOTHING, 1, 80.0), cell(NOTHING, 2, 129.0)].map(later);
        record.content.study.cells = work.into_iter().chain(slower).collect();
        let [alone, all] = [cell("a", 1, 100.0), cell("a", 2, 150.0)];
        assert_eq!(rise(&increase(&record, NOTHING, &alone, &all).unwrap()), Rise::Raised);
        let [alone, all] = [later(alone), later(all)];
        assert_eq!(rise(&increase(&record, NOTHING, &alone, &all).unwrap()), Rise::Flat);
    }

    #[test]
    fn cells_of_two_passes_are_not_mixed() {
        let seen = [
            cell("a", 1, 100.0),
            cell("a", 4, 150.0),
            later(cell("a", 1, 101.0)),
            later(cell("a", 2, 102.0)),
            later(cell("a", 4, 103.0)),
        ];
        let chosen = of_one_pass_each(seen.iter().collect());
        assert_eq!(chosen.iter().map(|cell| cell.threads).collect::<Vec<_>>(), [1, 2, 4]);
        assert!(chosen.iter().all(|cell| pass(cell) == Some(12)));
        let again = [cell("a", 1, 100.0), cell("a", 2, 150.0), later(cell("a", 1, 101.0)), later(cell("a", 2, 102.0))];
        let chosen = of_one_pass_each(again.iter().collect());
        assert!(chosen.len() == 2 && chosen.iter().all(|cell| pass(cell) == Some(0)), "the one shown in tables");
    }

    #[test]
    fn threads_that_hardly_overlapped_decide_no_front() {
        let seen = |ns: f64, all: fn(Cell) -> Cell, work: fn(Cell) -> Cell| {
            let text = include_str!("../../../tests/fixtures/study.json");
            let mut record = chronoscope_harness::record::parse_study(text).unwrap();
            record.content.study.plan.comparisons = vec![("a".to_owned(), NOTHING.to_owned())];
            let iterated = |cell: Cell| Cell { iterations: 60, iterations_quiet: 60, overlap_share: None, ..cell };
            let together = |cell: Cell| Cell { overlap_share: Some(0.9), ..iterated(cell) };
            record.content.study.cells = vec![
                iterated(cell(NOTHING, 1, 50.0)),
                work(together(cell(NOTHING, 2, 50.0))),
                iterated(cell("a", 1, 100.0)),
                all(together(cell("a", 2, ns))),
            ];
            conclude(&record).remove(0).front
        };
        let as_it_is: fn(Cell) -> Cell = |cell| cell;
        let apart: fn(Cell) -> Cell = |cell| Cell { overlap_share: Some(0.2), ..cell };
        // The others of the same rounds never overlapped, and are not among the iterations.
        let seldom: fn(Cell) -> Cell = |cell| Cell { iterations: 20, iterations_quiet: 20, ..cell };
        assert!(seen(150.0, as_it_is, as_it_is).scales == Scales::Beyond);
        assert!(seen(100.0, as_it_is, as_it_is).scales == Scales::Everywhere);
        for ns in [150.0, 100.0] {
            for (all, work) in [(apart, as_it_is), (seldom, as_it_is), (as_it_is, apart)] {
                assert_eq!(seen(ns, all, work), Front::open(None, None), "{ns}");
            }
        }
    }

    #[test]
    fn the_front_is_the_smallest_backoff_from_which_all_is_flat() {
        let points = [
            point(1, 2, Rise::Raised),
            point(16, 2, Rise::Flat),
            point(16, 4, Rise::Raised),
            point(256, 2, Rise::Flat),
            point(256, 4, Rise::Flat),
            point(4096, 2, Rise::Flat),
        ];
        let expected = Front::between((16, 24.0), (256, 384.0));
        assert_eq!(front(&points), expected);
        assert_eq!(front(&points[3..]), Front::everywhere(256, 384.0));
        assert_eq!(front(&points[..3]), Front::beyond(16, 24.0));
        assert_eq!(front(&[]), Front::open(None, None));
    }

    #[test]
    fn what_cannot_be_told_is_not_said() {
        let doubtful = [point(1, 2, Rise::Unresolved), point(16, 2, Rise::Flat)];
        assert_eq!(front(&doubtful), Front::open(None, Some((16, 24.0))));
        let bracketed = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved), point(256, 2, Rise::Flat)];
        let expected = Front::between((1, 1.5), (256, 384.0));
        assert_eq!(front(&bracketed), expected, "the front is between");
        let unbounded = [point(1, 2, Rise::Raised), point(16, 2, Rise::Unresolved)];
        assert_eq!(front(&unbounded), Front::open(Some((1, 1.5)), None));
    }

    #[test]
    fn the_confidence_is_that_of_all_that_decides_at_once() {
        let with = |rise: Rise, confidence: f64| Point {
            increase_pct: Some(Estimate { confidence, ..about(50.0, 1.0) }),
            ..point(1, 2, rise)
        };
        let sure = |points: Vec<Point>| {
            let front = front(&points);
            let clock = "a".to_owned();
            Conclusion { clock, threads: 2, front, points, reads: Vec::new(), oversubscribed: Vec::new() }.confidence()
        };
        let found = sure(vec![with(Rise::Unresolved, 0.5), with(Rise::Raised, 0.99), with(Rise::Flat, 0.97)]);
        assert!((found.unwrap() - 0.96).abs() < 1e-12, "{found:?}: what decides nothing does not count");
        assert_eq!(sure(vec![with(Rise::Unresolved, 0.5), with(Rise::Unresolved, 0.75)]), Some(0.5));
        assert_eq!(sure(vec![with(Rise::Unresolved, 0.0)]), None);
    }

    #[test]
    fn a_dip_is_no_front() {
        // Flat, then raised again with more work: what matters is where it starts to stay flat.
        let points = [point(1, 2, Rise::Flat), point(16, 2, Rise::Raised), point(256, 2, Rise::Flat)];
        let expected = Front::between((16, 24.0), (256, 384.0));
        assert_eq!(front(&points), expected);
    }

    #[test]
    fn how_many_times_nothing_an_operation_takes_is_no_rise() {
        let conclusion = |low: f64| Conclusion {
            clock: "a".to_owned(),
            threads: 2,
            front: Front::open(None, None),
            points: vec![Point {
                alone_ns: Some(Estimate { estimate: 1e-3, low, high: 2.0, confidence: 0.999 }),
                all_ns: Some(about(1400.0, 1.0)),
                ..point(1, 2, Rise::Raised)
            }],
            reads: Vec::new(),
            oversubscribed: Vec::new(),
        };
        assert_eq!(conclusion(0.0).worst(), None);
        assert!(conclusion(1e-4).worst().unwrap().1.estimate > 1e6);
    }

    proptest! {
        #[test]
        fn the_front_is_flat_from_there_on(rises in prop::collection::vec(0_u8..3, 0..12)) {
            let rise_of = |number: u8| [Rise::Flat, Rise::Raised, Rise::Unresolved][usize::from(number)];
            let points: Vec<Point> =
                rises.iter().enumerate().map(|(power, rise)| point(1 << power, 2, rise_of(*rise))).collect();
            let found = front(&points);
            let rise_at = |end: End| points.iter().find(|point| point.backoff_tokens == end.tokens).map(|point| point.rise);
            prop_assert!(found.raised.is_none_or(|low| rise_at(low) == Some(Rise::Raised)));
            prop_assert!(found.raised.zip(found.flat).is_none_or(|(low, high)| low.tokens < high.tokens));
            let is_flat_from = |high: End| {
                points.iter().all(|point| point.backoff_tokens < high.tokens || point.rise == Rise::Flat)
            };
            prop_assert!(found.flat.is_none_or(is_flat_from));
            let all_are_flat = !points.is_empty() && points.iter().all(|point| point.rise == Rise::Flat);
            prop_assert_eq!(found.scales == Scales::Everywhere, all_are_flat);
        }
    }
}
