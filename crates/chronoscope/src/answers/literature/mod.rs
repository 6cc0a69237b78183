//! The literature that this tool implements: each claim of each article, next to what this machine says of it.
//!
//! A claim names a command, a place in its document and a test, in `claims.toml`. Its state follows from documents; nobody writes it.

pub mod browser;
pub mod claim;
mod judge;
mod place;
pub mod report;
pub mod view;

pub use judge::judged;
