//! Renders the records of chronoscope: for terminals, and as JSON in both directions.
//!
//! The crate sees only the [`Record`], so a record from another machine or an earlier day renders like one made just
//! now. Nothing is printed; every function returns text.
//!
//! # Examples
//! ```
//! use chronoscope_report::{View, json, parse, terminal};
//!
//! # let text = include_str!("../tests/fixtures/record.json");
//! let record = parse(text)?;
//! let styled = terminal(&record, View::Check);
//! assert!(styled.contains("VERDICT"));
//! assert_eq!(parse(&json(&record)?)?, record);
//! # Ok::<(), chronoscope_report::ReportError>(())
//! ```
#![forbid(unsafe_code)]

mod bars;
mod clean;
mod error;
mod json;
mod line;
mod pace;
mod page;
mod palette;
mod quantity;
mod section;
pub mod study;
mod study_compared;
mod table;
pub mod text;
mod view;
mod width;

pub use chronoscope_record::Record;

pub use crate::error::ReportError;
pub use crate::json::{Document, document, json, pace_json, parse};
pub use crate::pace::{pace, pace_at};
pub use crate::study_compared::{study_compared, study_compared_at};
pub use crate::view::{View, terminal, terminal_at};
pub use crate::width::Width;
