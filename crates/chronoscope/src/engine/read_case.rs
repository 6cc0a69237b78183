//! The cases of studies that read a clock: the same loop in every study.

use chronoscope_clock::TickSource;
use chronoscope_harness::{Bencher, Study};
use chronoscope_sources::SourceVisitor;

use crate::clock_id::ClockId;

/// The study with a case that reads `clock` in this way; without it if that is not available here.
pub fn added(study: Study, name: String, clock: &ClockId, read: Read) -> Study {
    clock.visit(Case { study: study.clone(), name, read }).unwrap_or(study)
}

/// How a case reads a clock.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// Once per operation.
    InARow,
    /// Until its value changes.
    UntilChange,
}

impl Read {
    /// Repeats it.
    #[inline(always)]
    pub fn iterate(self, b: &mut Bencher<'_>, clock: &impl TickSource) {
        match self {
            Self::InARow => b.iter(|| clock.read()),
            Self::UntilChange => {
                let mut last = clock.read();
                b.iter(|| last = next(clock, last));
            }
        }
    }
}

/// The clock's first value other than `last`.
#[inline(always)]
fn next(clock: &impl TickSource, last: u64) -> u64 {
    loop {
        let now = clock.read();
        if now != last {
            return now;
        }
    }
}

struct Case {
    study: Study,
    name: String,
    read: Read,
}

impl SourceVisitor for Case {
    type Output = Study;

    fn visit<S: TickSource + Copy + Send + Sync + 'static>(self, source: S) -> Study {
        self.study.case(self.name, move |b| {
            // A local of the thread: reaching it needs no load.
            let source = source;
            self.read.iterate(b, &source);
        })
    }
}
