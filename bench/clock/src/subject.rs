//! One way to read the time, with the loops that it is measured in compiled for it.

use std::hint::black_box;

use chronoscope_harness::{Bencher, Study};

use crate::kind_of_work::Kind;

/// What a read returns, and so what it may be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Counter ticks, to be converted later.
    Ticks,
    /// Nanoseconds, at the resolution of the counter.
    Nanoseconds,
    /// Time as of some moment ago: a kernel tick or a last update.
    Coarse,
}

/// A named read in all the loops that time it.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) is_ours: bool,
    loops: Box<dyn Loops>,
}

/// The loops around one read. The call to a loop is virtual, the read inside it is not.
trait Loops: Send + Sync {
    fn reads(&self, bencher: &mut Bencher<'_>);
    fn work(&self, kind: Kind, bencher: &mut Bencher<'_>);
}

struct Read<F>(F);

impl<T, F: Fn() -> T + Clone + Send + Sync> Loops for Read<F> {
    fn reads(&self, bencher: &mut Bencher<'_>) {
        // The timed loop owns the read, as a program's own loop would.
        bencher.iter(self.0.clone());
    }

    fn work(&self, kind: Kind, bencher: &mut Bencher<'_>) {
        kind.measure(bencher, || {
            black_box((self.0)());
        });
    }
}

impl Subject {
    pub(crate) fn ours<T>(
        name: &'static str,
        unit: Unit,
        read: impl Fn() -> T + Clone + Send + Sync + 'static,
    ) -> Self {
        Self { name, unit, is_ours: true, loops: Box::new(Read(read)) }
    }

    pub(crate) fn peer<T>(
        name: &'static str,
        unit: Unit,
        read: impl Fn() -> T + Clone + Send + Sync + 'static,
    ) -> Self {
        Self { name, unit, is_ours: false, loops: Box::new(Read(read)) }
    }

    /// Reads back to back, as often as the study wants.
    pub(crate) fn reads(&self, bencher: &mut Bencher<'_>) {
        self.loops.reads(bencher);
    }

    /// Adds it to `study` as a case: reads back to back.
    pub(crate) fn reads_in(self, study: Study) -> Study {
        study.case(self.name, move |bencher| self.loops.reads(bencher))
    }

    /// Adds it to `study` as a case: a read in each turn of the work that [`Kind::PARAMETER`] names.
    pub(crate) fn works_in(self, study: Study) -> Study {
        study.case(self.name, move |bencher| self.loops.work(bencher.parameter(Kind::PARAMETER), bencher))
    }
}
