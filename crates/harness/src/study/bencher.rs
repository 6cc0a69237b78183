use std::fmt::Display;
use std::str::FromStr;

use chronoscope_clock::work::{black_box, consume_cpu, shift};

use super::phases::{Kind, Phases};
use crate::record::study::Parameters;

/// Maximum inputs prepared before a batch.
const MOST_INPUTS: u64 = 1 << 14;

/// Passed to a case: runs its operation as often as the study needs.
///
/// A case is called once per visit on each thread. Everything before `iter` is untimed set-up; the case calls one of
/// the `iter` functions once.
pub struct Bencher<'a> {
    thread: u32,
    threads: u32,
    layout: u32,
    parameters: &'a Parameters,
    phases: Phases<'a>,
}

/// Runs the batches of a visit through one copy of the loop.
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

/// The same at four offsets within a cache line: a process uses all of them in turn.
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

    /// The index of this thread among the cell's threads, from 0.
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
    /// Panics if the study has no such parameter, or its value does not parse as `T`: the case then fails with this
    /// reason, and the others continue.
    pub fn parameter<T: FromStr<Err: Display>>(&self, name: &str) -> T {
        let Some(value) = self.parameters.get(name) else { panic!("the study has no parameter called {name}") };
        value.parse().unwrap_or_else(|error| panic!("parameter {name}: {value} cannot be used: {error}"))
    }

    /// Repeats `operation`.
    ///
    /// The timed loop contains the operation, a counter and, where the study backs off, one call of
    /// [`consume_cpu`](crate::consume_cpu); the result goes through [`black_box`](crate::black_box). Values that the
    /// operation owns (those of a `move` closure) stay wherever the compiler prefers: in registers, if they fit. Values
    /// that it borrows are memory that others could see, and are read and written as such.
    #[inline(always)]
    pub fn iter<O>(&mut self, operation: impl FnMut() -> O) {
        // Pass it through memory once, so that anything it borrows may have escaped; then it is a local again.
        let mut operation = black_box(operation);
        drive_in_every_layout!(self, {
            black_box(operation());
        });
    }

    /// Repeats `operation`, each time with the previous return value.
    ///
    /// The value is a local of the timed loop: if it fits a register, only the operation itself forces it out. Pass a
    /// closure: a bare function name may be called where a closure would be inlined.
    #[inline(always)]
    pub fn iter_chained<T>(&mut self, seed: T, operation: impl FnMut(T) -> T) {
        let mut operation = black_box(operation);
        let mut value = black_box(seed);
        drive_in_every_layout!(self, value = black_box(operation(value)));
        black_box(value);
    }

    /// Runs `operation` once on each input of a batch, prepared by `input` before the batch begins. Neither preparing
    /// inputs nor dropping results is timed.
    ///
    /// A batch has at most 16 384 inputs. Loading an input from memory and storing the result are timed.
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

    /// Alternates `setup` and `operation`, timestamping each `operation` as well as the whole loop.
    ///
    /// Beware: the timestamps alone show how long the operation took while its thread ran, not how often it was done.
    /// With more threads than CPUs, threads are also preempted in the untimed part, and a rate claimed from the
    /// timestamps is one that no machine reaches. The record therefore holds both rates, and by how much the claim
    /// exceeds the actual one (`part` of each cell); the cell's own time is that of the whole loop. The timestamps
    /// themselves cost two clock readings per operation. A batch with prepared inputs
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
