//! The plain data shared by every document (the machine, findings, distributions, studies) and its JSON form.

mod clean;
mod disturbance;
mod document;
mod error;
mod estimate;
pub mod finding;
mod finite;
mod histogram;
mod json;
mod known;
mod machine;
mod path;
mod peak;
mod place;
mod quantiles;
mod read_study;
pub mod study;
mod times;
mod tool;
mod topology;
mod trust;

pub use clean::clean;
pub use disturbance::Disturbance;
pub use document::{Document, SCHEMA_VERSION};
pub use error::ReportError;
pub use estimate::Estimate;
pub use finite::not_finite;
pub use histogram::{Bin, Histogram};
pub use json::{parsed, written};
pub use known::Known;
pub use machine::{
    Clocksource, Cpu, CpuidFlag, Emulation, FrequencySource, Hypervisor, Kernel, Load, Machine, MeasuredFrequency, Tsc,
    TscAccess, TscClass,
};
pub use path::{Path, PathEvidence, PathMethod};
pub use peak::Peak;
pub use quantiles::Quantiles;
#[cfg(feature = "read")]
pub use read_study::parse_study;
pub use read_study::write_study;
pub use times::Times;
pub use tool::Tool;
pub use topology::{CpuPlace, Relation, Topology};
pub use trust::{COUNTER, READ_BY_VDSO};
