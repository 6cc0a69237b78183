use std::fmt::Display;
use std::str::FromStr;

use chronoscope_clock::work::{black_box, consume_cpu, shift};

use super::phases::{Kind, Phases};
use crate::record::study::Parameters;

/// Inputs that are made before a batch at most.
const MOST_INPUTS: u64 = 1 << 14;

/// Runs an operation as often as its study wants: what a case is given.
///
/// A case is called once per visit on each thread: what it does before `iter` is set-up that is not timed, and it calls one
/// of the `iter` functions once.
pub struct Bencher<'a> {
    thread: u32,
    threads: u32,
    layout: u32,
    parameters: &'a Parameters,
    phases: Phases<'a>,
}

/// Drives the batches of a visit through one copy of the loop.
macro_rules! drive {
    ($phases:expr, $copy:literal, $operation:expr) => {
        while let Some(batch) = $phases.next() {
            match batch.kind {
                Kind::Loop => {
                    $phases.starts();
                    shift::<$copy>();
                    for _ in 0..batch.operations {
                        $operation;
                    }
                    $phases.ends();
                }
                Kind::BackedOff => {
                    $phases.starts();
                    shift::<$copy>();
                    for _ in 0..batch.operations {
                        consume_cpu(batch.tokens);
                        $operation;
                    }
                    $phases.ends();
                }
                Kind::Single => {
                    if batch.tokens > 0 {
                        consume_cpu(batch.tokens);
                    }
                    $phases.starts();
                    $operation;
                    $phases.ends();
                }
            }
        }
    };
}

/// The same at each of four places in a cache line: a process runs all of them in turn.
macro_rules! drive_in_every_layout {
    ($bencher:expr, $operation:expr) => {
        match $bencher.layout {
            0 => drive!($bencher.phases, 0, $operation),
            1 => drive!($bencher.phases, 1, $operation),
            2 => drive!($bencher.phases, 2, $operation),
            _ => drive!($bencher.phases, 3, $operation),
        }
    };
}

impl<'a> Bencher<'a> {
    pub(super) fn new(thread: u32, threads: u32, layout: u32, parameters: &'a Parameters, phases: Phases<'a>) -> Self {
        Self { thread, threads, layout, parameters, phases }
    }

    pub(super) fn into_phases(self) -> Phases<'a> {
        self.phases
    }

    /// Which of the cell's threads this is, counted from 0.
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// How many threads the cell has.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// The value of a parameter of the study.
    ///
    /// # Panics
    /// Where the study has no such parameter, or its value is no `T`: the case then fails, with this as the reason, and the
    /// others go on.
    pub fn parameter<T: FromStr<Err: Display>>(&self, name: &str) -> T {
        let Some(value) = self.parameters.get(name) else { panic!("the study has no parameter called {name}") };
        value.parse().unwrap_or_else(|error| panic!("parameter {name}: {value} cannot be used: {error}"))
    }

    /// Does `operation` again and again.
    ///
    /// The loop that is timed holds the operation and a counter, and where the study backs off, one call of
    /// [`consume_cpu`](crate::consume_cpu); the result goes through [`black_box`](crate::black_box). What the operation
    /// owns (a `move` closure's values) stays where the compiler likes it best: in registers, if it fits. What it borrows is
    /// memory that others could see, and is read and written as such.
    #[inline(always)]
    pub fn iter<O>(&mut self, operation: impl FnMut() -> O) {
        // Once through memory, so that what it borrows could be known to anyone; then it is a local again.
        let mut operation = black_box(operation);
        drive_in_every_layout!(self, {
            black_box(operation());
        });
    }

    /// Does `operation` again and again, each time with what the last one returned.
    ///
    /// The value is a local of the timed loop: if it fits a register, nothing takes it out of there but the operation itself.
    /// Hand over a closure: a function's name alone may be called where a closure's code is put into the loop.
    #[inline(always)]
    pub fn iter_chained<T>(&mut self, seed: T, operation: impl FnMut(T) -> T) {
        let mut operation = black_box(operation);
        let mut value = black_box(seed);
        drive_in_every_layout!(self, value = black_box(operation(value)));
        black_box(value);
    }

    /// Does `operation` once on each input of a batch, which `input` makes before the batch begins. That is not timed, nor
    /// is dropping what the operations return.
    ///
    /// A batch has at most 16 384 inputs. Taking one out of memory and putting a result there belongs to the time.
    pub fn iter_batched<I, O>(&mut self, mut input: impl FnMut() -> I, mut operation: impl FnMut(I) -> O) {
        self.phases.limit(MOST_INPUTS);
        while let Some(batch) = self.phases.next() {
            let inputs: Vec<I> = (0..batch.operations).map(|_| input()).collect();
            let mut outputs = Vec::with_capacity(inputs.len());
            self.phases.starts();
            for input in inputs {
                if batch.tokens > 0 {
                    consume_cpu(batch.tokens);
                }
                outputs.push(black_box(operation(input)));
            }
            self.phases.ends();
            black_box(outputs);
        }
    }

    /// Does `setup` and `operation` in turn, and stamps the time around each `operation` as well as around the whole loop.
    ///
    /// Beware: from the stamps alone one learns how long the operation took while its thread ran, not how often it was
    /// done. With more threads than CPUs threads lose their CPU in the part that is not stamped, too, and a rate that is
    /// claimed from the stamps is one that no machine reaches. Therefore the record holds both, and by how much the claim
    /// exceeds what was done (`part` of each cell); the cell's own time is that of the whole loop. The stamps themselves
    /// cost two readings of the clock per operation. A batch with its inputs made before it
    /// ([`iter_batched`](Self::iter_batched)) needs none of this.
    pub fn iter_with_unmeasured_setup_beware_of_omission<I, O>(
        &mut self,
        mut setup: impl FnMut() -> I,
        mut operation: impl FnMut(I) -> O,
    ) {
        while let Some(batch) = self.phases.next() {
            let mut stamped_ns = 0;
            self.phases.starts();
            for _ in 0..batch.operations {
                if batch.tokens > 0 {
                    consume_cpu(batch.tokens);
                }
                let input = setup();
                let start_ns = self.phases.now_ns();
                black_box(operation(input));
                stamped_ns += self.phases.now_ns().saturating_sub(start_ns);
            }
            self.phases.parts(stamped_ns);
            self.phases.ends();
        }
    }
}
