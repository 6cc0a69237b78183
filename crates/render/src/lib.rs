//! How chronoscope draws: tables, bars and charts for the terminal, and a page for browsers.
//!
//! Knows shapes, no rules. Nothing is printed; every function returns text.
#![forbid(unsafe_code)]

/// Axes: how values are mapped to a chart, and their ticks.
pub mod axis;
/// Distributions as bars.
pub mod bars;
#[cfg(feature = "html")]
pub mod browser;
/// What disturbed a measurement, in words and figures.
pub mod disturbance;
/// Findings: mark, sentence and advice.
pub mod findings;
mod grid;
/// A line of styled text.
pub mod line;
/// The machine, by names and words.
pub mod machine;
/// A page: sections, paragraphs, tables, wrapped to its width.
pub mod page;
/// The styles of every page.
pub mod palette;
pub mod study;
/// Tables that fold to the width of their page.
pub mod table;
pub mod text;
/// The first line of a page.
pub mod title;
mod width;
pub mod words;
mod wrap;

pub use crate::width::Width;
