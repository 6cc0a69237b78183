//! The first screen of a check: at most 24 lines of 80 columns. Everything else is on the full page.

mod cells;
mod rows;
mod screen;

pub use screen::terminal_at;
