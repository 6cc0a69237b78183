//! Times empty intervals: pairs of reads with no work between them, as a program would write them.

use chronoscope_clock::TickSource;
use chronoscope_sources::SourceVisitor;
use chronoscope_sources::work::opaque;
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::work::chain;

const PAIRS: usize = 5000;

/// The clocks to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmptyIntervalsTask(pub Vec<ClockId>);

impl Task for EmptyIntervalsTask {
    const NAME: &'static str = "empty";
    /// For each clock, its empty intervals in its own ticks.
    type Samples = Vec<Vec<i64>>;

    fn perform(&self, bench: &Bench) -> Result<(Self::Samples, Disturbance), String> {
        bench.alone(|| self.0.iter().map(|clock| clock.visit(Pairs)).collect())
    }

    fn answered(&self, clocks: &Self::Samples) -> (usize, usize) {
        (clocks.iter().filter(|intervals| !intervals.is_empty()).count(), self.0.len())
    }
}

struct Pairs;

impl SourceVisitor for Pairs {
    type Output = Vec<i64>;

    fn visit<S: TickSource>(self, source: S) -> Vec<i64> {
        observe(&source, PAIRS)
    }
}

/// `pairs` empty intervals of `source`.
pub fn observe<S: TickSource>(source: &S, pairs: usize) -> Vec<i64> {
    let mut intervals = vec![0; pairs];
    let mut value = 1;
    for slot in &mut intervals {
        let start = source.read();
        value = chain(value, 0);
        *slot = source.read().wrapping_sub(start) as i64;
    }
    opaque(value);
    intervals
}
