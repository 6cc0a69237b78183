//! Every check, kept in one SQLite file per user.

mod error;
mod format;
mod place;
mod run;
mod store;
#[cfg(test)]
mod tests;
pub mod trend;

pub use self::error::HistoryError;
pub use self::place::{file, is_kept};
pub use self::run::Run;
pub use self::store::{History, Pruned, Saved, Scope, Series};
