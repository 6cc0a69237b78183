use std::fmt::Display;
use std::pin::{Pin, pin};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use chronoscope_sources::work::{black_box, consume_cpu, shift};

use super::latch::{ClosesLatch, Latch, Waiting};
use super::memory::resident_bytes;
use super::phases::{BatchKind, Phases};
use crate::record::study::{Handled, Parameters};

/// Default maximum of inputs prepared before a batch.
const MOST_INPUTS: u64 = 1 << 14;
/// Default maximum of their memory, in bytes.
const MOST_INPUT_BYTES: u64 = 256 << 20;
/// The stack of a thread released together with others: the usual stacks of thousands would not fit everywhere.
const STACK_BYTES: usize = 256 * 1024;

/// Passed to a case: runs its operation as often as the study needs.
///
/// A case is called once per iteration on each thread. Everything before `iter` is untimed set-up; the case calls one of
/// the `iter` functions once.
pub struct Bencher<'a> {
    thread: u32,
    threads: u32,
    layout: u32,
    parameters: &'a Parameters,
    pub(super) phases: Phases<'a>,
    most_inputs: u64,
    most_input_bytes: u64,
}

/// Consumes `tokens`, if any: not even a call for none.
#[inline(always)]
fn back_off(tokens: u64) {
    if tokens > 0 {
        consume_cpu(tokens);
    }
}

/// Runs the batches of an iteration through one copy of the loop.
macro_rules! drive {
    ($phases:expr, $copy:literal, $operation:expr) => {
        while let Some(batch) = $phases.next() {
            match batch.kind {
                BatchKind::Loop => {
                    $phases.starts();
                    shift::<$copy>();
                    for _ in 0..batch.operations {
                        $operation;
                    }
                    $phases.ends();
                }
                BatchKind::BackedOff => {
                    $phases.starts();
                    shift::<$copy>();
                    for _ in 0..batch.operations {
                        consume_cpu(batch.tokens);
                        $operation;
                    }
                    $phases.ends();
                }
                BatchKind::Single => {
                    back_off(batch.tokens);
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
        Self {
            thread,
            threads,
            layout,
            parameters,
            phases,
            most_inputs: MOST_INPUTS,
            most_input_bytes: MOST_INPUT_BYTES,
        }
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

    /// Says that each operation handles so many bytes: the page then has bytes per second. Call it before `iter`.
    pub fn bytes(&mut self, bytes: u64) -> &mut Self {
        self.phases.handles(Handled::Bytes(bytes));
        self
    }

    /// The same of so many items, such as the elements of a collection.
    pub fn items(&mut self, items: u64) -> &mut Self {
        self.phases.handles(Handled::Items(items));
        self
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

    /// Prepares at most `inputs` before each batch of [`iter_batched`](Self::iter_batched), instead of 16 384; 0 counts as 1.
    ///
    /// Fewer inputs stay in a nearer cache; batches much shorter than 0.1 ms widen the interval.
    pub fn inputs_at_most(&mut self, inputs: u64) -> &mut Self {
        self.most_inputs = inputs.max(1);
        self
    }

    /// Prepares inputs of at most `bytes` before each batch of [`iter_batched`](Self::iter_batched), instead of 256 MiB, as
    /// far as the growth of the process's memory shows; one input at least.
    pub fn input_bytes_at_most(&mut self, bytes: u64) -> &mut Self {
        self.most_input_bytes = bytes;
        self
    }

    /// Runs `operation` once on each input of a batch, prepared by `input` before the batch begins. Neither preparing
    /// inputs nor dropping results is timed.
    ///
    /// Loading an input from memory and storing the result are timed. A batch has as many inputs as fit 0.1 ms, and no more than
    /// [`inputs_at_most`](Self::inputs_at_most) and [`input_bytes_at_most`](Self::input_bytes_at_most) allow;
    /// fewer if an iteration has no time to prepare so many and to drop their results.
    pub fn iter_batched<I, O>(&mut self, mut input: impl FnMut() -> I, mut operation: impl FnMut(I) -> O) {
        self.phases.limit(self.most_inputs);
        while let Some(batch) = self.phases.next() {
            let mut inputs = self.inputs(batch.operations, &mut input).into_iter();
            let mut outputs = Vec::with_capacity(inputs.len());
            self.phases.starts();
            for input in inputs.by_ref() {
                back_off(batch.tokens);
                outputs.push(black_box(operation(input)));
            }
            self.phases.ends();
            // Freeing the memory of either is not the operation's time.
            drop((inputs, black_box(outputs)));
        }
    }

    /// Has `operations` run so many operations and say how long they took, where only the case can tell: work of another process
    /// or device, or set-up between operations. Backoff is not inserted.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, Instant};
    ///
    /// use chronoscope_harness::Study;
    ///
    /// let study = Study::new("custom").case("own clock", |b| {
    ///     b.iter_custom(|operations| {
    ///         let began = Instant::now();
    ///         (0..operations).for_each(|_| std::hint::spin_loop());
    ///         began.elapsed()
    ///     });
    /// });
    /// assert_eq!(study.cells().len(), 1);
    /// ```
    pub fn iter_custom(&mut self, mut operations: impl FnMut(u64) -> Duration) {
        while let Some(batch) = self.phases.next() {
            self.phases.starts();
            let took = operations(batch.operations);
            self.phases.ends_after(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Repeats an asynchronous operation: a batch is one future, which `block_on` runs to its end on any executor.
    ///
    /// What the executor takes to start and end a future is not timed; polling an operation is a call through a pointer per wake-up.
    ///
    /// # Panics
    /// Panics if `block_on` returns before the future is ready: the case then fails with this reason, and the others continue.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::Study;
    ///
    /// # fn block_on<F: std::future::Future>(_: F) {}
    /// let study = Study::new("async").case("ready", |b| {
    ///     // With tokio: `let runtime = Runtime::new().unwrap();`, then `|batch| runtime.block_on(batch)`.
    ///     b.iter_async(|batch| block_on(batch), || async { 1 });
    /// });
    /// assert_eq!(study.cells().len(), 1);
    /// ```
    pub fn iter_async<F: Future>(
        &mut self,
        mut block_on: impl FnMut(Pin<&mut dyn Future<Output = ()>>),
        mut operation: impl FnMut() -> F,
    ) {
        while let Some(batch) = self.phases.next() {
            let (phases, mut is_done) = (&mut self.phases, false);
            let all = async {
                phases.starts();
                for _ in 0..batch.operations {
                    back_off(batch.tokens);
                    black_box(operation().await);
                }
                phases.ends();
                is_done = true;
            };
            block_on(pin!(all));
            assert!(is_done, "the executor returned before the future was ready");
        }
    }

    /// The inputs of a batch; fewer, of this batch and all that follow, if twice as many would take too much memory.
    fn inputs<I>(&mut self, operations: u64, input: &mut impl FnMut() -> I) -> Vec<I> {
        let before = resident_bytes();
        let mut inputs = Vec::new();
        for made in 1..=operations {
            inputs.push(input());
            if made.is_power_of_two() && made < operations {
                let grown = resident_bytes().zip(before).map_or(0, |(now, before)| now.saturating_sub(before));
                if grown.saturating_mul(2) > self.most_input_bytes {
                    self.phases.shorten(made);
                    break;
                }
            }
        }
        inputs
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
                back_off(batch.tokens);
                let input = setup();
                let start_ns = self.phases.now_ns();
                black_box(operation(input));
                stamped_ns += self.phases.now_ns().saturating_sub(start_ns);
            }
            self.phases.parts(stamped_ns);
            self.phases.ends();
        }
    }

    /// Releases `threads` threads together, each of which calls `operation` once: the time is that from the release until the
    /// last is done.
    ///
    /// The threads are started once per iteration, and sleep at one latch between releases, a mutex with a condition variable;
    /// neither starting nor gathering them is timed. Waking them is, and usually dominates: an empty `operation` shows by how
    /// much.
    ///
    /// # Panics
    /// Panics if so many threads cannot be started, or `operation` panics in one: the case then fails with this reason, and the
    /// others continue.
    ///
    /// # Examples
    /// ```
    /// use std::time::Instant;
    ///
    /// use chronoscope_harness::Study;
    ///
    /// let wake_up = Study::new("wake-up")
    ///     .case("nothing", |b| b.iter_released(100, || ()))
    ///     .case("Instant::now", |b| b.iter_released(100, Instant::now))
    ///     .compare("Instant::now", "nothing");
    /// assert_eq!(wake_up.cells().len(), 2);
    /// ```
    pub fn iter_released<O>(&mut self, threads: u32, operation: impl Fn() -> O + Sync) {
        self.release(threads, Waiting::Asleep, operation);
    }

    /// Times the same with threads that are not woken: until the release they look for it again and again, and give up their CPU in
    /// between, as the one that times them does. What is left of [`Bencher::iter_released`] without waking.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::Study;
    ///
    /// let wake_up = Study::new("wake-up")
    ///     .case("woken", |b| b.iter_released(100, || ()))
    ///     .case("running", |b| b.iter_released_running(100, || ()))
    ///     .compare("woken", "running");
    /// assert_eq!(wake_up.cells().len(), 2);
    /// ```
    pub fn iter_released_running<O>(&mut self, threads: u32, operation: impl Fn() -> O + Sync) {
        self.release(threads, Waiting::Running, operation);
    }

    fn release<O>(&mut self, threads: u32, waiting: Waiting, operation: impl Fn() -> O + Sync) {
        self.phases.limit(1);
        let latch = Latch::of(threads as usize, waiting);
        thread::scope(|scope| {
            let _closes = ClosesLatch(&latch);
            let serve = || {
                let _closes = ClosesLatch(&latch);
                while latch.wait() {
                    black_box(operation());
                    latch.done();
                }
            };
            for i in 0..threads {
                let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, serve);
                started.unwrap_or_else(|error| panic!("could start only {i} of {threads} threads: {error}"));
            }
            while latch.gather()
                && let Some(batch) = self.phases.next()
            {
                consume_cpu(batch.tokens);
                self.phases.starts();
                latch.release();
                self.phases.ends();
            }
        });
    }
}
