//! How much is measured.

use std::time::Duration;

use bench_common::study::Effort;

pub(crate) const FULL: Effort = Effort { budget: Duration::from_secs(20), processes: 12 };
pub(crate) const QUICK: Effort = Effort { budget: Duration::from_secs(1), processes: 3 };
