//! Renders the record of a study: the cost of operations as a function of backoff and threads.

mod against;
mod canvas;
mod cells;
mod comparisons;
mod curve;
mod detail;
mod harness;
#[cfg(feature = "html")]
mod html;
mod over_threads;
mod over_time;
mod plot;
mod says;
pub(crate) mod varying;
mod view;

use chronoscope_harness::study_words as words;

pub use self::detail::Detail;
pub use self::harness::resolution;
#[cfg(feature = "html")]
pub use self::html::{Lead, html, sheet};
pub use self::over_threads::{OverThreads, ThreadTime, Zone};
pub use self::over_time::OverTime;
pub use self::view::{page, surroundings, surroundings_page, terminal};
#[cfg(feature = "read")]
pub use chronoscope_harness::record::parse_study as parse;
pub use chronoscope_harness::record::write_study as json;
