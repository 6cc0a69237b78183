//! How anything is measured: worker processes, timed loops, studies, statistics, and the plain data that every document
//! shares. Prints nothing, draws nothing.
//!
//! # Platform
//! Linux on x86-64 and aarch64, unprivileged; Windows, seen under Wine only; macOS, compiled and never run. No unsafe code: anything that needs it lives in `chronoscope-sources`.
#![forbid(unsafe_code)]

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!(
    "chronoscope-harness runs on Linux, Windows and macOS; chronoscope-clock compiles elsewhere too (see PLATFORM.md)"
);

mod affinity;
mod claim;
/// From samples to numbers with bounds: pure functions, and the plain data that they return.
#[cfg(feature = "estimators")]
pub mod estimators;
pub mod literature;
pub mod machine;
mod os;
pub mod process;
pub mod quantity;
pub mod record;
mod rest;
pub mod rule;
mod start;
pub mod stats;
mod study;
pub mod watch;
pub mod work;
pub mod worker;

pub use chronoscope_sources::allocations::CountingAllocator;
pub use chronoscope_sources::work::{black_box, consume_cpu};
pub use record::finding;
pub use record::study::{Mode, Parameters};

pub use crate::affinity::{pin, reason_unknown_cpus};
pub use crate::claim::Claim;
pub use crate::rest::rest;
pub use crate::start::Start;
pub use crate::study::{
    Bencher, CaseFilter, CasePattern, Group, OtherBuild, Study, StudyError, StudyObserver, StudyOptions, StudyRun,
    Turn, against as study_against, conclusions as study_conclusions, defaults, rules as study_rules,
    words as study_words,
};
#[cfg(feature = "estimators")]
pub use crate::study::{ExternalIteration, ExternalStudy};

#[cfg(doctest)]
mod compiled_documents {
    #[doc = include_str!("../README.md")]
    mod package {}
}
