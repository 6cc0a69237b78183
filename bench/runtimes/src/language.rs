//! The languages, and what is compared in each.

use clap::ValueEnum;
use serde::Serialize;

/// A language with an established harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Language {
    /// By JMH
    Java,
    /// By package testing
    Go,
    /// By pyperf
    Python,
}

/// What our record says of a clock that a harness can say, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    /// A turn of the loop without a clock in it.
    Loop,
    /// Time of a read on one thread.
    Latency,
    /// Time of a read while all processors read.
    LatencyOnAll,
    /// The median of the steps that were seen.
    MedianStep,
    /// The smallest of them, which is what we call granularity.
    SmallestStep,
}

/// One of our figures and the benchmark beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// As the language's users write it.
    pub(crate) clock: &'static str,
    pub(crate) figure: Figure,
    /// The benchmark's name.
    pub(crate) benchmark: &'static str,
    /// Whether the two mean the same. Where they do not, the row is there to show by how much they differ.
    pub(crate) is_same: bool,
}

const fn same(clock: &'static str, figure: Figure, benchmark: &'static str) -> Pair {
    Pair { clock, figure, benchmark, is_same: true }
}

const fn other(clock: &'static str, figure: Figure, benchmark: &'static str) -> Pair {
    Pair { clock, figure, benchmark, is_same: false }
}

const JAVA: [Pair; 7] = [
    other("nothing", Figure::Loop, "OneThread.nothing"),
    same("System.nanoTime", Figure::Latency, "OneThread.nanoTimeLatency"),
    same("System.nanoTime", Figure::LatencyOnAll, "AllThreads.nanoTimeLatency"),
    same("System.currentTimeMillis", Figure::Latency, "OneThread.currentTimeMillisLatency"),
    same("System.currentTimeMillis", Figure::LatencyOnAll, "AllThreads.currentTimeMillisLatency"),
    same("System.nanoTime", Figure::MedianStep, "OneThread.nanoTimeGranularity"),
    other("System.nanoTime", Figure::SmallestStep, "OneThread.nanoTimeGranularity"),
];
const GO: [Pair; 4] = [
    other("nothing", Figure::Loop, "Nothing"),
    same("time.Now().UnixNano", Figure::Latency, "NowUnixNano"),
    other("time.Now().UnixNano", Figure::Latency, "Now"),
    same("time.Since", Figure::Latency, "Since"),
];
const PYTHON: [Pair; 4] = [
    same("nothing", Figure::Loop, "nothing"),
    same("time.perf_counter_ns", Figure::Latency, "perf_counter_ns"),
    same("time.monotonic_ns", Figure::Latency, "monotonic_ns"),
    same("time.time_ns", Figure::Latency, "time_ns"),
];

impl Language {
    /// The word of `chronoscope runtimes --only`, and of its record.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Go => "go",
            Self::Python => "python",
        }
    }

    /// What is compared.
    pub(crate) const fn pairs(self) -> &'static [Pair] {
        match self {
            Self::Java => &JAVA,
            Self::Go => &GO,
            Self::Python => &PYTHON,
        }
    }
}

impl Figure {
    /// In words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Loop => "the loop itself",
            Self::Latency => "latency, 1 thread",
            Self::LatencyOnAll => "latency, all threads",
            Self::MedianStep => "median step",
            Self::SmallestStep => "smallest step",
        }
    }

    /// Whether we leave out of it what was disturbed: rounds in which the loops beside it were slow.
    pub(crate) const fn is_undisturbed(self) -> bool {
        matches!(self, Self::Loop | Self::Latency)
    }

    /// Whether it is the time of a read.
    pub(crate) const fn is_latency(self) -> bool {
        matches!(self, Self::Latency | Self::LatencyOnAll)
    }
}
