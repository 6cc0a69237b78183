//! Whether a document meets a user's rules: pure, for documents from any machine and any day.

pub mod contradiction;
pub mod forbidden;
pub mod junit;
pub mod limits;
pub mod options;
pub mod report;
pub mod requirements;
pub mod resolve;
pub mod rule;
pub mod rules_file;
pub mod view;

#[cfg(test)]
mod tests;
