//! The languages with an established harness, and what is compared in each.

use bench_common::value::quantile;

use crate::agreement::Side;

pub(crate) struct Language {
    /// The word of `chronoscope runtimes --only`, and of its record.
    pub(crate) name: &'static str,
    /// What runs it, unless another program is named.
    pub(crate) program: &'static str,
    /// A clock as the language's users write it, our figure for it, and the benchmark it is compared with.
    pub(crate) pairs: &'static [(&'static str, Figure, &'static str)],
}

/// What our record says of a clock that a harness can say, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) words: &'static str,
    /// Where the record of a clock has it, as a JSON pointer.
    pub(crate) place: &'static str,
    /// Whether we leave out of it what was disturbed: rounds in which the loops beside it were slow.
    is_undisturbed: bool,
}

const fn figure(words: &'static str, place: &'static str, is_undisturbed: bool) -> Figure {
    Figure { words, place, is_undisturbed }
}

const LATENCY: Figure = figure("latency, 1 thread", "/latency_ns", true);
const LATENCY_ON_ALL: Figure = figure("latency, all threads", "/concurrent/ns", false);
const MEDIAN_STEP: Figure = figure("median step", "/granularity/step_ns_p50", false);

pub(crate) const JAVA: Language = Language {
    name: "java",
    program: "java",
    pairs: &[
        ("System.nanoTime", LATENCY, "OneThread.nanoTimeLatency"),
        ("System.nanoTime", LATENCY_ON_ALL, "AllThreads.nanoTimeLatency"),
        ("System.currentTimeMillis", LATENCY, "OneThread.currentTimeMillisLatency"),
        ("System.currentTimeMillis", LATENCY_ON_ALL, "AllThreads.currentTimeMillisLatency"),
        ("System.nanoTime", MEDIAN_STEP, "OneThread.nanoTimeGranularity"),
    ],
};
pub(crate) const GO: Language = Language {
    name: "go",
    program: "go",
    pairs: &[("time.Now().UnixNano", LATENCY, "NowUnixNano"), ("time.Since", LATENCY, "Since")],
};
pub(crate) const PYTHON: Language = Language {
    name: "python",
    program: "python3",
    pairs: &[
        ("time.perf_counter_ns", LATENCY, "perf_counter_ns"),
        ("time.monotonic_ns", LATENCY, "monotonic_ns"),
        ("time.time_ns", LATENCY, "time_ns"),
    ],
};

impl Figure {
    /// What of a harness's repetitions in a round, rising and not empty, is held against ours.
    ///
    /// Where we leave out what was disturbed (rounds in which the loops beside it were slow), the lower decile takes the place of
    /// that: the harnesses cannot tell. Else the median. The harness's own figure is the mean, which holds what other programs took.
    pub(crate) fn of_repetitions(self, ns: &[f64]) -> Side {
        Side { ns: if self.is_undisturbed { ns[ns.len() / 10] } else { quantile(ns, 0.5) }, least_ns: Some(ns[0]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_held_against_its_like() {
        let found: Vec<f64> = (0..20).map(f64::from).collect();
        let undisturbed = Side { ns: 2.0, least_ns: Some(0.0) };
        assert_eq!(LATENCY.of_repetitions(&found), undisturbed);
        assert_eq!(LATENCY_ON_ALL.of_repetitions(&found), Side { ns: 9.5, ..undisturbed });
    }
}
