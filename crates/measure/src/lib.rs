//! The engine of chronoscope: it plans, measures in worker processes, estimates, concludes, and keeps a record.
//!
//! Data moves one way: a [`Plan`](plan::Plan) says what will be done; workers turn it into samples; pure functions turn
//! samples into estimates and findings; all of it ends in a [`Record`](record::Record), which is plain data. Only
//! [`front`], which makes a program of studies, and worker processes write to standard output.
//!
//! # Platform
//! Linux on x86-64 and aarch64, unprivileged. No unsafe code: what needs it lives in `chronoscope-clock`.
//!
//! # Examples
//! A program that checks its machine:
//! ```no_run
//! use chronoscope_measure::{engine, plan::{Depth, Plan, Wish}, record::Tool, worker};
//!
//! if let Some(code) = worker::serve_if_asked() {
//!     std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
//! }
//! let start = engine::Start::of_this_process();
//! let plan = Plan::new(&Wish { depth: Depth::Quick, ..Wish::default() }, start.allowed_cpus())?;
//! let tool = Tool { name: "my-check".into(), version: "1".into() };
//! let record = engine::run(&start, plan, tool, &mut engine::Unobserved);
//! println!("{} findings", record.findings.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("chronoscope-measure runs on Linux; chronoscope-clock compiles elsewhere too (see PLATFORM.md)");

mod affinity;
pub mod conclusion;
#[cfg(test)]
mod documents;
pub mod engine;
pub mod estimate;
pub mod front;
pub mod machine;
pub mod pace;
mod process;
pub mod runtime;
pub mod stats;
mod study;
mod study_compare;
pub mod task;
mod verdict;
mod watch;
pub mod worker;

pub use chronoscope_clock::work::{black_box, consume_cpu};
pub use chronoscope_record as record;
pub use chronoscope_record::study::Mode;
pub use chronoscope_record::{finding, plan};

pub use crate::study::{Bencher, Group, Parameters, Study, StudyError, StudyObserver, StudyWish};

pub use crate::front::main;
pub use crate::study_compare::{Welch, compare_studies, welch_ratio};

#[cfg(doctest)]
mod compiled_documents {
    #[doc = include_str!("../README.md")]
    mod package {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../DESIGN.md")]
    mod design {}
    #[doc = include_str!("../../../PLATFORM.md")]
    mod platform {}
    #[doc = include_str!("../../../COMPARE.md")]
    mod compare {}
    #[doc = include_str!("../../../docs/choosing.md")]
    mod choosing {}
}
