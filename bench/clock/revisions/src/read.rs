//! One read, in the loop that times it.

use chronoscope_harness::{Bencher, Study};

/// A named read.
pub struct Read {
    pub(crate) name: &'static str,
    measure: Box<dyn Fn(&mut Bencher<'_>) + Send + Sync>,
}

impl Read {
    /// The name must be the same in both revisions, and `read` is compiled into the loop.
    pub fn new<T>(name: &'static str, read: impl Fn() -> T + Copy + Send + Sync + 'static) -> Self {
        Self { name, measure: Box::new(move |bencher| bencher.iter(read)) }
    }

    /// Adds it to `study` as the case `case`.
    pub(crate) fn case_in(self, study: Study, case: String) -> Study {
        study.case(case, self.measure)
    }
}
