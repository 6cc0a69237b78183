//! The one table of figures: the numbers of a document that another may have too, or that a gate may limit.

pub mod figure;
pub mod limit;
pub mod table;
