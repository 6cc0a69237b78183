//! Pages for browsers: one file each, that asks for nothing.
//!
//! A page is a sequence of [figures](Figure). Each says in plain words what was found, draws it, says how to read the drawing, and has
//! the numbers in tables. There are three kinds of charts: [rows](Rows), a line per thing on one shared axis, [plots](Plot) of two
//! axes, and a [matrix](Matrix) of what is between each two. None scales its text: places are in per cent of the width, so that one
//! drawing serves a phone, a screen and paper.

mod card;
mod figure;
mod listing;
mod marks;
mod matrix;
mod plot;
mod rows;
mod sheet;
mod tables;
mod texts;

pub use card::{Card, Fact, Span};
pub use figure::{Chart, Figure, InKey};
pub use listing::{Column, Field, Listing};
pub use marks::{Hue, Mark, Shape};
pub use matrix::{Border, Cell, Matrix};
pub use plot::{Curve, Label, Plot, Zone};
pub use rows::{Entry, Row, Rows};
pub use sheet::{Choice, Sheet};
