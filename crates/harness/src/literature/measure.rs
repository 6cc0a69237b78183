//! What published figures are of.

/// Declares the measures, and their list.
macro_rules! measures {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $word;)*

        /// All of them.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

measures! {
    /// Of a read, back to back.
    LATENCY = "latency";
    /// The smallest step seen, as the JVM's article names it.
    GRANULARITY = "granularity";
    /// The same, as .NET's names it.
    RESOLUTION = "resolution";
    /// One tick, by the declared frequency.
    TICK = "tick";
    /// Of a counter.
    FREQUENCY = "frequency";
    /// Of an instruction.
    CYCLES = "cycles";
    /// How often two reads in a row differed by so many ticks.
    DIFFERENCES = "differences";
    /// Of two reads with nothing between.
    LARGEST_EMPTY = "largest empty interval";
    /// The same, in unlucky runs.
    LARGEST_EMPTY_AT_TIMES = "largest empty interval, at times";
    /// How far a clock went backwards.
    STEP_BACK = "step back";
    /// Below so much time per call, more threads make each slower.
    FRONT = "front";
    /// Per operation.
    TIME = "time";
    /// Work after which a cost is no longer seen.
    HIDDEN_PAST = "hidden past";
    /// Operations per second, timed from outside.
    DONE = "done";
    /// Operations per second, by stamps around a part.
    CLAIMED = "claimed";
    /// Per call, over a run of such a length.
    MEAN_OF_RUN = "mean of a run";
    /// Per call, over so many calls.
    MEAN_OF_FIRST = "mean of the first calls";
    /// Per call, with a stamp around each.
    STAMPED = "each call stamped";
    /// The length of a pause that was asked for.
    PAUSE = "pause";
    /// How near to what was asked for.
    ACCURACY = "accuracy";
    /// Per call, by one thread.
    SERIAL = "in one thread";
    /// Per thread of those released at once.
    RELEASED = "released together, per thread";
    /// Of a clock by all threads.
    READS = "reads in 10 s";
}
