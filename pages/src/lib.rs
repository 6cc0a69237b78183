//! Pages of documents, looked at in Chromium through its DevTools protocol.
//!
//! [`Document`] has the cases, [`Browser`] opens their pages, and [`Tab`] answers what can be seen.

mod browser;
mod crowded;
mod document;
mod schema;
mod tab;
mod value;

pub use browser::Browser;
pub use document::{Document, every};
pub use tab::{Column, Media, Place, Plot, Row, Tab, Telling, Tick, Tip};
pub use value::{Axis, Shown};

/// What went wrong outside of a page.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
