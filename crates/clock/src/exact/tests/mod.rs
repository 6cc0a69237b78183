#[cfg(not(loom))]
mod fake_kernel;
#[cfg(not(any(loom, miri)))]
mod faults;
#[cfg(loom)]
mod models;
#[cfg(not(loom))]
mod race_tests;
