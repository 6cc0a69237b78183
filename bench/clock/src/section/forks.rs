//! The first read in children that are forked while other threads read.

use std::hint::black_box;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use chronoscope_clock::Clock;
use serde::Serialize;

use crate::bracket::Bracket;
use crate::failure::Failure;
use crate::fork;
use crate::monotonic::monotonic_ns;
use crate::size::Size;
use crate::table;

/// Threads that read while children are forked.
const READERS: usize = 3;
/// Reads between two looks at whether to stop.
const CHUNK: u64 = 256;

/// What the section saw.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Forks {
    pub(crate) children: u64,
    /// Children whose first read lay between the two of `CLOCK_MONOTONIC` around it.
    pub(crate) right: u64,
    /// Children that ended without an answer, or were ended as hung.
    without_answer: u64,
    worst_ns: u64,
    /// The longest first read.
    longest_ns: u64,
    seconds: f64,
}

pub(crate) fn measure(size: &Size) -> Result<Forks, Failure> {
    eprintln!("bench-clock: forks, {} children", size.forks);
    let (stop, gate) = (AtomicBool::new(false), Barrier::new(READERS + 1));
    let read = || black_box(Clock::or_system().now());
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
        let begun_ns = monotonic_ns();
        let mut seen = Forks::default();
        let done = (0..size.forks).try_for_each(|_| fork::answer(first_read).map(|answer| seen.child(answer)));
        stop.store(true, Relaxed);
        seen.seconds = (monotonic_ns() - begun_ns) as f64 / 1e9;
        done.map(|()| seen)
    })
}

fn first_read() -> [u64; 3] {
    let Bracket { before_ns, clock_ns, after_ns } = Bracket::around(|| Clock::or_system().now().as_nanos());
    [before_ns, clock_ns, after_ns]
}

impl Forks {
    fn child(&mut self, answer: Option<[u64; 3]>) {
        self.children += 1;
        let Some([before_ns, clock_ns, after_ns]) = answer else {
            self.without_answer += 1;
            return;
        };
        let bracket = Bracket { before_ns, clock_ns, after_ns };
        self.right += u64::from(bracket.outside_ns() == 0);
        self.worst_ns = self.worst_ns.max(bracket.outside_ns());
        self.longest_ns = self.longest_ns.max(bracket.width_ns());
    }

    pub(crate) fn show(&self) -> String {
        let row = vec![
            self.children.to_string(),
            self.right.to_string(),
            self.without_answer.to_string(),
            self.worst_ns.to_string(),
            format!("{:.1}", self.longest_ns as f64 / 1e3),
            format!("{:.1}", self.seconds),
        ];
        let headings = ["children", "right", "no answer", "worst, ns outside", "longest first read µs", "s"];
        format!(
            "{}\n\nForked one after the other while {READERS} threads read Clock::now. Right: the child's first read lies\n\
             between the two of CLOCK_MONOTONIC around it.",
            table::text(&headings, [row])
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_right_wrong_or_silent() {
        let mut seen = Forks::default();
        [Some([10, 15, 20]), Some([10, 26, 20]), None].into_iter().for_each(|answer| seen.child(answer));
        let expected = Forks { children: 3, right: 1, without_answer: 1, worst_ns: 6, longest_ns: 10, seconds: 0.0 };
        assert_eq!(seen, expected);
    }
}
