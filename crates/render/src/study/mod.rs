//! Renders the record of a study: the cost of operations as a function of backoff and threads.

mod axis;
mod cells;
mod comparisons;
mod curve;
mod detail;
mod harness;
mod html;
mod over_threads;
mod plot;
mod says;
mod view;

use chronoscope_harness::study_words as words;

pub use self::detail::Detail;
pub use self::harness::resolution;
pub use self::html::html;
pub use self::over_threads::{OverThreads, ThreadTime};
pub use self::view::terminal;
pub use chronoscope_harness::record::{parse_study as parse, written as json};
