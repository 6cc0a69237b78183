//! The first read in children that are forked while other threads read.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use bench_clock::bracket::Bracket;
use bench_clock::monotonic::monotonic_ns;
use bench_common::{Count, Failure, Run, Section, Table, Value};
use chronoscope_clock::Clock;

use crate::fork;

/// Threads that read while children are forked.
const READERS: usize = 3;
/// Reads between two looks at whether to stop.
const CHUNK: u64 = 256;

/// What the children said.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// Children whose first read did not lie between the two of `CLOCK_MONOTONIC` around it, or that said nothing.
    wrong: Count,
    /// Children that ended without an answer, or were ended as hung.
    without_answer: u64,
    worst_ns: u64,
    /// The longest first read.
    longest_ns: u64,
}

pub(crate) fn measure(run: &Run, section: &mut Section) -> Result<(), Failure> {
    let children = run.pick(10_000, 500);
    run.now(format!("forks, {children} children"));
    let (stop, gate) = (AtomicBool::new(false), Barrier::new(READERS + 1));
    let read = || black_box(Clock::or_system().now());
    let begun_ns = monotonic_ns();
    let mut seen = Seen::default();
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                read();
                gate.wait();
                while !stop.load(Relaxed) {
                    for _ in 0..CHUNK {
                        read();
                    }
                }
            });
        }
        gate.wait();
        let done = (0..children).try_for_each(|_| fork::answer(first_read).map(|answer| seen.child(answer)));
        stop.store(true, Relaxed);
        done
    })?;
    let mut table = Table::new(0, "wrong | no answer | worst, ns outside | longest first read µs | s");
    let Seen { wrong, without_answer, worst_ns, longest_ns } = seen;
    table.row([
        wrong.into(),
        without_answer.into(),
        worst_ns.into(),
        Value::number(longest_ns as f64 / 1e3, 1),
        Value::number((monotonic_ns() - begun_ns) as f64 / 1e9, 1),
    ]);
    section.table(table);
    Ok(())
}

fn first_read() -> [u64; 3] {
    let Bracket { before_ns, clock_ns, after_ns } = Bracket::of_ours();
    [before_ns, clock_ns, after_ns]
}

impl Seen {
    fn child(&mut self, answer: Option<[u64; 3]>) {
        let bracket = answer.map(|[before_ns, clock_ns, after_ns]| Bracket { before_ns, clock_ns, after_ns });
        self.wrong = self.wrong + Count::of([bracket.is_none_or(|bracket| bracket.outside_ns() > 0)]);
        match bracket {
            None => self.without_answer += 1,
            Some(bracket) => {
                self.worst_ns = self.worst_ns.max(bracket.outside_ns());
                self.longest_ns = self.longest_ns.max(bracket.width_ns());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_right_wrong_or_silent() {
        let mut seen = Seen::default();
        [Some([10, 15, 20]), Some([10, 26, 20]), None].into_iter().for_each(|answer| seen.child(answer));
        let expected = Seen { wrong: Count { of: 2, all: 3 }, without_answer: 1, worst_ns: 6, longest_ns: 10 };
        assert_eq!(seen, expected);
    }
}
