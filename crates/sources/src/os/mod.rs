//! The operating system's clocks, one by one; how its wall clock is disciplined; on Windows, what else a harness asks of it.
#![allow(unsafe_code)]

#[cfg(feature = "observers")]
mod bind;
#[cfg(target_os = "linux")]
mod child;
mod discipline;
#[cfg(target_os = "linux")]
mod executed;
#[cfg(windows)]
pub mod host;

#[doc(inline)]
pub use chronoscope_clock::raw::{
    CounterAccess, OsClock, counter_access, declared_resolution_ns, set_counter_access, try_read_by_system_call_ns,
    try_read_ns,
};

#[cfg(feature = "observers")]
pub(crate) use bind::bind_thread;
#[cfg(target_os = "linux")]
pub use child::kill_with_parent;
pub use discipline::{KernelDiscipline, kernel_discipline};
#[cfg(target_os = "linux")]
pub use executed::executed_path;
