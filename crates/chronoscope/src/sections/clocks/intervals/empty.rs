//! Times nothing: pairs of reads with no work between them, as a program would write them.

use chronoscope_clock::work::opaque;
use chronoscope_clock::{SourceVisitor, TickSource};
use serde::{Deserialize, Serialize};

use crate::clock_id::ClockId;
use crate::engine::task::{Bench, Task};
use chronoscope_harness::record::Disturbance;
use chronoscope_harness::work::chain;

/// Pairs of each clock.
const PAIRS: usize = 5000;

/// Which clocks to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Their names.
    pub sources: Vec<ClockId>,
}

/// Empty intervals of every clock, in its own ticks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// In the order of the request.
    pub clocks: Vec<Vec<i64>>,
}

impl Task for Request {
    const NAME: &'static str = "empty";
    type Samples = Samples;

    fn perform(&self, bench: &Bench) -> Result<(Samples, Disturbance), String> {
        bench.alone(|| run(self))
    }
}

fn run(request: &Request) -> Result<Samples, String> {
    let clocks = request.sources.iter().map(|clock| clock.visit(Pairs)).collect::<Result<_, _>>()?;
    Ok(Samples { clocks })
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
